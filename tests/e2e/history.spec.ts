import { type APIRequestContext, expect, test } from '@playwright/test'
import { panelOf, post, rowsOf, signUpWithKey } from './history-page.ts'
import { expectAccessible } from './measure.ts'

const MARKDOWN =
  'Read **this**:\n\n- [a link](https://example.com/a)\n- ![a cat](https://example.com/cat.png)\n\n```ts\nconst a = 1\n```\n\n<b>no</b>'

const chat = (request: APIRequestContext, secret: string, model = 'sandbox/chat', content = MARKDOWN) =>
  post(request, secret, '/v1/chat/completions', { model, messages: [{ role: 'user', content }] })

test('the empty history notices the first request, and more that come in, unless it is paused', async ({ page, request }) => {
  const secret = await signUpWithKey(page, 'Tail')
  await page.goto('/history')
  await expect(page.getByText('Waiting for the first request')).toBeVisible()
  await chat(request, secret)
  await expect(rowsOf(page)).toHaveCount(1, { timeout: 10_000 })
  await chat(request, secret)
  await expect(rowsOf(page)).toHaveCount(2, { timeout: 10_000 })

  await page.getByRole('button', { name: /Pause the list/ }).click()
  const resume = page.getByRole('button', { name: /Resume the list/ })
  await expect(resume).toBeVisible()
  for (let count = 0; count < 10; count++) await chat(request, secret)
  // The records are there, and the list does not show them.
  await expect.poll(async () => (await (await page.request.get('/api/requests')).json()).rows.length).toBe(12)
  await expect(rowsOf(page)).toHaveCount(2)
  await resume.click()
  await expect(rowsOf(page)).toHaveCount(12, { timeout: 10_000 })

  // A reader who has scrolled keeps the place, and is told about new rows.
  await page.setViewportSize({ width: 1320, height: 400 })
  await rowsOf(page).last().scrollIntoViewIfNeeded()
  await chat(request, secret)
  const pill = page.getByRole('button', { name: '1 new' })
  await expect(pill).toBeVisible({ timeout: 10_000 })
  await expect(rowsOf(page)).toHaveCount(12)
  await pill.click()
  await expect(rowsOf(page)).toHaveCount(13)
  await expect(pill).toHaveCount(0)
})

test('filters live in the address, views keep them, and bars of the chart narrow them', async ({ page, request }) => {
  const secret = await signUpWithKey(page, 'Filter')
  for (const model of ['sandbox/chat', 'sandbox/error-503', 'sandbox/chat']) await chat(request, secret, model)
  await page.goto('/history')
  await expect(rowsOf(page)).toHaveCount(3)

  await page.getByRole('link', { name: 'Errors' }).click()
  await expect(rowsOf(page)).toHaveCount(1)
  expect(new URL(page.url()).search).toBe('?status=error')

  // Search, opened with its key.
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await expect(rowsOf(page)).toHaveCount(3)
  await page.keyboard.press('/')
  await page.keyboard.type('ERROR-503')
  await page.keyboard.press('Enter')
  await expect(rowsOf(page)).toHaveCount(1)
  await page.reload()
  await expect(rowsOf(page)).toHaveCount(1)
  await expect(page.getByRole('searchbox')).toHaveValue('ERROR-503')

  // A view of the search: saved, renamed, deleted, and restored.
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('all')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('A built-in view has this name.')).toBeVisible()
  await page.getByRole('dialog').getByLabel('Name').fill('Broken')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  const view = page.getByRole('link', { name: 'Broken' })
  await expect(view).toHaveAttribute('aria-current', 'page')
  await page.getByRole('button', { name: /view “Broken”/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(view).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(view).toBeVisible()
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await expect(rowsOf(page)).toHaveCount(3)
  await view.click()
  await expect(rowsOf(page)).toHaveCount(1)

  // All filters, in their dialog. A wrong one shows an error. What is not applied is lost without a question.
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Endpoint')).toBeFocused()
  await dialog.getByLabel('Minimum duration').fill('1')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await dialog.getByLabel('Minimum duration').fill('soon')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(dialog.getByText('Enter seconds such as 2.5.')).toBeVisible()
  await dialog.getByLabel('Minimum duration').fill('500')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('No matches')).toBeVisible()
  expect(new URL(page.url()).search).toBe('?took=500000')
  await page.getByRole('button', { name: /Remove filter/ }).click()
  await expect(page.getByRole('searchbox')).toBeFocused()
  await expect(rowsOf(page)).toHaveCount(3)

  // The chart, with the pointer and with keys.
  const bars = page.getByRole('toolbar', { name: /over time/ })
  const bar = bars.getByRole('button', { name: /[1-9]\d* requests?,/ }).first()
  await bar.click()
  await expect(page).toHaveURL(/from=.*&to=/)
  await expect(rowsOf(page).first()).toBeVisible()
  await page.goBack()
  await expect(page).not.toHaveURL(/from=/)
  await bars.getByRole('button').last().focus()
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/from=.*&to=/)
  await expect(rowsOf(page)).toHaveCount(3)

  // A day has fewer bars than the month from which it is chosen, under the same pointer.
  const month = { from: new Date(Date.now() - 31 * 86_400_000).toISOString(), to: new Date().toISOString() }
  await page.goto(`/history?${new URLSearchParams(month)}`)
  await expect(bars.getByRole('button')).toHaveCount(32)
  await bars.getByRole('button').nth(30).click()
  await expect(bars.getByRole('button')).toHaveCount(24)
})

