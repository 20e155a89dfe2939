import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { OperationPage } from '#components/docs/reference/operation-page'
import { catalog, siteUrl } from '../../../catalog.ts'
import { operations, sampleContext } from '../../docs.ts'

interface Props {
  params: Promise<{ operation: string }>
}

/** Model kinds by a part of the path of the endpoints that serve them. */
const KINDS: [RegExp, string][] = [
  [/images/, 'image'],
  [/videos/, 'video'],
  [/embeddings/, 'embedding'],
  [/speech/, 'speech'],
  [/transcriptions|translations/, 'transcription'],
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
  const kind = KINDS.find(([path]) => path.test(operation.path))?.[1]
  const fitting = (await catalog()).rows.find(({ modality }) => modality === kind)
  const words = { model: fitting?.id ?? model, greeting, voice: fitting?.facts.voices[0] ?? 'alloy' }
  return <OperationPage operation={operation} origin={await siteUrl()} words={words} />
}
