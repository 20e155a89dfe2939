import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { OperationPage } from '#components/docs/reference/operation-page'
import { catalog, siteUrl } from '../../../catalog.ts'
import { operations, sampleContext } from '../../docs.ts'

interface Props {
  params: Promise<{ operation: string }>
}

/** Model kinds by a part of the path of the endpoints that serve them, and the models of a kind that fit best. */
const KINDS: [path: RegExp, modality: string, best?: RegExp][] = [
  [/images/, 'image'],
  [/videos/, 'video'],
  [/embeddings/, 'embedding'],
  [/speech/, 'speech'],
  [/transcriptions/, 'transcription'],
  // Not every model that transcribes translates.
  [/translations/, 'transcription', /whisper(?!.*turbo)|^sandbox\//],
]

async function find({ params }: Props) {
  const { operation: id } = await params
  const operation = (await operations()).find((each) => each.id === id)
  if (!operation) notFound()
  return operation
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { id, method, path, summary } = await find(props)
  return { title: `${method} ${path}`, description: summary, alternates: { canonical: `/docs/api/${id}` } }
}

export default async function Page(props: Props) {
  const operation = await find(props)
  const { model, greeting } = await sampleContext()
  const [, kind, best = /./] = KINDS.find(([path]) => path.test(operation.path)) ?? []
  const models = (await catalog()).rows.filter(({ modality }) => modality === kind)
  const suitable = models.find(({ id }) => best.test(id)) ?? models[0]
  const words = { model: suitable?.id ?? model, greeting, voice: suitable?.facts.voices[0] ?? 'alloy' }
  return <OperationPage operation={operation} origin={await siteUrl()} words={words} />
}
