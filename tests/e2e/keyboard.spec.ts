import { expect, type Page, test } from '@playwright/test'
import { expectAccessible, expectNoViolations } from './measure.ts'
import { signUp } from './user-actions.ts'

/** Presses Tab until the focus is on the element with this role and name, as somebody without a mouse would. */
async function tabTo(page: Page, role: 'link' | 'button' | 'textbox', name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name }).first()
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not come to the ${role} ${name}`)
}

test('from signing up over a first key to the history, with keys alone', async ({ page, request }) => {
  await page.goto('/')
  await tabTo(page, 'link', 'Create an account')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sign-up')
  await tabTo(page, 'textbox', 'Name')
  await page.keyboard.type('Keys Only')
  await tabTo(page, 'textbox', 'Email')
  await page.keyboard.type(`keys-only-${Date.now()}@example.com`)
  await tabTo(page, 'textbox', 'Password')
  await page.keyboard.type('correct horse battery')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/overview')

  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await page.keyboard.press('Control+k')
  await expect(palette).toBeVisible()
  await page.keyboard.type('create a key')
  await expect(palette.getByRole('option', { selected: true })).toHaveText('Create a key')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('Typed')
  await page.keyboard.press('Enter')
  const secret = (await page.getByTestId('secret').textContent()) ?? ''
  expect(secret).toMatch(/^sk-tg-/)
  await tabTo(page, 'button', /stored|kept|copied it/i)
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('secret')).toHaveCount(0)

  const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }
  const answer = await request.post('/v1/chat/completions', { data: body, headers: { authorization: `Bearer ${secret}` } })
  expect(answer.status()).toBe(200)

  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.waitForURL('**/history')
  await expect(page.locator('[data-row]')).toHaveCount(1)
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/[?&]id=req_/)
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/[?&]id=req_/)
  await page.keyboard.press('f')
  await expect(page.getByRole('dialog', { name: 'Filter requests' })).toBeVisible()
})

test('the palette finds pages, keys, models, the docs and requests, and does things', async ({ page }) => {
  await signUp(page, 'Palette')
  const search = page.getByRole('button', { name: 'Search…' })
  await search.click()
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  const field = palette.getByRole('combobox')
  await expect(field).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(search).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(field).toBeFocused()
  await field.fill('sandbox/chat')
  await expect(palette.getByRole('option', { name: /^sandbox\/chat/ }).first()).toBeVisible()
  await field.fill('model_not_found')
  await expect(palette.getByRole('group', { name: 'Docs' }).getByRole('option').first()).toBeVisible()
  await field.fill('req_0123abc')
  await expect(palette.getByRole('option', { name: 'Open the request req_0123abc' })).toBeVisible()
  await field.fill('zzzz')
  await expect(palette.getByText('No results')).toBeVisible()
  await field.fill('dark')
  await page.keyboard.press('Enter')
  await expect(palette).toHaveCount(0)
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('简体')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh')
})

test('keys are listed by ?, do nothing while something is typed, and can be switched off', async ({ page }) => {
  await signUp(page, 'Listed')
  await page.goto('/history')
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(list.getByText('Next row')).toBeVisible()
  await expect(list.getByText('Go to Billing')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list).toHaveCount(0)

  await page.goto('/billing')
  await page.getByLabel('Code').fill('')
  await page.getByLabel('Code').pressSequentially('gk?')
  await expect(page.getByLabel('Code')).toHaveValue('gk?')
  await expect(page).toHaveURL(/\/billing$/)

  await page.locator('main').focus()
  await page.keyboard.press('?')
  await list.getByRole('checkbox', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await expect(list).toHaveCount(0)
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible()
  await expect(list).toHaveCount(0)
})

test('the palette and the list of keys pass axe, light and dark', async ({ page }) => {
  await signUp(page, 'Axe')
  await expectAccessible(page, '/overview')
  for (const width of [1320, 360]) {
    await page.setViewportSize({ width, height: 860 })
    for (const keys of ['Control+k', '?']) {
      await page.locator('main').focus()
      await page.keyboard.press(keys)
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectNoViolations(page)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
  }
})
