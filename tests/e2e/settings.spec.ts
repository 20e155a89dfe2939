import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible, expectNoViolations } from './measure.ts'
import { createKey, signUp } from './user-actions.ts'

async function addEndpoint(page: Page, url: string): Promise<string> {
  await page.goto('/settings/webhooks')
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add an endpoint' })
  await dialog.getByLabel('URL').fill(url)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const secret = (await page.getByTestId('webhook-secret').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have stored it' }).click()
  return secret
}

test('an endpoint is added, tested, switched off and on again, given a new secret and removed', async ({ page }) => {
  await signUp(page, 'Hooks')
  await page.goto('/settings/webhooks')
  await expect(page.getByText('No endpoints yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an endpoint' })
  await dialog.getByLabel('URL').fill('http://hooks.example.invalid/')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('Enter a URL that begins with https://.')).toBeVisible()
  await dialog.getByLabel('URL').fill('https://127.0.0.1/')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('numeric addresses are not accepted')).toBeVisible()
  await dialog.getByLabel('URL').fill('https://hooks.example.invalid/tollgate')
  await dialog.getByLabel('Description').fill('The shop')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const secret = (await page.getByTestId('webhook-secret').textContent()) ?? ''
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(page.getByText(secret)).toHaveCount(0)

  // This host does not exist: the delivery log says so, and when the next attempt is.
  await page.getByRole('button', { name: 'Send a test' }).click()
  const row = page.locator('[data-delivery]').first()
  await expect(row).toContainText('webhook.test')
  await row.getByRole('button').first().click()
  await expect(row).toContainText(/The host name (does not exist|could not be looked up)/, { timeout: 20_000 })
  await expect(row).toContainText('Next try at')
  await expect(row).toContainText('"amount": "0.000000001"')

  const hook = page.locator('[data-webhook]')
  await hook.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Turn off' }).click()
  await expect(hook).toContainText('turned off')
  await expect(row).toContainText('dropped')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(hook.getByRole('button', { name: 'Send a test' })).toBeVisible()

  const newSecret = page.getByRole('menuitem', { name: 'New secret' })
  // The list may be drawn again at this moment, which closes its menus.
  await expect(async () => {
    await hook.getByRole('button', { name: /^More for/ }).click({ timeout: 1000 })
    await newSecret.click({ timeout: 1000 })
  }).toPass()
  await page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }).click()
  await expect(page.getByTestId('webhook-secret')).not.toHaveText(secret)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(hook).toContainText('The old secret also signs')

  await hook.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No endpoints yet')).toBeVisible()
})

test('mails are switched, kept, and switched back by undo', async ({ page }) => {
  await signUp(page, 'Mails')
  await page.goto('/settings/notifications')
  const box = page.getByRole('checkbox', { name: 'Low balance' })
  await expect(box).toBeChecked()
  await box.click()
  await expect(page.getByText('Saved')).toBeVisible()
  await page.reload()
  await expect(box).not.toBeChecked()
  await box.click()
  await expect(box).toBeChecked()
  // Another setting is changed afterwards: the first Undo is about the first setting alone.
  const undo = page.getByRole('button', { name: 'Undo' })
  await expect(undo).toBeVisible()
  const receipts = page.getByRole('checkbox', { name: 'Top-ups' })
  await receipts.click()
  await expect(receipts).not.toBeChecked()
  await expect(undo).toHaveCount(2)
  // The newest message covers the others until the pointer is over them.
  await undo.first().hover()
  await undo.last().click()
  await expect(box).not.toBeChecked()
  await expect(receipts).not.toBeChecked()
  await page.reload()
  await expect(box).not.toBeChecked()
  await expect(receipts).not.toBeChecked()
})

test('an account takes its data along and is closed, with its balance given up, and nobody can sign in', async ({
  page,
  request,
}) => {
  await signUp(page, 'Leaver')
  const secret = await createKey(page, 'Last')
  const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Goodbye' }] }
  const call = () => request.post('/v1/chat/completions', { data: body, headers: { authorization: `Bearer ${secret}` } })
  expect((await call()).status()).toBe(200)

  await page.goto('/settings/data')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download everything' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^tollgate-\d{4}-\d\d-\d\d\.jsonl$/)
  const lines = (await readFile(await download.path(), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['profile', 'key', 'transaction', 'request', 'end']))
  const { email } = lines[0]

  await page.getByLabel('Confirm your address').fill(email)
  await page.getByLabel('Password').fill('wrong horse battery')
  await page.getByRole('button', { name: 'Close the account' }).click()
  await expect(page.getByText('Confirm that you give up the balance')).toBeVisible()
  const given = page.getByRole('checkbox', { name: /I give up the balance of/ })
  await given.click()
  await page.getByRole('button', { name: 'Close the account' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Close the account' }).click()
  await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await expect(given).toBeChecked()
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Close the account' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Close the account' }).click()
  await page.waitForURL('**/sign-in*')
  await expect(page.getByText('Your account is closed.')).toBeVisible()
  await expect.poll(async () => (await call()).status()).toBe(401)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Incorrect email or password.')).toBeVisible()
})

test('these settings pass axe and fit, light and dark', async ({ page }) => {
  test.setTimeout(300_000)
  await signUp(page, 'Settings')
  await expectAccessible(page, '/settings/webhooks')
  await addEndpoint(page, 'https://hooks.example.invalid/a/rather/long/path/that/has/to/break')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.locator('[data-delivery]')).toHaveCount(1)
  for (const path of ['/settings/webhooks', '/settings/notifications', '/settings/data']) await expectAccessible(page, path)
  await page.goto('/settings/webhooks')
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  await expectNoViolations(page)
})
