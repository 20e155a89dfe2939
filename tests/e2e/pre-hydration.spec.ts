import { expect, type Page, test } from '@playwright/test'
import { holdScripts } from './hold-scripts.ts'
import { PASSWORD, signUp } from './user-actions.ts'

/** Creates an account, signs out, and fills in the sign-in form before its scripts run. */
async function openFilledForm(page: Page, name: string, until: (number: number) => Promise<unknown>): Promise<string> {
  await signUp(page, name)
  const { email } = await (await page.request.get('/api/me')).json()
  await page.context().clearCookies()
  await holdScripts(page, until)
  await page.goto('/sign-in', { waitUntil: 'commit' })
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  return email
}

/** Records what a page requests from now on. */
function recordRequests(page: Page) {
  const requests: { method: string; url: string; document: boolean }[] = []
  page.on('request', (request) =>
    requests.push({
      method: request.method(),
      url: decodeURIComponent(request.url()),
      document: request.resourceType() === 'document',
    }),
  )
  return requests
}

const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in' })

test('who signs in before the scripts run is signed in when they do, once, and no field gets into an address', async ({
  page,
}) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const email = await openFilledForm(page, 'Hasty', () => promise)
  const requests = recordRequests(page)
  await signInButton(page).click()
  await signInButton(page).click()
  await expect(page.getByLabel('Email')).toHaveValue(email)
  expect(requests.filter(({ document }) => document)).toEqual([])
  resolve()
  await page.waitForURL('**/overview')
  expect(requests.filter(({ url }) => url.includes(email))).toEqual([])
  expect(requests.filter(({ url }) => url.includes('/callback/credentials'))).toHaveLength(1)
})

test('who signs in again and again while one script after the other arrives is signed in, and the page is not sent for anew', async ({
  page,
}) => {
  await openFilledForm(page, 'Hurried', (number) => new Promise((done) => setTimeout(done, 200 * number)))
  const requests = recordRequests(page)
  while (new URL(page.url()).pathname === '/sign-in') {
    await signInButton(page)
      .click({ timeout: 500 })
      .catch(() => undefined)
    await page.waitForTimeout(50)
  }
  await page.waitForURL('**/overview')
  expect(requests.filter(({ document, method }) => document && method === 'POST')).toEqual([])
})

test('an amount that is typed before the scripts run is the one that is paid, and no other field loses its text', async ({
  page,
}) => {
  await signUp(page, 'Amount')
  const { promise, resolve } = Promise.withResolvers<void>()
  await holdScripts(page, () => promise)
  await page.goto('/billing', { waitUntil: 'commit' })
  await page.getByLabel('Amount', { exact: true }).fill('50')
  await page.getByLabel('Email me below').fill('3')
  // Rendered by code that is loaded late.
  await page.getByLabel('Alert at').fill('7')
  resolve()
  await expect(page.getByRole('button', { name: 'Pay $50.00' })).toBeVisible()
  await page.getByRole('button', { name: 'Add alert' }).click()
  await expect(page.getByText(/\$7\.00/).first()).toBeVisible()
  await expect(page.getByLabel('Email me below')).toHaveValue('3')
})

test('what is searched for in the docs before the scripts run is found when they do', async ({ page }) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await holdScripts(page, () => promise)
  await page.goto('/docs/quickstart', { waitUntil: 'commit' })
  await page.getByLabel('Search the docs').fill('model_not_found')
  resolve()
  await expect(page.getByRole('link', { name: /404 model_not_found/ })).toBeVisible()
})
