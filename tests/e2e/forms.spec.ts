import { expect, type Locator, type Page, type Request, test } from '@playwright/test'
import { signInAsOwner } from './user-actions.ts'

interface Refusal {
  status: number
  code: string
}

/** Holds back changes under an address, and refuses them once it is told to. */
async function holdRequests(page: Page, urlPattern: string, { status, code }: Refusal) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const sent: Request[] = []
  await page.route(urlPattern, async (route) => {
    if (route.request().method() === 'GET') return await route.continue()
    sent.push(route.request())
    await released
    await route.fulfill({ status, json: { error: { code, message: 'Not now, and here is why.' } } })
  })
  return { sent, answer: release }
}

/** Presses Enter in a field of a form on a page, and checks the focus while it is sent and after it was refused. */
async function expectFocusKept(page: Page, field: Locator, urlPattern: string, text: string): Promise<void> {
  const { sent, answer: release } = await holdRequests(page, urlPattern, { status: 500, code: 'internal_error' })
  await field.fill(text)
  await field.press('Enter')
  await expect.poll(() => sent.length).toBe(1)
  await expect(field).toBeFocused()
  // Typing and pressing Enter have no effect meanwhile.
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  release()
  await expect(page.getByRole('alert').filter({ hasText: 'Not now, and here is why.' })).toBeVisible()
  await expect(field).toBeFocused()
  await expect(field).toHaveValue(text)
  expect(sent).toHaveLength(1)
  // It is an ordinary field again.
  await page.keyboard.press('End')
  await page.keyboard.type('7')
  await expect(field).toHaveValue(`${text}7`)
  await page.unroute(urlPattern)
}

test('who sends a form of the gateway with Enter stands in the field still, while it is sent and when it was refused', async ({
  page,
}) => {
  await signInAsOwner(page)
  await page.goto('/operator/settings')
  const setting = page.locator('[data-area=limits]').getByRole('textbox', { name: 'Requests per minute per key' })
  await expectFocusKept(page, setting, '**/api/operator/settings', '4321')

  await page.goto('/operator/groups')
  await page.getByRole('main').getByRole('row').getByRole('link').first().click()
  await page.waitForURL('**/operator/groups/*')
  await expectFocusKept(page, page.getByLabel('Name', { exact: true }), '**/api/operator/groups/*', 'Standard two')

  await page.goto('/operator/models')
  await page.getByRole('main').getByRole('row').getByRole('link').first().click()
  await page.waitForURL('**/operator/models/**')
  await expectFocusKept(page, page.getByLabel('Context window'), '**/api/operator/models', '123')

  await page.goto('/operator/connections')
  await page.getByRole('main').getByRole('row').getByRole('link').first().click()
  await page.waitForURL('**/operator/connections/*')
  await expectFocusKept(page, page.getByLabel('Name', { exact: true }), '**/api/operator/connections/*', 'another name')
})

test('a setting that goes back to its usual value leaves the focus in its field', async ({ page }) => {
  await signInAsOwner(page)
  await page.goto('/operator/settings')
  const limits = page.locator('[data-area=limits]')
  const field = limits.getByRole('textbox', { name: 'Requests per minute per key' })
  await field.fill('4322')
  await field.press('Enter')
  await expect(limits.getByText('Set here')).toBeVisible()
  await expect(field).toBeFocused()
  const back = limits.getByRole('button', { name: 'Requests per minute per key: reset to 1000000' })
  // Until all of the form knows that it was saved, buttons in it do nothing.
  await expect(limits.locator('fieldset[aria-disabled]')).toHaveCount(0)
  await back.focus()
  await page.keyboard.press('Enter')
  await expect(limits.getByText('Set here')).toHaveCount(0)
  await expect(field).toBeFocused()
})

test('who takes an account out of a group keeps the ones that are typed to come in', async ({ page, baseURL }) => {
  await signInAsOwner(page)
  const headers = { origin: baseURL ?? '' }
  const { email } = await (await page.request.get('/api/me')).json()
  const data = { name: `Closed ${Date.now()}`, open: false }
  const { id, version } = await (await page.request.post('/api/operator/groups', { headers, data })).json()
  const joined = await page.request.patch(`/api/operator/groups/${id}`, { headers, data: { version, addAccounts: [email] } })
  expect(joined.ok()).toBe(true)
  await page.goto(`/operator/groups/${id}`)
  const accountsField = page.getByLabel('Email addresses or account ids')
  const add = page.getByRole('button', { name: 'Add', exact: true })
  await expect(add).toBeDisabled()
  await accountsField.fill('ada@example.com, bea@example.com')
  await expect(add).toBeEnabled()
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: email })
  await row.getByRole('button').click()
  await expect(row).toHaveCount(0)
  await expect(accountsField).toHaveValue('ada@example.com, bea@example.com')
})

test('of what is new there is nothing to be seen elsewhere: a conflict leaves it as it was typed', async ({ page }) => {
  await signInAsOwner(page)
  await page.goto('/operator/alerts')
  const urlField = page.getByLabel('URL')
  await urlField.fill('https://hooks.example.com/new')
  const { answer: release } = await holdRequests(page, '**/api/operator/alert-webhooks', { status: 409, code: 'conflict' })
  await urlField.press('Enter')
  release()
  await expect(page.getByRole('alert').filter({ hasText: 'Not now, and here is why.' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'See it in another tab' })).toHaveCount(0)
  await expect(urlField).toHaveValue('https://hooks.example.com/new')
})

test('what stands in a window that scrolls keeps its height', async ({ page }) => {
  await signInAsOwner(page)
  await page.setViewportSize({ width: 360, height: 640 })
  await page.goto('/operator/models')
  await page.getByRole('button', { name: 'Add a model' }).click()
  const dialog = page.getByRole('dialog')
  const kind = dialog.getByLabel('Kind')
  // It grows to its size as it opens.
  await expect.poll(async () => (await kind.locator('..').boundingBox())?.height).toBe(36)
})

test('a field that is refused has the focus, wherever in the form it stands', async ({ page }) => {
  await signInAsOwner(page)
  await page.goto('/operator/models')
  await page.getByRole('button', { name: 'Add a model' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('fitting/one')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.locator('[aria-invalid=true]').first()).toBeFocused()
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('fitting/one')
})
