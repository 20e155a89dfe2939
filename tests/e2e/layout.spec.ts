import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect, type Locator, type Page, test } from '@playwright/test'
import { createKey, signInAsOwner, signUp } from './people.ts'

const PHONE = { width: 360, height: 780 }
const WIDE = { width: 1320, height: 860 }

const boxOf = async (what: Locator) => {
  const box = await what.boundingBox()
  if (box === null) throw new Error('not on the page')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** How far from its table's end the words of a table's last column end, of those that are shown. */
const spareOf = (table: Locator) =>
  table.evaluate((element) => {
    const shown = [...element.querySelectorAll('thead th')].filter((head) => head.getBoundingClientRect().width > 0)
    const words = document.createRange()
    words.selectNodeContents(shown.at(-1) as Element)
    return element.getBoundingClientRect().right - words.getBoundingClientRect().right
  })

/** How much of what stands in something is wider than it. */
const cutOf = (what: Locator) => what.evaluate((element) => element.scrollWidth - element.clientWidth)

const call = (request: APIRequestContext, secret: string) =>
  request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    data: { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] },
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
  const choices = await boxOf(page.getByRole('radiogroup', { name: 'What the colours tell apart' }))
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
    expect(Math.abs(await spareOf(page.getByRole('table'))), path).toBeLessThan(1)
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
  const given = await page.request.post(`/api/operator/accounts/${accountId}/grant`, { data, headers: { origin: baseURL ?? '' } })
  expect(given.ok()).toBe(true)
  await page.setViewportSize(PHONE)
  await goTo(page, `/operator/accounts/${accountId}`)
  const cardOf = (name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  for (const figure of await cardOf('Money').locator('dd').all()) expect(await cutOf(figure)).toBe(0)
  const amounts = cardOf('Transactions').getByRole('table')
  await expect(amounts).toContainText('+$999,999.123456789')
  expect(await cutOf(amounts.locator('..'))).toBe(0)
  await expect(cardOf('Log')).toContainText('$999,999.123456789 · For all that is to come')
  // Rows are as far from the edge of their card as all that stands in it.
  const requests = cardOf('Requests')
  expect((await boxOf(requests.getByRole('table'))).x).toBe((await boxOf(requests.getByRole('heading'))).x)
})
