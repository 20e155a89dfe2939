import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page, test } from '@playwright/test'
import { logFile, PORT } from './log.ts'
import { measure } from './measure.ts'
import { createKey, signInAsOwner, signUp } from './user-actions.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** The code that an example shows in a language. */
async function readExample(page: Page, language: string): Promise<string> {
  await page.getByRole('tab', { name: language }).first().click()
  return (await page.getByRole('tabpanel').first().locator('code').textContent()) ?? ''
}

test('the front page shows a call in four languages that works here, as it is', async ({ page, baseURL }) => {
  await page.goto('/')
  const codes: Record<string, string> = {}
  for (const language of ['curl', 'Python', 'TypeScript', 'Go']) {
    codes[language] = await readExample(page, language)
    expect(codes[language], language).toContain(`${baseURL}/v1`)
  }
  await page.getByRole('tab', { name: 'curl' }).click()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Python' })).toBeFocused()
  await expect(page.getByRole('tabpanel')).toContainText('from openai import OpenAI')

  await signUp(page, 'Mary')
  const env = { ...process.env, TOLLGATE_KEY: await createKey(page, 'Examples') }
  const called = await run('sh', ['-c', codes.curl ?? ''], { env })
  expect(JSON.parse(called.stdout).choices[0].message.content).toBeTruthy()
  const ran = await run(process.execPath, ['--input-type=module', '-e', codes.TypeScript ?? ''], { env, cwd: root })
  expect(ran.stdout.trim()).not.toBe('')
})

test('the receipt of the front page adds up', async ({ page }) => {
  await page.goto('/')
  const amounts = await page.locator('section', { hasText: 'What a request costs' }).locator('dd').allTextContents()
  const nano = amounts.map((text) => BigInt(text.replace(/\D/g, '')))
  const total = nano.pop()
  expect(nano.length).toBeGreaterThan(1)
  expect(nano.reduce((sum, amount) => sum + amount, 0n)).toBe(total)
})

test('the catalog is narrowed, ordered and compared by its address, and reckons what a use would cost', async ({ page }) => {
  await page.goto('/models?vendor=sandbox&q=sandbox/chat')
  const rows = page.getByRole('table', { name: 'Models' }).getByRole('row')
  await expect(rows.filter({ hasText: 'sandbox/chat' })).toHaveCount(1)
  await expect(rows.filter({ hasText: 'sandbox/error-429' })).toHaveCount(0)

  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.getByRole('searchbox')).toBeFocused()
  await expect(rows.filter({ hasText: 'sandbox/error-429' })).toHaveCount(1)
  expect(new URL(page.url()).search).toBe('')
  await page.getByLabel('Sort by').selectOption('price')
  await expect(page).toHaveURL(/sort=price/)

  for (const name of ['Compare sandbox/chat', 'Compare sandbox/error-429']) {
    const box = page.getByLabel(name, { exact: true })
    // Its state comes from the address, which changes a moment later.
    await box.click()
    await expect(box).toBeChecked()
  }
  await expect(page).toHaveURL(/compare=sandbox%2Fchat%2Csandbox%2Ferror-429/)
  const compared = page.getByRole('region', { name: 'Compare' }).filter({ hasText: 'side by side' })
  await compared.getByLabel('Input', { exact: true }).fill('1000000')
  await compared.getByLabel('Output').fill('500000')
  await compared.getByLabel('Requests').fill('10')
  // $0.10 and $0.40 per million: (0.10 + 0.20) × 10.
  await expect(compared.getByRole('row', { name: /^10 requests/ })).toContainText('$3.00')
  await compared.getByLabel('Requests').fill('ten')
  await expect(compared.getByText('Enter a whole number')).toBeVisible()

  await page.reload()
  await expect(compared).toContainText('2 models side by side')
})

test('the site is drawn by the server: it can be read without script', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) })
  const page = await context.newPage()
  await page.goto('/models?q=error-429')
  await expect(page.getByRole('link', { name: 'sandbox/error-429' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'sandbox/chat' })).toHaveCount(0)
  await page.getByRole('link', { name: 'sandbox/error-429' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('sandbox/error-429')
  await page.goto('/docs/api/chat_completions')
  await expect(page.getByText('messages', { exact: true }).first()).toBeVisible()
  expect((await page.goto('/models/no/such'))?.status()).toBe(404)
  expect((await page.goto('/docs/no-such'))?.status()).toBe(404)
  await context.close()
})

test('on a phone a page of the docs that is chosen begins with its title, below the bar', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/docs/quickstart')
  await page.locator('summary', { hasText: 'Documentation pages' }).click()
  await page.locator('details').getByRole('link', { name: 'Streaming' }).click()
  const title = page.getByRole('heading', { level: 1, name: 'Streaming' })
  await expect(title).toBeInViewport()
  const below = (await page.getByRole('banner').boundingBox())?.height ?? 0
  await expect.poll(async () => (await title.boundingBox())?.y ?? 0).toBeGreaterThan(below)
})

