import { AxeBuilder } from '@axe-core/playwright'
import { type APIRequestContext, expect, type Page, test } from '@playwright/test'

const PASSWORD = 'correct horse battery'

async function signUp(page: Page, name: string): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(`${name.toLowerCase()}-${Date.now()}@example.com`)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/overview')
}

async function createKey(page: Page, name: string): Promise<string> {
  await page.goto('/keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create' }).click()
  const secret = await page.getByTestId('secret').textContent()
  expect(secret).toMatch(/^sk-tg-\w{46}$/)
  return secret ?? ''
}

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
  await expect(page.getByText('waiting for it')).toBeVisible()
  expect((await call(request, secret, { model: 'sandbox/chat' })).status).toBe(200)
  await expect(page.getByText('waiting for it')).toHaveCount(0, { timeout: 10_000 })
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
  await expect(page.getByText('Revoked').first()).toBeVisible()
  await expect.poll(async () => (await call(request, secret, { model: 'sandbox/chat' })).status, { timeout: 1500 }).toBe(401)
})

test('a wrong password says so, at the form, and gives nothing away', async ({ page }) => {
  await page.goto('/sign-in')
  for (const email of ['operator@localhost.localdomain', 'nobody@example.com']) {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('Email or password is wrong')).toBeVisible()
  }
})

test('who is not signed in is sent to sign in, and back', async ({ page }) => {
  await page.goto('/history?status=error')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`every page passes axe and fits, wide, middle and phone, ${colorScheme}`, async ({ page, request }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const check = async (path: string) => {
      for (const width of [1320, 768, 360]) {
        await page.setViewportSize({ width, height: 860 })
        await page.goto(path)
        await page.waitForLoadState('networkidle')
        const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze()
        expect(
          violations.map((item) => `${path} ${width}: ${item.id} ${item.nodes[0]?.html}`),
          'violations of WCAG 2.2 AA',
        ).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path} at ${width}`).toBeLessThanOrEqual(width)
      }
    }
    for (const path of ['/', '/sign-in', '/sign-up']) await check(path)
    await page.setViewportSize({ width: 1320, height: 860 })
    await signUp(page, 'Grace')
    for (const path of ['/overview', '/keys', '/history']) await check(path)
    await page.setViewportSize({ width: 1320, height: 860 })
    const secret = await createKey(page, 'Key')
    const { body } = await call(request, secret, { model: 'sandbox/chat' })
    expect(body.id).toBeTruthy()
    for (const path of ['/overview', '/keys', '/history']) await check(path)
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
})
