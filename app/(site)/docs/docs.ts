import { getLocale, getTranslations } from 'next-intl/server'
import { cache } from 'react'
import { describeApi } from '#lib/wire/openapi'
import { contents } from '../../../components/docs/content/content.ts'
import type { DocsPart } from '../../../components/docs/docs-frame.tsx'
import { operationsOf } from '../../../components/docs/reference/operations.ts'
import type { SampleContext } from '../../../components/docs/samples.ts'
import { pickSamples } from '../../../components/site/pick-samples.ts'
import { apiBase, catalog, siteUrl } from '../catalog.ts'

/** The endpoints that there are, by the document that the API gives of itself. */
export const operations = cache(async () => operationsOf(describeApi(await siteUrl())))

/** What documentation says in the reader's language, of what this gateway has. */
export const docs = cache(async () => {
  const content = contents[await getLocale()]
  const paths = new Set((await operations()).map(({ path }) => path))
  return { content, pages: content.pages.filter(({ needs }) => needs === undefined || paths.has(needs)) }
})

/** The lists of pages and of endpoints. */
export async function docsParts(): Promise<DocsPart[]> {
  const t = await getTranslations('docs')
  const { pages } = await docs()
  return [
    { title: t('guides'), links: pages.map(({ slug, title }) => ({ href: `/docs/${slug}`, title })) },
    {
      title: t('reference.title'),
      links: (await operations()).map(({ id, method, path }) => ({
        href: `/docs/api/${id}`,
        title: path.replace(/^\/v1/, ''),
        method,
      })),
    },
  ]
}

/** What examples are written for: this gateway, and models that it sells now. */
export const sampleContext = cache(async (): Promise<SampleContext> => {
  const list = await catalog()
  const t = await getTranslations('common')
  return {
    baseUrl: await apiBase(),
    model: pickSamples(list).sample?.id ?? 'model',
    videoModel: list.rows.find(({ modality }) => modality === 'video')?.id ?? 'model',
    greeting: t('greeting'),
  }
})
