import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect, type Locator, type Page, test } from '@playwright/test'
import { createKey, signInAsOwner, signUp } from './user-actions.ts'

const PHONE = { width: 360, height: 780 }
/** The most lines that a long name may take, and the height of a line. */
const MAX_NAME_LINES = 3
const LINE_HEIGHT_PX = 20
const WIDE = { width: 1320, height: 860 }

const boxOf = async (locator: Locator) => {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('not on the page')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** The distance between the end of the text in a table's last visible column and the end of the table. */
const spaceAfterLastColumnOf = (table: Locator) =>
  table.evaluate((element) => {
    const shown = [...element.querySelectorAll('thead th')].filter((head) => head.getBoundingClientRect().width > 0)
    const textRange = document.createRange()
    textRange.selectNodeContents(shown.at(-1) as Element)
    return element.getBoundingClientRect().right - textRange.getBoundingClientRect().right
  })

/** How much wider the content of an element is than the element. */
const overflowOf = (locator: Locator) => locator.evaluate((element) => element.scrollWidth - element.clientWidth)

const call = (request: APIRequestContext, secret: string, model = 'sandbox/chat') =>
  request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    data: { model, messages: [{ role: 'user', content: 'Hello' }] },
  })

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
}

test('on a phone filters are equally wide, a chart’s button is beside its title, and a short card leaves no gap', async ({
  page,
  request,
}) => {
  await signUp(page, 'Lay')
  const secret = await createKey(page, 'Layout')
  await call(request, secret)
  await page.setViewportSize(PHONE)
  await goTo(page, '/usage')
  const filters = await Promise.all((await page.locator('label:has(select)').all()).map(boxOf))
  expect(filters.length).toBeGreaterThan(3)
  expect(new Set(filters.map(({ width }) => Math.round(width))).size).toBe(1)
  const title = await boxOf(page.getByRole('heading', { name: 'Spent by model' }))
  const button = await boxOf(page.getByRole('button', { name: 'Show as a table' }))
  const choices = await boxOf(page.getByRole('radiogroup', { name: 'Group by' }))
  expect(Math.abs(button.y + button.height / 2 - title.y - title.height / 2)).toBeLessThan(8)
  expect(choices.y).toBeGreaterThan(title.bottom)

  await page.setViewportSize(WIDE)
  await goTo(page, '/billing')
  const balance = await boxOf(page.locator('section').filter({ has: page.getByTestId('balance') }))
  const redeem = await boxOf(page.locator('section').filter({ has: page.getByRole('heading', { name: 'Redeem a code' }) }))
  expect(Math.round(redeem.y - balance.bottom)).toBe(16)
})

test('on a phone the last column that is left ends where its table does', async ({ page }) => {
  await signInAsOwner(page)
  await page.setViewportSize(PHONE)
  for (const path of ['/operator/models', '/operator/groups']) {
    await goTo(page, path)
    expect(Math.abs(await spaceAfterLastColumnOf(page.getByRole('table'))), path).toBeLessThan(1)
  }
})

