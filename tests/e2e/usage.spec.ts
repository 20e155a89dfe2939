import { readFile } from 'node:fs/promises'
import { type APIRequestContext, expect, type Route, test } from '@playwright/test'
import { expectAccessible } from './measure.ts'
import { createKey, signUp } from './user-actions.ts'

async function call(request: APIRequestContext, secret: string, model = 'sandbox/chat'): Promise<number> {
  const answer = await request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    data: { model, messages: [{ role: 'user', content: 'Where is the toll gate?' }] },
  })
  return answer.status()
}

test('usage by model and key, with its filters in the address, as a table and as a file', async ({ page, request }) => {
  await signUp(page, 'Una')
  await page.getByRole('link', { name: 'Usage' }).click()
  await expect(page.getByText('No usage in this period')).toBeVisible()
  const secret = await createKey(page, '=SUM(A1)')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  for (const status of [200, 200]) expect(await call(request, secret)).toBe(status)
  expect(await call(request, secret, 'sandbox/error-503')).toBe(503)

  await page.goto('/usage')
  const figures = page.getByRole('radiogroup', { name: 'Chart metric' })
  await expect(figures.getByRole('radio', { name: /^Requests 3/ })).toBeVisible({ timeout: 20_000 })
  await figures.getByRole('radio', { name: /^Errors 1/ }).click()
  await expect(page).toHaveURL(/measure=errors/)
  await expect(page.getByRole('heading', { name: 'Errors by model' })).toBeVisible()
  await figures.getByRole('radio', { name: /^Requests/ }).click()

  // The chart is one stop of the Tab key. The arrow keys reach its bars, which say what they are.
  const bars = page.getByRole('toolbar', { name: /^Requests by model/ })
  await bars.getByRole('button').last().focus()
  await expect(bars.getByRole('button').last()).toHaveAccessibleName(/: 3$/)
  await page.keyboard.press('ArrowLeft')
  await expect(bars.getByRole('button').nth(28)).toBeFocused()
  await page.getByRole('button', { name: 'sandbox/error-503', pressed: true }).click()
  await expect(bars.getByRole('button').last()).toHaveAccessibleName(/: 2$/)

  await page.getByRole('button', { name: 'Show as a table' }).click()
  const table = page.getByRole('region', { name: /^Requests by model/ })
  await expect(table.getByRole('row').nth(1)).toContainText('3')
  await expect(table.getByRole('row')).toHaveCount(31)

  const groups = page.locator('[data-group]')
  await expect(groups).toHaveCount(2)
  await groups.getByRole('button', { name: 'sandbox/chat' }).click()
  await expect(page).toHaveURL(/model=sandbox%2Fchat/)
  await expect(figures.getByRole('radio', { name: /^Requests 2/ })).toBeVisible()
  await page.getByRole('radio', { name: 'Key', exact: true }).click()
  await expect(groups).toContainText('=SUM(A1)')

  // The state in the address survives a reload, and Clear filters removes it.
  await page.reload()
  await expect(figures.getByRole('radio', { name: /^Requests 2/ })).toBeChecked()
  await expect(page.getByRole('radio', { name: 'Key', exact: true })).toBeChecked()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.getByLabel('Period')).toBeFocused()
  await expect(figures.getByRole('radio', { name: /^Requests 3/ })).toBeVisible()

  await page.goto('/usage?range=24h')
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'All requests, CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^tollgate-requests-.*\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text.trimEnd().split('\r\n')).toHaveLength(4)
  expect(text).toContain(`"'=SUM(A1)"`)
})

