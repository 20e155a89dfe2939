import { test } from '@playwright/test'
import { expectAccessible } from './measure.ts'

// Together they take longer than any other file, so each worker gets some.
test.describe.configure({ mode: 'parallel', timeout: 450_000 })
const PARTS = [1, 2, 3, 4]

test.describe('every page of the site passes axe and fits, wide, middle and phone, light and dark', () => {
  for (const part of PARTS)
    test(`part ${part} of ${PARTS.length}`, async ({ page, request }) => {
      const sitemap = await (await request.get('/sitemap.xml')).text()
      const all = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place = '']) => new URL(place).pathname)
      const paths = all.filter((path) => !path.startsWith('/models/') || path === '/models/sandbox/chat')
      const own = [...paths, '/models?compare=sandbox/chat,sandbox/error-429'].filter((_, at) => at % PARTS.length === part - 1)
      for (const path of own) await expectAccessible(page, path)
    })
})
