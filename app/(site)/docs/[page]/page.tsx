import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Article } from '#components/docs/article'
import { PageBlocks } from '#components/docs/page-blocks'
import { docs, sampleContext } from '../docs.ts'

interface Props {
  params: Promise<{ page: string }>
}

async function find({ params }: Props) {
  const { page: slug } = await params
  const { content, pages } = await docs()
  const page = pages.find((each) => each.slug === slug)
  if (!page) notFound()
  return { content, page }
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { page } = await find(props)
  return { title: page.title, description: page.lead, alternates: { canonical: `/docs/${page.slug}` } }
}

export default async function Page(props: Props) {
  const { content, page } = await find(props)
  const anchors = page.blocks.flatMap((block) => (block.kind === 'heading' ? [{ id: block.id, text: block.text }] : []))
  return (
    <Article title={page.title} lead={page.lead} anchors={anchors}>
      <PageBlocks blocks={page.blocks} content={content} context={await sampleContext()} />
    </Article>
  )
}
