import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { PORT } from './log.ts'

export const PASSWORD = 'correct horse battery'

let visitorCount = 0

/** Gives a browser an address of its own, because sign-ups are counted by address. */
export async function setOwnClientAddress(page: Page): Promise<void> {
  const id = ++visitorCount
  await page.context().setExtraHTTPHeaders({ 'x-forwarded-for': `10.${(Date.now() >> 10) & 255}.${id >> 8}.${id & 255}` })
}

/** Signs somebody up, starting from the front page, and waits for the overview. */
export async function signUp(page: Page, name: string): Promise<void> {
  await setOwnClientAddress(page)
  await page.goto('/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(`${name.toLowerCase()}-${Date.now()}@example.com`)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForURL('**/overview')
}

/** Creates a key in the console. Returns its secret. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.goto('/keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create' }).click()
  const secret = await page.getByTestId('secret').textContent()
  expect(secret).toMatch(/^sk-tg-\w{46}$/)
  return secret ?? ''
}

/** Signs in with a password, and waits for the overview. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/overview')
}

/** Signs in as the owner that the first start created. */
export async function signInAsOwner(page: Page): Promise<void> {
  const dataDir = await readFile(join(tmpdir(), `tollgate-e2e-${PORT}`), 'utf8')
  const text = await readFile(join(dataDir, 'first-start.txt'), 'utf8')
  const [, email = '', password = ''] = /(\S+@\S+)\s+Password\s+(\S+)/.exec(text) ?? []
  await setOwnClientAddress(page)
  await signIn(page, email, password)
}

/** The code that an authenticator app shows at a time. */
export const codeAt = (secret: string, ms: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })

/** Turns on two-step verification, which uses up the current code. Returns the secret and a recovery code. */
export async function enableSecondFactor(page: Page): Promise<{ secret: string; recovery: string }> {
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Turn on' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const secret = ((await dialog.getByTestId('totp-secret').textContent()) ?? '').replaceAll(' ', '')
  await dialog.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, Date.now()))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByTestId('recovery-codes').getByRole('listitem')).toHaveCount(10)
  const recovery = (await dialog.getByRole('listitem').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'I have stored them' }).click()
  return { secret, recovery }
}
