import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './measure.ts'
import { createKey, signUp } from './user-actions.ts'

/** Pays this amount by hand on the stand-in's page, and comes back. */
async function topUp(page: Page, amount: string, keepCard: boolean): Promise<void> {
  await page.goto('/billing')
  await page.getByLabel('Amount', { exact: true }).fill(amount)
  if (keepCard) await page.getByLabel('Save this card for automatic top-up').check()
  await page.getByRole('button', { name: `Pay $${amount}` }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.waitForURL('**/billing?payment=*')
  await expect(page.getByText(`$${amount} was added to the balance.`)).toBeVisible({ timeout: 15_000 })
}

test('a card that was kept tops up by itself when money is spent, without a reload', async ({ page }) => {
  await signUp(page, 'Keeper')
  const key = await createKey(page, 'spender')
  await topUp(page, '12.50', true)
  await expect(page.getByText('Visa •••• 4242', { exact: true })).toBeVisible({ timeout: 15_000 })

  await page.getByLabel('Available balance below').fill('17.50')
  await page.getByLabel('Charge', { exact: true }).fill('10')
  await page.getByLabel('Monthly limit').fill('5')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('This does not cover one payment.')).toBeVisible()
  await page.getByLabel('Monthly limit').fill('25')
  await expect(
    page.getByText('When less than $17.50 is available, $10.00 is charged to Visa •••• 4242, at most $25.00 per month.'),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Allow the payments first.')).toBeVisible()
  await page.getByLabel('I allow these payments').check()
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible()
  await expect(page.getByTestId('balance')).toHaveText('$17.50')

  await page.evaluate(() => Object.assign(window, { notReloaded: true }))
  const answer = await page.request.post('/v1/images/generations', {
    headers: { authorization: `Bearer ${key}` },
    data: { model: 'sandbox/image', prompt: 'A gate that opens by itself' },
  })
  expect(answer.status()).toBe(200)
  // The image was charged, and the payment has arrived.
  await expect(page.getByTestId('balance')).toHaveText(/^\$27\.4/, { timeout: 40_000 })
  await expect(page.getByText('$10.00 of that was charged this month (UTC).')).toBeVisible({ timeout: 15_000 })
  const row = page.locator('[data-entry]').filter({ hasText: 'Automatic top-up' })
  await expect(row).toContainText('+$10.00', { timeout: 15_000 })
  await expect(row.getByRole('link', { name: /Receipt/ })).toBeVisible({ timeout: 35_000 })
  expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true)

  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No card is saved.')).toBeVisible()
  await expect(page.getByText('Turned off because the card was removed.')).toBeVisible()
})

test('a card is saved without a payment, and an alert is added and removed', async ({ page }) => {
  await signUp(page, 'Saver')
  await page.goto('/billing')
  await expect(page.getByRole('button', { name: 'Turn on' })).toBeDisabled()
  // Coming back with the browser's back button, the user finds the page as it was, and can leave again.
  const saveCardButton = page.getByRole('button', { name: 'Save a card' })
  await page.route('**/api/billing/card', (route) => route.fulfill({ json: { url: `${page.url()}#left` } }), { times: 1 })
  await saveCardButton.click()
  await page.waitForURL('**/billing#left')
  await expect(saveCardButton).toBeDisabled()
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await saveCardButton.click()
  await expect(page.getByRole('heading', { name: 'Save a card' })).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Waiting for Stripe to confirm the card.')).toBeVisible()
  await expect(page.getByText('Visa •••• 4242', { exact: true })).toBeVisible({ timeout: 15_000 })
  // Also on a phone, whose first screen does not reach the card itself.
  await expect(page.getByText('Your card is saved.')).toBeInViewport()
  await page.getByRole('button', { name: 'Dismiss this message' }).click()
  await expect(page).toHaveURL(/\/billing$/)

  await page.getByLabel('Alert at').fill('2.50')
  await page.getByRole('button', { name: 'Add alert' }).click()
  await expect(page.getByText('$2.50 per day, whole account')).toBeVisible()
  await page.getByLabel('Alert at').fill('2.5')
  await page.getByRole('button', { name: 'Add alert' }).click()
  await expect(page.getByText('This alert already exists.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove alert: $2.50 per day, whole account' }).click()
  await expect(page.getByText('$2.50 per day, whole account')).toBeHidden()
})

test('billing with a card and an alert is accessible, light and dark, and light to load', async ({ page }) => {
  test.setTimeout(120_000)
  await signUp(page, 'Reader')
  await topUp(page, '25.00', true)
  await expect(page.getByText('Visa •••• 4242', { exact: true })).toBeVisible({ timeout: 15_000 })
  await page.getByLabel('I allow these payments').check()
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible()
  await page.getByLabel('Alert at').fill('5')
  await page.getByRole('button', { name: 'Add alert' }).click()
  await expect(page.getByText('$5.00 per day, whole account')).toBeVisible()
  await expectAccessible(page, '/billing')
})
