import { test } from '@playwright/test'
import { expectAccessible } from './measure.ts'

test('every page of the site passes axe and fits, wide, middle and phone, light and dark', async ({ page, request }) => {
  test.setTimeout(900_000)
  const sitemap = await (await request.get('/sitemap.xml')).text()
  const all = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place = '']) => new URL(place).pathname)
  const paths = all.filter((path) => !path.startsWith('/models/') || path === '/models/sandbox/chat')
  for (const path of [...paths, '/models?compare=sandbox/chat,sandbox/error-429']) await expectAccessible(page, path)
})
