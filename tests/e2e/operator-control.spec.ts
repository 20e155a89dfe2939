import { expect, test } from '@playwright/test'
import { expectAccessible } from './measure.ts'
import { createKey, signInAsOwner, signUp } from './user-actions.ts'

const chat = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] }

test('a setting holds at once, says where it comes from, and goes back', async ({ page, request }) => {
  await signInAsOwner(page)
  const secret = await createKey(page, 'Settings')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  const limit = async () =>
    (await request.get('/v1/models', { headers: { authorization: `Bearer ${secret}` } })).headers()['x-ratelimit-limit-requests']
  // The key's dialog is still open and hides the links.
  await page.goto('/operator/settings')
  const limits = page.locator('[data-area=limits]')
  const field = limits.getByLabel('Requests per minute per key')
  await field.fill('0')
  await limits.getByRole('button', { name: 'Save 1 change' }).click()
  await expect(limits.getByText('Enter a number from 1 to 100,000,000.')).toBeVisible()
  await field.fill('4321')
  await limits.getByRole('button', { name: 'Save 1 change' }).click()
  await expect(limits.getByText('Set here')).toBeVisible()
  await expect.poll(limit).toBe('4321')
  await limits.getByRole('button', { name: 'Requests per minute per key: reset to 1000000' }).click()
  await expect(limits.getByText('Set here')).toHaveCount(0)
  await expect.poll(limit).toBe('1000000')
  await page.goto('/operator/audit')
  await expect(page.getByText('setting.reset').first()).toBeVisible()
})

test('maintenance closes the API, everybody reads the notice, and both end', async ({ page, request, browser, baseURL }) => {
  const other = await browser.newContext(baseURL ? { baseURL } : {})
  const holder = await other.newPage()
  await signUp(holder, 'Mika')
  const secret = await createKey(holder, 'Maintained')
  const status = async () =>
    (await request.post('/v1/chat/completions', { headers: { authorization: `Bearer ${secret}` }, data: chat })).status()
  await signInAsOwner(page)
  await page.goto('/operator/settings')
  await page.getByLabel('Text').fill('We move house at noon.')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'We move house at noon.' })).toBeVisible()
  await page.getByRole('button', { name: 'Start maintenance' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Start maintenance' }).click()
  await expect(page.getByText('Maintenance is on')).toBeVisible()
  try {
    await expect.poll(status).toBe(503)
    await holder.goto('/overview')
    await expect(holder.getByText('We move house at noon.')).toBeVisible()
    await expect(holder.getByText('The gateway is closed for maintenance')).toBeVisible()
  } finally {
    await page.getByRole('button', { name: 'End maintenance' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
  }
  await expect.poll(status).toBe(200)
  await expect(page.getByText('We move house at noon.')).toHaveCount(0)
  await other.close()
})

test('a rule of alerts is made, changed and removed, and an endpoint gets its secret once', async ({ page }) => {
  await signInAsOwner(page)
  await page.getByRole('link', { name: 'Alerts', exact: true }).click()
  const none = page.getByText('No rules yet')
  const left = page.locator('[data-rule]').getByRole('button', { name: /^Remove/ })
  // A first attempt that failed may have left its rule.
  await expect(none.or(left.first())).toBeVisible()
  if (await left.first().isVisible()) await left.first().click()
  await expect(none).toBeVisible()
  await page.getByRole('button', { name: 'Add a rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Condition').selectOption('errors')
  await dialog.getByLabel('Above, %').fill('500')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('Enter a share above 0')).toBeVisible()
  await dialog.getByLabel('Above, %').fill('12.5')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const rule = page.locator('[data-rule]')
  await expect(rule).toContainText(
    'More than 12.5% of requests to the whole gateway fail within 5 minutes, out of at least 20 requests',
  )
  await expect(page.getByText('No mail server is set up')).toBeVisible()
  await rule.getByRole('button', { name: /^Edit/ }).click()
  await dialog.getByLabel('Enabled').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(rule).toContainText('Off')
  await expectAccessible(page, '/operator/alerts')
  await rule.getByRole('button', { name: /^Remove/ }).click()
  await expect(rule).toHaveCount(0)

  await page.getByLabel('URL').fill('http://hooks.example.com/x')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Enter an address that begins with https://.')).toBeVisible()
  await page.getByLabel('URL').fill('https://hooks.example.com/x')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByTestId('webhook-secret')).toHaveText(/^whsec_/)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /stored/i })
    .click()
  await page.getByRole('button', { name: 'Remove: https://hooks.example.com/x' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.locator('[data-alert-webhook]')).toHaveCount(0)
})

test('the settings are accessible at every width', async ({ page }) => {
  await signInAsOwner(page)
  await expectAccessible(page, '/operator/settings')
})