test('the docs are searched, linked into, and speak Chinese', async ({ page, browser, baseURL }) => {
  await page.goto('/docs')
  await expect(page).toHaveURL(/\/docs\/quickstart$/)
  await page.getByLabel('Search the docs').first().fill('model_not_found')
  await page.getByRole('link', { name: /404 model_not_found/ }).click()
  await expect(page).toHaveURL(/\/docs\/errors#unknown_model$/)
  await expect(page.locator('#unknown_model')).toBeInViewport()

  await page.goto('/docs/api/chat_completions')
  const messages = page.locator('details', { hasText: 'messages' }).first()
  await expect(messages.getByText('role: "user"').first()).toBeHidden()
  await messages.locator('summary').first().click()
  await expect(messages.getByText('role: "user"').first()).toBeVisible()

  await page.goto('/docs/webhooks')
  await expect(page.getByRole('columnheader').getByText('data', { exact: true })).toBeVisible()
  await expect(page.getByRole('main')).not.toContainText('`')

  const context = await browser.newContext({ locale: 'zh-CN', ...(baseURL ? { baseURL } : {}) })
  const chinese = await context.newPage()
  await chinese.goto('/docs/errors')
  await expect(chinese.getByRole('heading', { level: 1 })).toHaveText('错误')
  await chinese.getByRole('button', { name: /English/ }).click()
  await expect(chinese.getByRole('heading', { level: 1 })).toHaveText('Errors')
  await context.close()
})

test('an address under /api that leads nowhere answers as all others do', async ({ request }) => {
  for (const path of ['/api/nowhere', '/api/keys/key_1/more/of/it', '/api']) {
    const answer = await request.get(path)
    expect([answer.status(), answer.headers()['content-type']], path).toEqual([404, 'application/json'])
    expect(await answer.json()).toEqual({ error: { code: 'not_found', message: 'There is nothing at this address.' } })
  }
  const chinese = await request.get('/api/nowhere', { headers: { cookie: 'locale=zh' } })
  expect((await chinese.json()).error.message).toBe('此地址没有内容。')
})

test('what an address names is decoded once: a percent sign in it is one', async ({ page, request }) => {
  for (const path of ['/models/%25ff', '/models/sandbox/%25', '/operator/models/%25ff', '/keys/%25ff']) {
    const answer = await request.get(path, { maxRedirects: 0 })
    const to = answer.headers().location
    expect([path, answer.status()]).toEqual([path, path.startsWith('/models') ? 404 : 307])
    // A visitor who has to sign in first comes back to exactly this address.
    if (to !== undefined) expect(new URL(to, 'http://localhost').searchParams.get('next')).toBe(path)
  }
  const log = await readFile(logFile(PORT), 'utf8')
  expect(log.match(/URIError.*/g)).toBeNull()

  await signInAsOwner(page)
  await page.goto('/operator/models/half%2541')
  await expect(page).toHaveTitle(/^half%41 /)
})
test('an address that says no characters leads nowhere, as any other', async ({ request }) => {
  for (const path of ['/models/%ff', '/docs/%E0%A4%A', '/models/%', '/api/keys/%ff?x=%ff'])
    expect((await request.get(path)).status(), path).toBe(path.startsWith('/api') ? 401 : 404)
  for (const path of ['/models/%ff', '/nowhere', '/docs/none'])
    expect(await (await request.get(path)).text(), path).toContain('<title>Page not found · Tollgate</title>')
})

test('search engines find the site, at its own address, and nothing else', async ({ page, request, baseURL }) => {
  const robots = await (await request.get('/robots.txt')).text()
  expect(robots).toContain(`${baseURL}/sitemap.xml`)
  const sitemap = await (await request.get('/sitemap.xml', { headers: { 'x-forwarded-host': 'evil.example' } })).text()
  const urls = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place = '']) => place)
  expect(urls.length).toBeGreaterThan(15)
  for (const place of urls) {
    expect(place.startsWith(`${baseURL}/`), place).toBe(true)
    expect((await request.get(place)).status(), place).toBe(200)
  }
  await page.goto('/models')
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'index, follow')
  await page.goto('/sign-in')
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
})

for (const [path, maxKilobytes] of [
  ['/', 150],
  ['/models', 300],
  ['/models/sandbox/chat', 300],
  ['/docs/quickstart', 160],
  ['/docs/api/chat_completions', 160],
] as const)
  test(`${path} costs at most ${maxKilobytes} KB of script and stays where it is`, async ({ page }) => {
    // The first visitor of a server waits for its code to be loaded.
    await page.request.get(path)
    const { scriptBytes, layoutShift } = await measure(page, path)
    expect(scriptBytes).toBeGreaterThan(10_000)
    expect(scriptBytes / 1024).toBeLessThanOrEqual(maxKilobytes)
    expect(layoutShift).toBeLessThan(0.02)
  })