test('an account with large amounts is read on a phone: nothing is cut, or stands over something else', async ({
  page,
  browser,
  request,
  baseURL,
}) => {
  const holder = await (await browser.newContext()).newPage()
  await signUp(holder, 'Midas')
  const secret = await createKey(holder, 'Layout')
  await call(request, secret)
  const { accountId } = (await (await holder.request.get('/api/me')).json()) as { accountId: string }
  await signInAsOwner(page)
  const data = { amountNano: '999999123456789', reason: 'For all that is to come', token: randomUUID() }
  const granted = await page.request.post(`/api/operator/accounts/${accountId}/grant`, {
    data,
    headers: { origin: baseURL ?? '' },
  })
  expect(granted.ok()).toBe(true)
  await page.setViewportSize(PHONE)
  await goTo(page, `/operator/accounts/${accountId}`)
  const cardOf = (name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  for (const figure of await cardOf('Money').locator('dd').all()) expect(await overflowOf(figure)).toBe(0)
  const amounts = cardOf('Transactions').getByRole('table')
  await expect(amounts).toContainText('+$999,999.123456789')
  expect(await overflowOf(amounts.locator('..'))).toBe(0)
  await expect(cardOf('Audit log')).toContainText('$999,999.123456789 · For all that is to come')
  // Rows are as far from the edge of their card as the rest of its content.
  const requests = cardOf('Requests')
  expect((await boxOf(requests.getByRole('table'))).x).toBe((await boxOf(requests.getByRole('heading'))).x)
})

test('on a phone short figures stand side by side, and a long name of a model takes few lines, with both its ends', async ({
  page,
  request,
}) => {
  await signUp(page, 'Longa')
  const secret = await createKey(page, 'Layout')
  const name = 'accounts/fireworks/models/llama-v3p1-nemotron-ultra-405b-instruct-turbo-preview-2026-05'
  for (const one of [name, name, name.replace('2026-05', '2026-06')])
    expect((await call(request, secret, one)).status()).toBe(404)
  await page.setViewportSize(PHONE)
  await goTo(page, '/overview')
  const cardOf = (title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
  const [balance, spent, requests, first] = await Promise.all(
    ['Balance', 'Spent', 'Requests', 'First token, median'].map((title) => boxOf(cardOf(title))),
  )
  expect(requests?.y).toBe(spent?.y)
  expect(requests?.x).toBeGreaterThan(spent?.right ?? 0)
  for (const wide of [balance, first]) expect(wide?.width).toBe((requests?.right ?? 0) - (spent?.x ?? 0))

  for (const path of ['/overview', '/history', '/usage?measure=errors']) {
    await goTo(page, path)
    const cell = page.getByRole('cell', { name }).last()
    await expect(cell, path).toBeVisible()
    const shown = cell.locator('[title]')
    await expect(shown).toHaveText(/^accounts.*….*2026-05$/)
    await expect(shown).toHaveAttribute('title', name)
    expect((await boxOf(shown)).height, path).toBeLessThanOrEqual(MAX_NAME_LINES * LINE_HEIGHT_PX)
  }
  // The names in a chart's legend begin alike.
  const legend = page.getByRole('list', { name: 'Series: press to hide or show' })
  await expect(legend.locator('[title]')).toHaveText([/….*2026-05$/, /….*2026-06$/])
})

test('on a phone the catalog tells long names apart, and a model’s page has the whole of its own', async ({ page, baseURL }) => {
  await signInAsOwner(page)
  const maker = `layout-${Date.now()}`
  const ids = ['70b', '405b'].map((size) => `${maker}/accounts/fireworks/models/llama-v3p1-nemotron-ultra-${size}`)
  for (const id of ids) {
    const fields = { ownedBy: 'layout', modality: 'chat', contextWindow: 8192, maxOutput: 1024 }
    const data = { ...fields, id, rates: { input: '1000000000', output: '2000000000' } }
    const created = await page.request.post('/api/operator/models', { data, headers: { origin: baseURL ?? '' } })
    expect(created.ok(), await created.text()).toBe(true)
  }
  await page.setViewportSize(PHONE)
  await goTo(page, '/operator/models')
  const names = page.locator(`[data-model^="${maker}/"] a [title]`)
  await expect(names).toHaveText([/^layout-.*….*ultra-405b$/, /^layout-.*….*ultra-70b$/])
  for (const name of await names.all()) expect(await overflowOf(name)).toBe(0)
  await page.getByRole('link', { name: ids[0] ?? '' }).click()
  const fullName = page
    .getByRole('main')
    .getByText(ids[0] ?? '', { exact: true })
    .last()
  await expect(fullName).toBeInViewport()
  expect(await overflowOf(fullName)).toBe(0)
  for (const id of ids) {
    const query = new URLSearchParams({ id, version: '1' })
    const deleted = await page.request.delete(`/api/operator/models?${query}`, { data: {}, headers: { origin: baseURL ?? '' } })
    expect(deleted.ok(), await deleted.text()).toBe(true)
  }
})
