import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type Page, test } from '@playwright/test'
import { type Call, chatAnswer, type FakeVendor, sendJson, sendStream, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { neverRespond } from '../fakes/vendor-faults.ts'
import { PORT } from './log.ts'
import { expectAccessible, measure } from './measure.ts'
import { createKey, signInAsOwner } from './user-actions.ts'

const MODEL = 'drill/chat'
const CALLS = 120
const CONCURRENCY = 12

// The last file by name: the vendors do not outlive it, and neither do the failures it causes.
let vendors: FakeVendor[] = []
test.beforeAll(async () => {
  vendors = await Promise.all([startFakeVendor(), startFakeVendor()])
})
test.afterAll(async () => {
  for (const vendor of vendors) await vendor[Symbol.asyncDispose]()
})

/** Answers as a vendor does: after a moment, and then word by word. */
async function answerNormally(call: Call): Promise<void> {
  await sleep(20 + Math.random() * 60)
  if (call.body.stream) sendStream(call, ['All', ' is', ' well'], usageOf(300, 120))
  else sendJson(call, chatAnswer('All is well', usageOf(300, 120)))
}

async function post<T>(page: Page, path: string, data: object): Promise<T> {
  const answer = await page.request.post(`/api/operator/${path}`, { data, headers: { origin: `http://localhost:${PORT}` } })
  expect(answer.ok(), await answer.text()).toBe(true)
  return (await answer.json()) as T
}

/** Sets up a model with three deployments: one is healthy, one hangs, one refuses. */
async function createDrillModel(page: Page): Promise<void> {
  const [healthyVendor, hangingVendor] = vendors
  healthyVendor?.answer(answerNormally)
  hangingVendor?.answer(neverRespond)
  const rates = { input: '2000000000', output: '8000000000' }
  const model = { id: MODEL, ownedBy: 'drill', modality: 'chat', contextWindow: 8192, maxOutput: 1024, groupIds: ['grp_default'] }
  await post(page, 'models', { ...model, rates })
  const vendorRates = { input: '1500000000', output: '6000000000' }
  await post(page, 'prices', { modelId: MODEL, rates, vendorRates })
  const baseUrls = {
    'Drill well': healthyVendor?.url,
    'Drill hangs': hangingVendor?.url,
    'Drill refuses': 'http://127.0.0.1:9/v1',
  }
  for (const [name, baseUrl] of Object.entries(baseUrls)) {
    const times = { connectTimeoutMs: 500, headersTimeoutMs: 500 }
    const { id } = await post<{ id: string }>(page, 'connections', { name, kind: 'openai-compatible', baseUrl, ...times })
    await post(page, 'deployments', { modelId: MODEL, connectionId: id, upstreamModel: 'chat-1' })
  }
}

async function callAll(page: Page, secret: string): Promise<number[]> {
  const statuses: number[] = []
  let left = CALLS
  const caller = async () => {
    while (left-- > 0) {
      const answer = await page.request.post('/v1/chat/completions', {
        headers: { authorization: `Bearer ${secret}` },
        data: { model: MODEL, stream: left % 2 === 0, messages: [{ role: 'user', content: 'Hello' }] },
      })
      statuses.push(answer.status())
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, caller))
  return statuses
}

/** Takes screenshots of the drill if a folder for them is given. */
async function takeScreenshots(page: Page, name: string, path: string): Promise<void> {
  const folder = process.env.SCREENS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1320, 360]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 860 })
      await page.goto(path)
      await expect(page.locator('[data-group]').first()).toBeVisible()
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1320, height: 860 })
}

