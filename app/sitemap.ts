import type { MetadataRoute } from 'next'
import { modelPath } from '../components/models/model-path.ts'
import { catalog, siteUrl } from './(site)/catalog.ts'
import { docs, operations } from './(site)/docs/docs.ts'

export const dynamic = 'force-dynamic'

/** Lists every public page. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const [base, { pages }, all, { rows }] = await Promise.all([siteUrl(), docs(), operations(), catalog()])
  const paths = [
    '/',
    '/models',
    '/docs/api',
    ...pages.map(({ slug }) => `/docs/${slug}`),
    ...all.map(({ id }) => `/docs/api/${id}`),
    ...rows.map(({ id }) => modelPath(id)),
  ]
  return paths.map((path) => ({ url: `${base}${path}` }))
}
