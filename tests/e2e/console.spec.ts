import { type APIRequestContext, expect, test } from '@playwright/test'
import { expectAccessible } from './measure.ts'
import { createKey, signUp } from './user-actions.ts'

async function call(
  request: APIRequestContext,
  secret: string,
  body: object,
): Promise<{ status: number; body: { id?: string } }> {
  const answer = await request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    data: { messages: [{ role: 'user', content: 'Where is the toll gate?' }], ...body },
  })
  return { status: answer.status(), body: await answer.json() }
}

test('from sign-up to a first call, its record, and the end of its key', async ({ page, request }) => {
  await signUp(page, 'Ada')
  await expect(page.getByText('$5.00').first()).toBeVisible()

  const secret = await createKey(page, 'My first key')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(page.getByText(secret)).toHaveCount(0)

  // The checklist notices the call by itself, without a reload.
  await page.goto('/overview')
  await expect(page.getByText('waiting')).toBeVisible()
  expect((await call(request, secret, { model: 'sandbox/chat' })).status).toBe(200)
  await expect(page.getByText('waiting')).toHaveCount(0, { timeout: 10_000 })
  expect((await call(request, secret, { model: 'sandbox/error-503' })).status).toBe(503)

  await page.goto('/history')
  const rows = page.getByRole('row').filter({ has: page.locator('[data-row]') })
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText('sandbox/error-503')
  await expect(rows.first()).toContainText('$0.000000')
  await rows.nth(1).click()
  const panel = page.getByRole('complementary').or(page.getByRole('dialog')).filter({ hasText: 'Receipt' })
  await expect(panel).toContainText('Where is the toll gate?')
  await expect(panel).toContainText('simulated model')
  await expect(panel).toContainText('Charged')
  expect(new URL(page.url()).searchParams.get('id')).toMatch(/^req_/)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)

  await page.goto('/keys')
  await page.getByRole('button', { name: /^Revoke/ }).click()
  await page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .getByRole('button', { name: /Revoke/ })
    .click()
  await expect(page.getByRole('row').getByText('Revoked').first()).toBeVisible()
  await expect.poll(async () => (await call(request, secret, { model: 'sandbox/chat' })).status, { timeout: 5000 }).toBe(401)
})

test('a wrong password says so, at the form, and gives nothing away', async ({ page }) => {
  await page.goto('/sign-in')
  for (const email of ['operator@localhost.localdomain', 'nobody@example.com']) {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('Incorrect email or password')).toBeVisible()
  }
})

test('who is not signed in is sent to sign in, and back', async ({ page }) => {
  await page.goto('/history?status=error')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
})

test('every page passes axe and fits, wide, middle and phone, light and dark', async ({ page, request }) => {
  test.setTimeout(300_000)
  const check = (path: string) => expectAccessible(page, path)
  for (const path of ['/sign-in', '/sign-up']) await check(path)
  await signUp(page, 'Grace')
  for (const path of ['/overview', '/keys', '/history', '/billing']) await check(path)
  const secret = await createKey(page, 'Key')
  const { body } = await call(request, secret, { model: 'sandbox/chat' })
  expect(body.id).toBeTruthy()
  for (const path of ['/overview', '/keys', '/history', '/billing']) await check(path)
})

test('the console speaks Chinese when asked, with the same pages', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'zh-CN' })
  const page = await context.newPage()
  await page.goto('/sign-in')
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/)
  await expect(page.getByRole('button', { name: '登录' })).toBeVisible()
  await context.close()
})

test('the console refuses what comes from elsewhere', async ({ page, request }) => {
  await signUp(page, 'Eve')
  const body = { name: 'k', groupId: 'grp_default' }
  const foreign = await page.request.post('/api/keys', { data: body, headers: { origin: 'https://evil.example' } })
  expect(foreign.status()).toBe(403)
  expect((await request.get('/api/keys')).status()).toBe(401)
  expect((await request.get('/api/requests')).status()).toBe(401)
  expect((await request.get('/api/billing')).status()).toBe(401)
  const paid = { requestId: crypto.randomUUID(), amountNano: '5000000000' }
  const pressed = await page.request.post('/api/billing/top-up', { data: paid, headers: { origin: 'https://evil.example' } })
  expect(pressed.status()).toBe(403)
  expect((await request.post('/api/stripe/webhook', { data: {} })).status()).toBe(400)
})