test('a request is read, replayed, and its messages deleted; its receipt stays', async ({ page, request }) => {
  const secret = await signUpWithKey(page, 'Reader')
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
  const messages = [{ role: 'user', content: 'The weather?' }]
  const imageStatus = await post(request, secret, '/v1/images/generations', { model: 'sandbox/image', prompt: 'A post' })
  expect(imageStatus).toBe(200)
  expect(await chat(request, secret)).toBe(200)
  expect(
    await post(request, secret, '/v1/chat/completions', { model: 'sandbox/chat', messages, tools, tool_choice: 'required' }),
  ).toBe(200)
  await page.setViewportSize({ width: 1320, height: 860 })
  await page.goto('/history')
  await expect(rowsOf(page)).toHaveCount(3)
  await page.keyboard.press('j')
  const panel = panelOf(page)
  await expect(panel).toContainText('get_weather')
  await page.keyboard.press('j')
  await expect(panel.getByRole('link', { name: 'a link' }).first()).toHaveAttribute('rel', 'noopener noreferrer')
  await expect(panel.getByRole('link', { name: 'a cat' }).first()).toHaveAttribute('href', 'https://example.com/cat.png')
  await expect(panel.locator('strong').first()).toHaveText('this')
  await expect(panel.locator('img[src*="example.com"], b')).toHaveCount(0)
  await expect(panel.getByText('const a = 1').first()).toBeVisible()
  await expect(panel.getByRole('link', { name: 'Replay in the playground' })).toHaveAttribute('href', /\/playground\?from=req_/)

  await page.keyboard.press('j')
  await expect(panel.getByRole('link', { name: 'Replay in the playground' })).toHaveCount(1)
  const image = panel.getByRole('img', { name: /Generated image/ })
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0)
  const imageUrl = (await image.getAttribute('src')) ?? ''
  expect((await page.request.get(imageUrl)).status()).toBe(200)
  // The answer arrives after the reader has moved on to another request.
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/history/requests/*', async (route) => {
    const fetched = await route.fetch()
    await released
    await route.fulfill({ response: fetched })
  })
  await panel.getByRole('button', { name: 'Delete messages' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete messages' }).click()
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await page.keyboard.press('k')
  await expect(panel.locator('strong').first()).toHaveText('this')
  release()
  await expect(page.getByText('The messages were deleted. The receipt stays.')).toBeVisible()
  await expect(panel.locator('strong').first()).toHaveText('this')
  await page.keyboard.press('j')
  await expect(panel).toContainText('Messages deleted. The receipt stays.')
  await expect(panel).toContainText('Charged')
  expect((await page.request.get(imageUrl)).status()).toBe(404)
  await expect(panel.getByRole('link', { name: 'Replay in the playground' })).toHaveCount(0)

  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
})

test('history can be switched off at once, and all of it deleted', async ({ page, request }) => {
  const secret = await signUpWithKey(page, 'Quiet')
  await chat(request, secret)
  await page.goto('/history')
  await expect(rowsOf(page)).toHaveCount(1)
  const settings = page.getByRole('button', { name: 'History settings' })
  await settings.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Days to keep them').fill('400')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter a whole number of days from 1 to 365.')).toBeVisible()
  await dialog.getByLabel('Days to keep them').fill('90')
  await dialog.getByLabel('Keep messages').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('History is off')).toBeVisible()

  await chat(request, secret, 'sandbox/chat', 'a secret')
  await expect(rowsOf(page)).toHaveCount(2, { timeout: 10_000 })
  await rowsOf(page).first().click()
  await expect(panelOf(page)).toContainText('No messages were kept')
  await page.keyboard.press('Escape')
  await expect(panelOf(page)).toHaveCount(0)

  await rowsOf(page).nth(1).click()
  await expect(panelOf(page)).toContainText('const a = 1')
  await page.keyboard.press('Escape')
  await settings.click()
  await dialog.getByLabel('Type “delete” to confirm').fill('no')
  await dialog.getByRole('button', { name: 'Delete all' }).click()
  await expect(dialog.getByText('Type “delete”.')).toBeVisible()
  await dialog.getByLabel('Type “delete” to confirm').fill('delete')
  await dialog.getByRole('button', { name: 'Delete all' }).click()
  await expect(page.getByText('The messages of 1 request were deleted.')).toBeVisible()
  await rowsOf(page).nth(1).click()
  await expect(panelOf(page)).toContainText('Messages deleted.')
})

test('the history passes axe with everything open, light and dark', async ({ page, request }) => {
  test.setTimeout(300_000)
  await page.setViewportSize({ width: 1320, height: 860 })
  const secret = await signUpWithKey(page, 'Axe')
  await chat(request, secret, 'sandbox/error-503')
  await chat(request, secret)
  const { rows } = await (await page.request.get('/api/requests')).json()
  await expectAccessible(page, `/history?id=${rows[0].id}`)
  await expectAccessible(page, `/history?status=error&took=1&cost=5&code=x&q=y`)
  await expectAccessible(page, '/history?range=7d&stream=no&endpoint=chat.completions')
})

test('of a long list only the rows in sight are drawn, and J leads to all of them', async ({ page, request }) => {
  test.setTimeout(150_000)
  const secret = await signUpWithKey(page, 'Long')
  for (let round = 0; round < 23; round++)
    await Promise.all(Array.from({ length: 10 }, () => chat(request, secret, 'sandbox/chat', 'Hi')))
  await page.goto('/history')
  const more = page.getByRole('button', { name: 'Load more' })
  for (const rows of [100, 150, 200]) {
    await more.click()
    await expect(rowsOf(page)).toHaveCount(rows)
  }
  await more.click()
  await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '231')
  await expect.poll(() => rowsOf(page).count()).toBeLessThan(120)
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  expect(height).toBeGreaterThan(230 * 36)
  // The last row is drawn when it is in sight, and then the first one no longer is.
  const first = (await (await page.request.get('/api/requests?limit=1')).json()).rows[0].id as string
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
  await expect(page.getByText('No more requests.')).toBeVisible()
  await expect(page.locator(`[data-row="${first}"]`)).toHaveCount(0)
  // Each drawn row gives its position among all rows.
  await expect(rowsOf(page).last()).toHaveAttribute('aria-rowindex', '231')
  // The keys continue from the open row, wherever the reader has scrolled to.
  await page.evaluate(() => window.scrollTo(0, 0))
  const row = page.locator(`[data-row="${first}"]`)
  const topOf = () => row.evaluate((link) => link.getBoundingClientRect().top)
  const top = await topOf()
  await row.click()
  await expect(panelOf(page)).toBeVisible()
  // The filter bar has less room now but no second line: the row is where it was, and so is the page, with its notices.
  await expect.poll(async () => Math.abs((await topOf()) - top)).toBeLessThan(2)
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  // The panel moves the page when it opens, which may undo a scroll at the same moment.
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    await expect(page.locator(`[data-row="${first}"]`)).toHaveCount(0, { timeout: 1000 })
  }).toPass()
  await page.keyboard.press('j')
  await expect(page.locator('[data-row][aria-current="true"]')).toBeInViewport()
  await expect(page.locator('[data-row][aria-current="true"]')).toBeFocused()

  // A key moves into the panel, whose first control is the next one, and back to the row that it came from.
  const current = await page.locator('[data-row][aria-current="true"]').getAttribute('data-row')
  for (const key of ['Enter', 'o']) {
    await page.keyboard.press(key)
    await expect(panelOf(page)).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(panelOf(page).getByRole('button', { name: 'Close' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panelOf(page)).toHaveCount(0)
    await expect(page.locator(`[data-row="${current}"]`)).toBeFocused()
  }
  // A mouse leaves the focus where it is.
  await page.locator(`[data-row="${current}"]`).click()
  await expect(panelOf(page)).toBeVisible()
  await expect(panelOf(page)).not.toBeFocused()
})
