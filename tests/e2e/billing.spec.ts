import { expect, type Page, test } from '@playwright/test'

async function signUp(page: Page): Promise<void> {
  await page.goto('/sign-up')
  await page.getByLabel('Name').fill('Payer')
  await page.getByLabel('Email').fill(`payer-${Date.now()}@example.com`)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/overview')
}

test('from a balance to Stripe’s page and back to a larger balance, without a reload', async ({ page }) => {
  await signUp(page)
  await page.getByRole('link', { name: 'Billing' }).click()
  await expect(page.getByTestId('balance')).toHaveText('$5.00')

  await page.getByLabel('Amount', { exact: true }).fill('0.50')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByText('Choose an amount from $1.00 to $10,000.00.')).toBeVisible()
  await page.getByLabel('Amount', { exact: true }).fill('12.50')
  await page.getByRole('button', { name: 'Pay $12.50' }).click()

  // The stand-in's page.
  await expect(page.getByRole('heading', { name: 'USD 12.50' })).toBeVisible()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()

  await page.waitForURL('**/billing?payment=*')
  // On a slow machine Stripe's event may arrive before the page is shown.
  const added = page.getByText('$12.50 was added to the balance.')
  await expect(page.getByText('Waiting for Stripe to confirm $12.50.').or(added)).toBeVisible()
  await page.evaluate(() => Object.assign(window, { notReloaded: true }))
  await expect(added).toBeVisible({ timeout: 15_000 })
  await expect(page.getByTestId('balance')).toHaveText('$17.50')
  const row = page.locator('[data-entry]').filter({ hasText: 'Top-up' })
  await expect(row).toContainText('+$12.50')
  expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true)

  await page.getByRole('button', { name: 'Dismiss this message' }).click()
  await expect(page).toHaveURL(/\/billing$/)
  await page.reload()
  await expect(row.getByRole('link', { name: /Invoice/ })).toHaveAttribute('href', /^https:\/\/invoice\.stripe\.example\//)
  await expect(row.getByRole('link', { name: /Receipt/ })).toBeVisible()
})

test('who leaves Stripe’s page finds what was chosen, and that nothing was paid', async ({ page }) => {
  await signUp(page)
  await page.goto('/billing')
  await page.getByLabel('Amount', { exact: true }).fill('12.50')
  await page.getByLabel('Save this card for automatic top-up').check()
  await page.getByRole('button', { name: 'Pay $12.50' }).click()
  await page.getByRole('link', { name: 'Back' }).click()
  await expect(page.getByText('Nothing was paid because you left the Stripe page.')).toBeVisible()
  await expect(page.getByLabel('Amount', { exact: true })).toHaveValue('12.5')
  await expect(page.getByLabel('Save this card for automatic top-up')).toBeChecked()
  await page.getByRole('button', { name: 'Pay $12.50' }).click()
  await expect(page.getByRole('heading', { name: 'USD 12.50' })).toBeVisible()
})

test('a code that is none says so at its field, and a low balance mark is kept', async ({ page }) => {
  await signUp(page)
  await page.goto('/billing')
  await page.getByLabel('Code').fill('AAAAA-AAAAA-AAAAA-AAAAA')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(page.getByText('This code is invalid.')).toBeVisible()
  await page.getByLabel('Email me below').fill('2.50')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('You will be emailed below $2.50')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Email me below')).toHaveValue('2.5')
})

test('with Chinese chosen a refusal is told in Chinese, and the ledger’s own words are', async ({ page }) => {
  await signUp(page)
  await page.context().addCookies([{ name: 'locale', value: 'zh', url: page.url() }])
  await page.goto('/billing')
  await page.getByRole('textbox', { name: '兑换码' }).fill('AAAAA-AAAAA-AAAAA-AAAAA')
  await page.getByRole('button', { name: '兑换', exact: true }).click()
  await expect(page.getByText('兑换码无效，请检查是否输入有误。')).toBeVisible()
  await expect(page.locator('[data-entry]').filter({ hasText: '发放额度' })).toContainText('注册额度')
})
