import type { MetadataRoute } from 'next'
import { siteUrl } from './(site)/catalog.ts'

export const dynamic = 'force-dynamic'

/** Lets search engines index the site, but not the API, the console or files that models made. */
export default async function robots(): Promise<MetadataRoute.Robots> {
  return {
    rules: { userAgent: '*', allow: ['/$', '/models', '/docs'], disallow: '/' },
    sitemap: `${await siteUrl()}/sitemap.xml`,
  }
}
