import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, expect, test } from '@playwright/test'
import { measure, type PageMetrics } from './measure.ts'
import { createKey, signUp } from './user-actions.ts'

const MAX_SCRIPT_KB = 300
const MAX_SHIFT = 0.02

/** The addresses of all console pages, according to its folders. */
function consolePages(keyId: string): string[] {
  const root = join(import.meta.dirname, '../../app/(console)')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /(^|\/)page\.tsx$/.test(file))
  const paths = files.map((file) => `/${file.replace(/\/?page\.tsx$/, '')}`.replace('/keys/[id]', `/keys/${keyId}`))
  return paths.sort()
}

type State = Awaited<ReturnType<ReturnType<Browser['contexts']>[number]['storageState']>>

/** Opens a page in a browser that has nothing but the session. */
async function measureInNewContext(browser: Browser, storageState: State, path: string): Promise<PageMetrics> {
  const context = await browser.newContext({ storageState })
  try {
    return await measure(await context.newPage(), path)
  } finally {
    await context.close()
  }
}

test('every page of the console costs little script and stays where it is', async ({ browser, page, request }, {
  annotations,
}) => {
  test.setTimeout(300_000)
  await signUp(page, 'Light')
  const secret = await createKey(page, 'prod-web')
  const headers = { authorization: `Bearer ${secret}` }
  for (const model of ['sandbox/chat', 'sandbox/error-503'])
    await request.post('/v1/chat/completions', { headers, data: { model, messages: [{ role: 'user', content: 'Hello' }] } })
  // Requests that arrive while a page is open change its charts, and that is not measured here.
  await expect.poll(async () => (await (await page.request.get('/api/overview?days=7')).json()).requests).toBe(2)
  const { rows } = await (await page.request.get('/api/keys')).json()
  const state = await page.context().storageState()
  const paths = consolePages(rows[0].id)
  expect(paths).toEqual(expect.arrayContaining(['/overview', '/settings/webhooks', `/keys/${rows[0].id}`]))
  for (const path of paths) {
    // The first visitor of a server waits for its code to be loaded.
    expect((await page.request.get(path)).status(), path).toBe(200)
    const { scriptBytes, largestPaintMs, layoutShift } = await measureInNewContext(browser, state, path)
    // Paint times are not judged here, because other things run meanwhile: `npm run paint` measures them.
    const figures = `${(scriptBytes / 1024).toFixed(1)} KB, ${largestPaintMs.toFixed(0)} ms, shift ${layoutShift.toFixed(4)}`
    annotations.push({ type: path, description: figures })
    expect.soft(scriptBytes, `${path}: script`).toBeGreaterThan(10_000)
    expect.soft(scriptBytes / 1024, `${path}: KB of script`).toBeLessThanOrEqual(MAX_SCRIPT_KB)
    expect.soft(layoutShift, `${path}: layout shift`).toBeLessThan(MAX_SHIFT)
  }
})
