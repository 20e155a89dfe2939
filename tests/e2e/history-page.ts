import type { APIRequestContext, Page } from '@playwright/test'
import { createKey, signUp } from './user-actions.ts'

/** Sends a request to the API, and returns its status. */
export async function post(request: APIRequestContext, secret: string, path: string, data: object): Promise<number> {
  return (await request.post(path, { headers: { authorization: `Bearer ${secret}` }, data })).status()
}

/** The rows of the list of requests. */
export const rowsOf = (page: Page) => page.getByRole('row').filter({ has: page.locator('[data-row]') })
/** The panel of the request that is open. */
export const panelOf = (page: Page) => page.getByRole('complementary').or(page.getByRole('dialog')).filter({ hasText: 'Receipt' })

/** Signs somebody up, and returns the secret of a key. */
export async function signUpWithKey(page: Page, name: string): Promise<string> {
  await signUp(page, name)
  const secret = await createKey(page, 'prod-web')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  return secret
}
