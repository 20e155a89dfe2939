import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { PORT } from './log.ts'

export const PASSWORD = 'correct horse battery'

/** What a browser sends with each post of a page of this worker's gateway. */
const FROM_CONSOLE = { origin: `http://localhost:${PORT}` }

let visitorCount = 0

/** Gives a browser an address of its own, because sign-ups are counted by address. */
export async function setOwnClientAddress(page: Page): Promise<void> {
  const id = ++visitorCount
  await page.context().setExtraHTTPHeaders({ 'x-forwarded-for': `10.${(Date.now() >> 10) & 255}.${id >> 8}.${id & 255}` })
}

/** Signs somebody up and in without the forms, which tests of their own fill in, and waits for the overview. */
export async function signUp(page: Page, name: string): Promise<void> {
  const email = `${name.toLowerCase()}-${Date.now()}@example.com`
  await setOwnClientAddress(page)
  expect(
    (await page.request.post('/api/sign-up', { headers: FROM_CONSOLE, data: { name, email, password: PASSWORD } })).status(),
  ).toBe(201)
  await signIn(page, email)
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

/** Signs in with a password as the form does, and waits for the overview. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  const { csrfToken } = await (await page.request.get('/api/auth/csrf')).json()
  const form = { csrfToken, email, password, json: 'true' }
  expect((await page.request.post('/api/auth/callback/credentials', { headers: FROM_CONSOLE, form })).status()).toBe(200)
  await page.goto('/overview')
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