test('what fails is seen first, though no request does, and a deployment is held and let go', async ({ page }) => {
  test.setTimeout(180_000)
  await page.setViewportSize({ width: 1320, height: 860 })
  await signInAsOwner(page)
  const secret = await createKey(page, 'Drill')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await createDrillModel(page)
  expect(new Set(await callAll(page, secret))).toEqual(new Set([200]))

  await page.getByRole('link', { name: 'Traffic' }).click()
  await page.waitForURL('**/operator/traffic')
  const band = page.getByRole('region', { name: 'Needs attention' })
  for (const name of ['Drill hangs', 'Drill refuses']) await expect(band.getByText(name)).toBeVisible({ timeout: 30_000 })
  await expect(band.getByText(/^(Open|Retrying)/).first()).toBeVisible()
  await expect(band.getByText('no answer in time')).toBeVisible()
  await expect(band.getByText('Drill well')).toHaveCount(0)
  await takeScreenshots(page, 'traffic-drill', '/operator/traffic?range=15m')

  await page.goto('/operator/traffic?range=15m')
  await page.locator(`[data-group="${MODEL}"]`).getByRole('button').click()
  await expect(page).toHaveURL(/model=drill%2Fchat/)
  await expect(page).toHaveURL(/by=deployment/)
  const well = page.locator('[data-group]').filter({ hasText: 'Drill well' })
  await expect(well.getByText('Closed')).toBeVisible()
  await expect(page.locator('[data-measure="errors"]')).toContainText('0%')
  await page.getByRole('radio', { name: /Failed calls/ }).click()
  await expect(page).toHaveURL(/measure=failures/)
  await page.getByRole('switch', { name: 'Live' }).click()
  await expect(page).toHaveURL(/live=1/)
  await takeScreenshots(page, 'traffic-deployments', page.url())
  const refuses = page.getByText('Drill refuses', { exact: true })
  const linesOf = async (width: number) => {
    await page.setViewportSize({ width, height: 860 })
    return Math.round(((await refuses.last().boundingBox())?.height ?? 0) / 20)
  }
  for (const width of [360, 768, 1320]) expect(await linesOf(width), `the name at ${width}`).toBe(1)

  await well.getByRole('button', { name: 'Breaker of Drill well chat-1' }).click()
  await page.getByRole('menuitem', { name: 'Hold open' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hold open' }).click()
  await expect(band.getByText('Held open')).toBeVisible()
  await expect(well.getByText('Held open')).toBeVisible()
  const ask = async () =>
    (
      await page.request.post('/v1/chat/completions', {
        headers: { authorization: `Bearer ${secret}` },
        data: { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] },
      })
    ).status()
  const calls = vendors[0]?.calls.length
  await expect.poll(ask, { timeout: 20_000 }).toBe(503)
  await page.goto(`/operator/models/${MODEL}`)
  for (const width of [360, 1320]) expect(await linesOf(width), `the name at ${width}`).toBe(1)
  await expect(page.locator('[data-deployment]').filter({ hasText: 'Drill well' }).getByText('Held open')).toBeVisible()
  await page.getByRole('button', { name: 'Breaker of Drill well chat-1' }).click()
  await page.getByRole('menuitem', { name: 'Back to automatic' }).click()
  await expect.poll(ask, { timeout: 20_000 }).toBe(200)
  expect(vendors[0]?.calls.length).toBeGreaterThan(calls ?? 0)

  const row = page.locator('[data-deployment]').filter({ hasText: 'Drill well' })
  await page.getByRole('button', { name: 'Edit Drill well chat-1' }).click()
  const field = page.getByLabel('Requests per minute')
  const save = page.locator('form').filter({ has: field }).getByRole('button', { name: 'Save' })
  await field.fill('none')
  await save.click()
  await expect(page.getByText('Enter a whole number above zero, or leave empty.')).toBeVisible()
  await field.fill('1')
  await save.click()
  await expect(row.getByText('1 request/min')).toBeVisible()
  await expect(async () => {
    expect(await ask()).toBe(503)
    await page.reload()
    await expect(row.getByText('At rate limit')).toBeVisible({ timeout: 5000 })
  }).toPass({ timeout: 60_000 })
})

test('the page of traffic passes axe and fits, light and dark', async ({ page }) => {
  test.setTimeout(300_000)
  await page.setViewportSize({ width: 1320, height: 860 })
  await signInAsOwner(page)
  await expectAccessible(page, '/operator/traffic?range=15m')
  await expectAccessible(page, `/operator/traffic?range=15m&by=deployment&measure=took&model=${encodeURIComponent(MODEL)}`)
})

test('it costs at most 300 KB of script', async ({ page, browser }) => {
  await signInAsOwner(page)
  const storageState = await page.context().storageState()
  const context = await browser.newContext({ storageState })
  const { scriptBytes } = await measure(await context.newPage(), '/operator/traffic')
  await context.close()
  expect(scriptBytes).toBeGreaterThan(10_000)
  expect(scriptBytes / 1024).toBeLessThanOrEqual(300)
})
