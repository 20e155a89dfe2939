import { expect, type Page, test } from '@playwright/test'
import { findMailedLink } from './log.ts'
import { expectNoViolations } from './measure.ts'
import { createKey, enableSecondFactor, PASSWORD, signIn, signInAsOwner, signUp } from './user-actions.ts'

const getMe = async (page: Page) => (await (await page.request.get('/api/me')).json()) as { email: string; accountId: string }

async function confirmAddress(page: Page, email: string): Promise<void> {
  await page.goto(await findMailedLink(email, '/verify'))
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await expect(page.getByText(`${email} is confirmed.`)).toBeVisible()
}

/** Finds an account by its email address, and opens it. */
async function openAccount(page: Page, email: string): Promise<void> {
  await page.goto('/operator')
  await expect(page).toHaveURL(/\/operator\/traffic$/)
  await page.goto('/operator/accounts')
  await page.getByRole('searchbox').fill(email.toUpperCase())
  await expect(page.locator('[data-account]')).toHaveCount(1)
  await page.locator(`[data-account="${email}"]`).getByRole('link').click()
  await page.waitForURL('**/operator/accounts/acc_*')
}

test('an account is found, given and taken from, suspended so that its calls are refused, and taken up again', async ({
  page,
  browser,
  request,
}) => {
  const holder = await (await browser.newContext()).newPage()
  await signUp(holder, 'Hanna')
  const { email } = await getMe(holder)
  const secret = await createKey(holder, 'Laptop')
  const status = async () => {
    const data = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] }
    return (await request.post('/v1/chat/completions', { headers: { authorization: `Bearer ${secret}` }, data })).status()
  }
  expect(await status()).toBe(200)

  await signInAsOwner(page)
  await page.getByRole('link', { name: 'Accounts' }).click()
  await page.getByLabel('State').selectOption('Closed')
  await expect(page.getByText('No matches')).toBeVisible()
  expect(new URL(page.url()).search).toBe('?state=closed')
  await openAccount(page, email)

  // The old spending stays, marked as old, until the new answer is there.
  const answer = Promise.withResolvers<void>()
  await page.route(/\/usage\?range=30d&by=key$/, async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.getByRole('radio', { name: 'Key', exact: true }).click()
  const old = page.locator('[aria-busy=true]').filter({ hasText: 'Spent in the last 30 days' })
  await expect(old).toBeVisible()
  answer.resolve()
  await expect(old).toHaveCount(0)

  await page.getByRole('button', { name: 'Grant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Grant' }).click()
  await expect(dialog.getByText('Enter an amount above zero')).toBeVisible()
  await dialog.getByLabel('Amount').fill('25')
  await dialog.getByLabel('Reason').fill('Welcome')
  await dialog.getByRole('button', { name: 'Grant' }).dblclick()
  await expect(page.getByText('$25.00 was granted to Hanna.')).toBeVisible()
  await expect(page.locator('[data-entry]')).toHaveCount(2)
  await expect(page.locator('[data-entry]').filter({ hasText: 'Welcome' })).toHaveCount(1)

  await page.getByRole('button', { name: 'Deduct' }).click()
  await dialog.getByLabel('Amount').fill('1,000')
  await dialog.getByLabel('Reason').fill('A slip')
  await dialog.getByRole('button', { name: 'Deduct' }).click()
  await expect(dialog.getByText(/Only \$29\.\d+ is available/)).toBeVisible()
  await expectNoViolations(page)
  await dialog.getByLabel('Amount').fill('20')
  await dialog.getByRole('button', { name: 'Deduct' }).click()
  await expect(page.getByText('$20.00 was deducted from Hanna.')).toBeVisible()

  await page.getByRole('button', { name: 'Suspend' }).click()
  await dialog.getByLabel('Reason').fill('Sells our answers')
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Sells our answers' })).toBeVisible()
  await expect.poll(status).toBe(429)
  await holder.reload()
  await expect(holder.getByText('Reason: Sells our answers')).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(status).toBe(200)

  // The receipt is shown, and nothing of what was said.
  await page.reload()
  await page.locator('[data-row]').first().click()
  await expect(page.getByText('Its messages are shown only to its account.')).toBeVisible()
  await expect(dialog.getByText('Receipt')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  // A request that could not be parsed names no model, but still has a title.
  const unread = await request.post('/v1/chat/completions', { headers: { authorization: `Bearer ${secret}` }, data: {} })
  expect(unread.status()).toBe(400)
  await page.reload()
  await page.locator('[data-row]').first().click()
  await expect(dialog.getByRole('heading', { name: 'no model given' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.locator('[data-key]').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(status).toBe(401)
  await expect(page.getByText('account.suspend')).toBeVisible()
})

test('a person is made a support person, who sees all of it and has no buttons', async ({ page, browser }) => {
  const person = await (await browser.newContext()).newPage()
  await signUp(person, 'Sam')
  const { email, accountId } = await getMe(person)
  await confirmAddress(person, email)

  await signInAsOwner(page)
  await openAccount(page, email)
  await page.locator(`[data-person="${email}"]`).getByLabel('Role').selectOption('Support')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change role' }).click()
  await expect(page.getByText('Sam now has the role Support.')).toBeVisible()
  await expect(page.getByText('Not signed in')).toBeVisible()

  await expect.poll(async () => (await person.request.get('/api/me')).status()).toBe(401)
  await signIn(person, email)
  await person.goto(`/operator/accounts/${accountId}`)
  await expect(person.locator(`[data-person="${email}"]`)).toBeVisible()
  for (const name of ['Grant', 'Deduct', 'Suspend', 'Sign Sam out everywhere'])
    await expect(person.getByRole('button', { name })).toHaveCount(0)
  await person.goto('/operator/codes')
  await expect(person.getByText('No codes yet')).toBeVisible()
  await expect(person.getByRole('button', { name: 'Create codes' })).toHaveCount(0)
})

test('who lost the device and the recovery codes gets in again after an owner resets two-step verification', async ({
  page,
  browser,
}) => {
  const person = await (await browser.newContext()).newPage()
  await signUp(person, 'Lena')
  const { email } = await getMe(person)
  await confirmAddress(person, email)
  await enableSecondFactor(person)

  const elsewhere = await (await browser.newContext()).newPage()
  await elsewhere.goto('/sign-in')
  await elsewhere.getByLabel('Email').fill(email)
  await elsewhere.getByLabel('Password').fill(PASSWORD)
  await elsewhere.getByRole('button', { name: 'Sign in' }).click()
  await expect(elsewhere.getByText('ask the operator of this gateway to reset two-step verification')).toBeVisible()
  await expectNoViolations(elsewhere)

  await signInAsOwner(page)
  await openAccount(page, email)
  await page.getByRole('button', { name: 'Reset two-step verification of Lena' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('really this person who asks')
  await expectNoViolations(page)
  await question.getByRole('button', { name: 'Reset two-step verification' }).click()
  await expect(page.getByText('Two-step verification of Lena is off.')).toBeVisible()
  await expect(page.getByText('Two-step off')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reset two-step verification of Lena' })).toHaveCount(0)
  await expect(page.getByText('person.reset_second_step')).toBeVisible()

  await expect.poll(async () => (await person.request.get('/api/me')).status()).toBe(401)
  await signIn(elsewhere, email)
})

test('codes are minted and shown once, one is redeemed and another withdrawn', async ({ page, browser }) => {
  await signInAsOwner(page)
  await page.goto('/operator/codes')
  await page.getByRole('button', { name: 'Create codes' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('3')
  await dialog.getByLabel('How many').fill('2')
  await dialog.getByLabel('Note').fill('Meetup')
  // Codes are shown only once: the window stays open until they are there.
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/api/operator/codes', async (route) => {
    await answered
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Create codes' }).dblclick()
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeDisabled()
  await page.keyboard.press('Escape')
  answer()
  const codes = dialog.getByTestId('codes').getByRole('listitem')
  await expect(codes).toHaveCount(2)
  await expectNoViolations(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save as CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('codes.csv')
  const code = (await codes.first().textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have stored them' }).click()
  await expect(page.locator('[data-code]')).toHaveCount(2)
  await expect(page.locator('body')).not.toContainText(code)

  const holder = await (await browser.newContext()).newPage()
  await signUp(holder, 'Rita')
  await holder.goto('/billing')
  await holder.getByLabel('Code').fill(code)
  await holder.getByRole('button', { name: 'Redeem' }).click()
  await expect(holder.getByText('Redemption code').first()).toBeVisible()

  await page.reload()
  await expect(page.locator(`[data-code="${code.slice(0, 5)}-…"]`)).toContainText((await getMe(holder)).email)
  await page.getByRole('button', { name: 'Withdraw' }).click()
  // The only code left of its batch.
  await expect(page.getByRole('alertdialog').getByRole('checkbox')).toHaveCount(0)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.locator('[data-code]').filter({ hasText: 'Withdrawn' })).toHaveCount(1)

  await page.getByRole('button', { name: 'Create codes' }).first().click()
  await dialog.getByLabel('Amount').fill('4')
  await dialog.getByLabel('How many').fill('3')
  await dialog.getByRole('button', { name: 'Create codes' }).click()
  await dialog.getByRole('button', { name: 'I have stored them' }).click()
  await page.getByRole('button', { name: 'Withdraw' }).first().click()
  await page.getByRole('alertdialog').getByLabel('Also withdraw all other').check()
  await expectNoViolations(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('3 codes are withdrawn.')).toBeVisible()
  await expect(page.locator('[data-code]').filter({ hasText: 'Withdrawn' })).toHaveCount(4)
})
