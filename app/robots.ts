import type { MetadataRoute } from 'next'
import { siteUrl } from './(site)/catalog.ts'

export const dynamic = 'force-dynamic'

/** The site is for search engines; the API, the console and what models made are not. */
export default async function robots(): Promise<MetadataRoute.Robots> {
  return {
    rules: { userAgent: '*', allow: ['/$', '/models', '/docs'], disallow: '/' },
    sitemap: `${await siteUrl()}/sitemap.xml`,
  }
}
