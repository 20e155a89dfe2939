import { expect, type Page, test } from '@playwright/test'
import { findMailedLink } from './log.ts'
import { expectAccessible, expectNoViolations } from './measure.ts'
import { codeAt, enableSecondFactor, setOwnClientAddress } from './user-actions.ts'

const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'another horse battery'
const STEP_MS = 30_000
/** A session that was revoked ends within seconds, and the page takes some too. */
const POLL_OPTIONS = { timeout: 20_000 }

async function signUp(page: Page, name: string): Promise<string> {
  const email = `${name.toLowerCase()}-${Date.now()}@example.com`
  await setOwnClientAddress(page)
  await page.goto('/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/overview')
  return email
}

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
}

async function confirmAddress(page: Page, email: string): Promise<void> {
  await page.goto(await findMailedLink(email, '/verify'))
  await expect(page.getByText('that you created the account')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await expect(page.getByText(`${email} is confirmed.`)).toBeVisible()
}

test('from sign-up over a proved address and a second step to the end of a session', async ({ page, browser }) => {
  test.setTimeout(120_000)
  const email = await signUp(page, 'Nora')
  const notice = page.getByRole('status').filter({ hasText: email })
  await expect(notice).toContainText('server’s log')
  await notice.getByRole('button', { name: 'Log it again' }).click()
  await expect(page.getByText('A new link is in the server’s log.')).toBeVisible()

  await confirmAddress(page, email)
  expect(page.url()).not.toContain('token')
  await page.getByRole('link', { name: 'To the console' }).click()
  await page.waitForURL('**/overview')
  await page.reload()
  await expect(notice).toHaveCount(0)

  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Turn on' }).click()
  const setUp = page.getByRole('dialog')
  await setUp.getByLabel('Password').fill(PASSWORD)
  await setUp.getByRole('button', { name: 'Continue' }).click()
  await setUp.getByRole('textbox', { name: 'Code' }).fill('000000')
  await setUp.getByRole('button', { name: 'Turn on' }).click()
  await expect(setUp.getByText('This is not the current code. Check the clock on your phone.')).toBeVisible()
  await setUp.getByRole('button', { name: 'Cancel' }).click()

  const { secret, recovery } = await enableSecondFactor(page)
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible()

  await signOut(page)
  await signIn(page, email)
  const code = page.getByRole('textbox', { name: 'Code' })
  await code.fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('This code is incorrect or already used.')).toBeVisible()
  await page.goto('/overview')
  await expect(page).toHaveURL(/\/sign-in/)
  await signIn(page, email)
  // The current code may be the one that turned it on. The next one is valid already.
  await code.fill(codeAt(secret, Date.now() + STEP_MS))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL('**/overview')

  // On another device, without the app.
  await page.goto('/settings/security')
  const otherContext = await browser.newContext({
    locale: 'en-US',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  const other = await otherContext.newPage()
  await signIn(other, email)
  await other.getByRole('textbox', { name: 'Code' }).fill(recovery.toLowerCase())
  await other.getByRole('button', { name: 'Continue' }).click()
  await other.waitForURL('**/overview')

  await page.reload()
  // The server renders the page: its buttons are there before they work.
  await page.waitForLoadState('networkidle')
  await expect(page.getByText('9 recovery codes are left.')).toBeVisible()
  const row = page.locator('[data-session]').filter({ hasText: 'Firefox on Linux' })
  await expect(page.locator('[data-session]')).toHaveCount(2)
  await row.getByRole('button', { name: /^End session/ }).click()
  await expect(row).toHaveCount(0)
  await expect(async () => {
    // The page may already be on its way there by itself, and a busy machine needs a moment for what leads it on.
    await other.goto('/keys').catch(() => undefined)
    await other.waitForURL('**/sign-in?**', { timeout: 5000 })
  }).toPass(POLL_OPTIONS)
  await otherContext.close()

  // Without the app, the password turns it off.
  await page.getByRole('button', { name: 'Turn off' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Use my password instead' }).click()
  const password = dialog.getByLabel('Password')
  await expect(password).toBeFocused()
  await expectNoViolations(page)
  await password.fill('not the password')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(dialog.getByText('This password is incorrect.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Use a code instead' }).click()
  await expect(dialog.getByLabel('A code from your app, or a recovery code')).toBeFocused()
  await expect(dialog.getByText('This password is incorrect.')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Use my password instead' }).click()
  await password.fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Two-step verification is off.')).toBeVisible()
})

test('a forgotten password is set by a link, once, and ends what was open', async ({ page, browser }) => {
  const email = await signUp(page, 'Paul')
  const otherPage = await (await browser.newContext({ locale: 'en-US' })).newPage()
  await otherPage.goto('/sign-in')
  await otherPage.getByRole('link', { name: 'Forgot your password?' }).click()
  for (const requestedEmail of ['nobody@example.com', email]) {
    await otherPage.goto('/forgot')
    await otherPage.getByLabel('Email').fill(requestedEmail)
    await otherPage.getByRole('button', { name: 'Send link' }).click()
    await expect(otherPage.getByText(`If ${requestedEmail} has an account here`)).toBeVisible()
  }
  const link = await findMailedLink(email, '/reset')
  await otherPage.goto(link)
  await expect(otherPage).toHaveURL(/\/reset$/)
  // The link is not spent by opening it, so a reload costs only another look at the email.
  await otherPage.reload()
  await expect(otherPage.getByText('the link still works until you use it: open it again')).toBeVisible()
  await otherPage.goto(link)
  await otherPage.getByLabel('New password').fill('short')
  await otherPage.getByRole('button', { name: 'Set password' }).click()
  await expect(otherPage.getByText('The password must have 10 to 200 characters.')).toBeVisible()
  await otherPage.getByLabel('New password').fill(NEW_PASSWORD)
  await otherPage.getByRole('button', { name: 'Set password' }).click()
  await expect(otherPage.getByText('Your new password is set.')).toBeVisible()
  await expect
    .poll(async () => {
      await page.goto('/keys')
      return new URL(page.url()).pathname
    }, POLL_OPTIONS)
    .toBe('/sign-in')
  await otherPage.goto('/docs')
  await otherPage.goto(link)
  await otherPage.getByLabel('New password').fill(NEW_PASSWORD)
  await otherPage.getByRole('button', { name: 'Set password' }).click()
  await expect(otherPage.getByText('This link is no longer valid')).toBeVisible()
  await signIn(otherPage, email, PASSWORD)
  await expect(otherPage.getByText('Incorrect email or password')).toBeVisible()
  await signIn(otherPage, email, NEW_PASSWORD)
  await otherPage.waitForURL('**/overview')
  await otherPage.context().close()
})

test('the name, the address and the password can be changed', async ({ page }) => {
  const email = await signUp(page, 'Rosa')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Your name').fill('Rosa L.')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Account' })).toContainText('Rosa L.')

  const newEmail = `moved-${email}`
  await page.getByLabel('New address').fill(newEmail)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Change address' }).click()
  await expect(page.getByText('This password is incorrect.')).toBeVisible()
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change address' }).click()
  const pending = page.getByText(`Open the link in the server’s log to change to ${newEmail}.`)
  await expect(pending).toContainText('It is valid until')
  await page.reload()
  await page.waitForLoadState('networkidle')
  await expect(pending).toBeVisible()
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Cancel the change' }).click()
  await expect(page.getByText('Its link no longer works.')).toBeVisible()
  await expect(pending).toHaveCount(0)
  await expect(page.getByLabel('New address')).toBeFocused()
  await page.getByLabel('New address').fill(newEmail)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change address' }).click()
  await expect(pending).toBeVisible()
  await page.goto(await findMailedLink(newEmail, '/verify'))
  await expect(page.getByText('From then on, you sign in with it')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await expect(page.getByText(`From now on, you sign in with ${newEmail}.`)).toBeVisible()

  await page.goto('/settings/security')
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password').fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Your password was changed')).toBeVisible()
  await signOut(page)
  await signIn(page, newEmail, NEW_PASSWORD)
  await page.waitForURL('**/overview')
})

test('who came by GitHub closes the account without a password, and may come again', async ({ page }) => {
  await setOwnClientAddress(page)
  await page.goto('/sign-in?next=%2Fsettings%2Fdata')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.waitForURL('**/settings/data')
  await page.getByLabel('Confirm your address').fill('octo@example.com')
  await expect(page.getByLabel('Password')).toHaveCount(0)
  await page.getByRole('checkbox', { name: /I give up the balance of/ }).click()
  await page.getByRole('button', { name: 'Close the account' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Close the account' }).click()
  await page.waitForURL('**/sign-in*')
  const answer = await page.request.get('/api/me')
  expect(answer.status()).toBe(401)
})

test('GitHub signs somebody up, who can then set a password', async ({ page }) => {
  await setOwnClientAddress(page)
  await page.goto('/sign-in?next=%2Fsettings%2Fsecurity')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.waitForURL('**/settings/security')
  await expect(page.getByRole('heading', { name: 'Set a password' })).toBeVisible()
  await page.getByRole('button', { name: 'Disconnect GitHub' }).click()
  await expect(page.getByText('Set a password first')).toBeVisible()
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByRole('heading', { name: 'Password', exact: true })).toBeVisible()
})

test('signing in and the settings pass axe and fit, light and dark', async ({ page }) => {
  test.setTimeout(300_000)
  for (const path of ['/sign-in?error=not_joined', '/forgot', '/reset', '/verify']) await expectAccessible(page, path)
  const email = await signUp(page, 'Tess')
  const token = 'x'.repeat(43)
  const paths = [`/reset#token=${token}`, `/verify#token=${token}`, '/settings', '/settings/security']
  for (const path of paths) await expectAccessible(page, path)
  await confirmAddress(page, email)
  await page.setViewportSize({ width: 1320, height: 860 })
  await enableSecondFactor(page)
  await expectAccessible(page, '/settings/security')
})
