import { getLocale, getTranslations } from 'next-intl/server'
import { cache } from 'react'
import { describeApi } from '#lib/wire/openapi'
import { contents } from '../../../components/docs/content/content.ts'
import type { DocsSection } from '../../../components/docs/docs-frame.tsx'
import { operationsOf } from '../../../components/docs/reference/operations.ts'
import { translateOperation } from '../../../components/docs/reference/translate.ts'
import type { SampleContext } from '../../../components/docs/samples.ts'
import { pickSamples } from '../../../components/site/pick-samples.ts'
import { apiBaseUrl, catalog, siteUrl } from '../catalog.ts'

/** The endpoints, taken from the API's own OpenAPI document, with their texts in the reader's language. */
export const operations = cache(async () => {
  const { reference } = contents[await getLocale()]
  return operationsOf(describeApi(await siteUrl())).map((operation) => translateOperation(operation, reference))
})

/** The documentation in the reader's language, filled in with the data of this gateway. */
export const docs = cache(async () => {
  const content = contents[await getLocale()]
  const paths = new Set((await operations()).map(({ path }) => path))
  return { content, pages: content.pages.filter(({ needs }) => needs === undefined || paths.has(needs)) }
})

/** The navigation: the list of guides and the list of endpoints. */
export async function docsParts(): Promise<DocsSection[]> {
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

/** What code samples use: this gateway's URL and models that it currently sells. */
export const sampleContext = cache(async (): Promise<SampleContext> => {
  const { sample, videoSample } = pickSamples(await catalog())
  const t = await getTranslations('common')
  return {
    baseUrl: await apiBaseUrl(),
    model: sample?.id ?? 'model',
    videoModel: videoSample?.id ?? 'model',
    greeting: t('greeting'),
  }
})