test('the figures of one period never stand under the name of another', async ({ page, request }) => {
  await signUp(page, 'Olga')
  const secret = await createKey(page, 'one call')
  expect(await call(request, secret)).toBe(200)
  const answers = Promise.withResolvers<void>()
  await page.route(/\/api\/(usage\?range=7d|overview\?days=7$)/, async (route) => {
    await answers.promise
    await route.fulfill({ status: 500 })
  })
  await page.goto('/usage')
  const figure = page.getByRole('radio', { name: /^Requests 1/ })
  await expect(figure).toBeVisible({ timeout: 20_000 })
  await page.getByLabel('Period').selectOption('7d')
  // The old figures stay, marked as old, until the new ones are there.
  await expect(page.locator('[aria-busy=true]')).toContainText('Requests')
  answers.resolve()
  await expect(page.getByText('This could not be loaded')).toBeVisible()
  await expect(figure).toHaveCount(0)

  await page.goto('/overview')
  await expect(page.getByText('Spent by model')).toBeVisible()
  await page.getByRole('combobox', { name: 'Period' }).click()
  await page.getByRole('option', { name: 'Last 7 days' }).click()
  await expect(page.getByText('This could not be loaded')).toBeVisible()
  await expect(page.getByText('Spent by model')).toHaveCount(0)
})

test('days of choice that are none are said to be so', async ({ page }) => {
  await signUp(page, 'Day')
  await page.goto('/usage?from=2026-02-02&to=2026-02-01')
  await expect(page.getByText('The last day is before the first.')).toBeVisible()
  await expect(page.getByLabel('From')).toHaveValue('2026-02-02')
})

test('a key is rotated with an overlap, and changed', async ({ page, request }) => {
  await signUp(page, 'Rota')
  const first = await createKey(page, 'Turning')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('link', { name: 'Turning' }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'one hour' }).click()
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  const second = (await page.getByTestId('secret').textContent()) ?? ''
  expect(second).not.toBe(first)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(page.getByText('Old secrets that are still valid')).toBeVisible()
  expect([await call(request, first), await call(request, second)]).toEqual([200, 200])
  await page.getByRole('button', { name: 'End them now' }).click()
  await expect(page.getByText('Old secrets that are still valid')).toHaveCount(0)
  await expect.poll(() => call(request, first), { timeout: 5000 }).toBe(401)
  expect(await call(request, second)).toBe(200)

  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Name').fill('Turned')
  await dialog.getByLabel('Total spending limit').fill('0.000001')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Turned' })).toBeVisible()
  await expect.poll(() => call(request, second), { timeout: 5000 }).toBe(429)

  // A change that somebody else makes while the window is open is kept.
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Name').fill('Turned again')
  const { pathname, origin } = new URL(page.url())
  const read = page.waitForResponse((answer) => answer.url().endsWith(`/api${pathname}`) && answer.request().method() === 'GET')
  await page.request.patch(`/api${pathname}`, { data: { rpm: 7 }, headers: { origin } })
  await read
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Turned again' })).toBeVisible()
  expect((await (await page.request.get(`/api${pathname}`)).json()).key).toMatchObject({ name: 'Turned again', rpm: 7 })

  // Revoking a key leaves its page, unless it fails.
  const revoke = async () => {
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  }
  const unreachable = (route: Route) => (route.request().method() === 'DELETE' ? route.abort() : route.fallback())
  await page.route(`**/api${pathname}`, unreachable)
  await revoke()
  await expect(page.getByText('“Turned again” could not be revoked')).toBeVisible()
  await page.unroute(`**/api${pathname}`, unreachable)
  await expect(page.getByRole('button', { name: 'Rotate' })).toBeVisible()
  await revoke()
  await page.waitForURL('**/keys')
})

test('usage and keys pass axe and fit, wide, middle and phone, light and dark', async ({ page, request }) => {
  test.setTimeout(300_000)
  await page.setViewportSize({ width: 1320, height: 860 })
  await signUp(page, 'Axel')
  await expectAccessible(page, '/usage')
  const secret = await createKey(page, 'Key')
  for (const model of ['sandbox/chat', 'sandbox/error-503']) await call(request, secret, model)
  const { rows } = await (await page.request.get('/api/keys')).json()
  for (const path of ['/usage', '/usage?range=24h&by=key&measure=errors', `/keys/${rows[0].id}`, '/overview'])
    await expectAccessible(page, path)
})
