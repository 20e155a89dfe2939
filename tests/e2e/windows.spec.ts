import { expect, type Locator, test } from '@playwright/test'
import { signUp } from './user-actions.ts'

test('a window gives the focus back to what opened it, and what is shown once closes by its buttons only', async ({ page }) => {
  await signUp(page, 'Wim')
  await page.goto('/keys')
  const open = page.getByRole('button', { name: 'Create a key' }).first()
  const dialog = page.getByRole('dialog')
  await open.focus()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(open).toBeFocused()

  // A slip does not lose what was typed.
  await open.click()
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await dialog.getByLabel('Name').fill('Once')
  await page.keyboard.press('Escape')
  await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(dialog.getByLabel('Name')).toHaveValue('Once')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(dialog).toBeHidden()
  await expect(open).toBeFocused()
  await open.click()
  await dialog.getByLabel('Name').fill('Mistake')
  // The browser's Back button does not lose it either.
  await page.evaluate(() => window.history.back())
  await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL(/\/keys$/)

  await open.click()
  await dialog.getByLabel('Name').fill('Once')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByTestId('secret')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  await page.evaluate(() => window.history.back())
  await expect(page.getByTestId('secret')).toBeVisible()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.locator('main')).toBeFocused()

  await page.setViewportSize({ width: 390, height: 780 })
  const menu = page.getByRole('button', { name: 'Open the menu' })
  await menu.click()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menu).toBeFocused()
})

test('the browser’s way back asks before what was typed in a window is lost, also where the window is no address', async ({
  page,
}) => {
  await signUp(page, 'Bax')
  await page.goto('/overview')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
  const dialog = page.getByRole('dialog')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  const back = () => page.evaluate(() => window.history.back())
  await dialog.getByLabel('URL').fill('https://example.com/hooks')
  await back()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await expect(dialog.getByLabel('URL')).toHaveValue('https://example.com/hooks')
  await back()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL(/\/settings\/webhooks$/)

  // If nothing was typed, there is nothing to ask.
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
  await expect(dialog).toBeVisible()
  await back()
  await expect(page).toHaveURL(/\/settings$/)
  await expect(dialog).toBeHidden()
})

test('where a browser goes back without a word, a window that is an address is there again as it was typed', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'navigation'))
  await signUp(page, 'Old')
  await page.goto('/keys')
  const open = page.getByRole('button', { name: 'Create a key' }).first()
  const dialog = page.getByRole('dialog')
  await open.click()
  await dialog.getByLabel('Name').fill('Mistake')
  await page.goBack()
  await expect(dialog).toBeHidden()
  await open.click()
  await expect(dialog.getByLabel('Name')).toHaveValue('Mistake')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
})

test('a page is not left with unsaved text before its reader was asked', async ({ page }) => {
  await signUp(page, 'Una')
  await page.goto('/overview')
  await page.getByRole('link', { name: 'Settings' }).click()
  const name = page.getByLabel('Your name')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  const stay = question.getByRole('button', { name: 'Keep editing' })
  const leave = question.getByRole('button', { name: 'Leave' })
  const link = page.getByRole('link', { name: 'Usage', exact: true })
  await name.fill('Una Other')
  const ways = [
    () => link.click(),
    () => link.press('Enter'),
    () =>
      page
        .locator('main')
        .press('g')
        .then(() => page.keyboard.press('u')),
    () => page.evaluate(() => window.history.back()),
    async () => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('Usage')
      await page.keyboard.press('Enter')
    },
  ]
  for (const way of ways) {
    await way()
    await expect(stay).toBeFocused()
    await stay.click()
    await expect(question).toBeHidden()
    await expect(page).toHaveURL(/\/settings$/)
    await expect(name).toHaveValue('Una Other')
  }

  // What was refused is still unsaved; what was saved is not.
  await page.route('**/api/settings/profile', (route) => route.abort())
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('main form').getByText('The gateway did not respond.')).toBeVisible()
  await link.click()
  await stay.click()
  await page.unroute('**/api/settings/profile')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Your name was saved.')).toBeVisible()
  await link.click()
  await expect(page).toHaveURL(/\/usage/)
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(name).toHaveValue('Una Other')

  // On a phone the menu stays until the answer.
  await page.setViewportSize({ width: 390, height: 780 })
  await name.fill('Una Third')
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Keys', exact: true }).click()
  await leave.click()
  await expect(page).toHaveURL(/\/keys$/)
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.goBack()
  await expect(name).toHaveValue('Una Other')
})

test('who pressed a button stands on it still when the gateway has refused', async ({ page }) => {
  await signUp(page, 'Fay')
  await page.goto('/keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Mine')
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let sent = 0
  await page.route('**/api/keys', async (route) => {
    if (route.request().method() !== 'POST') return await route.continue()
    sent++
    await released
    await route.fulfill({ status: 429, json: { error: { code: 'rate_limit_exceeded', message: 'Later.' } } })
  })
  // Its text changes while it waits.
  const create = dialog.locator('[type=submit]')
  await create.focus()
  await page.keyboard.press('Enter')
  await expect(create).toBeDisabled()
  await expect(create).toBeFocused()
  await page.keyboard.press('Enter')
  release()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await expect(create).toBeEnabled()
  await expect(create).toBeFocused()
  expect(sent).toBe(1)
})

test('without a network a page stays as it is, says since when, and goes on by itself', async ({ page, context }) => {
  await signUp(page, 'Nina')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let fulfilled: unknown = null
  await page.route('**/api/overview?*', async (route) => {
    const response = await route.fetch()
    await released
    fulfilled = await route.fulfill({ response }).then(() => 'answered')
  })
  await page.goto('/playground')
  const prompt = page.getByPlaceholder('Ask something')
  await prompt.fill('A long thought')
  await context.setOffline(true)
  await page.getByRole('heading', { name: 'Playground' }).click()
  await expect(page.getByText('The gateway has not responded since')).toBeVisible()
  // The answer to a request from before the network failed, which arrives afterwards.
  release()
  await expect.poll(() => fulfilled).toBe('answered')
  await expect(page.getByRole('link', { name: '$5.00' })).toBeVisible()
  await expect(page.getByText('The gateway has not responded since')).toBeVisible()
  // Code that is loaded at its first use cannot be loaded now.
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByText('Part of this page did not load')).toBeVisible()
  await expect(prompt).toHaveValue('A long thought')
  // No page can be opened now, and the browser's own error page would take the text away.
  const unopened = page.getByRole('alertdialog', { name: 'The page cannot be opened now' })
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await expect(unopened).toBeVisible()
  await unopened.getByRole('button', { name: 'Try again' }).click()
  await expect(unopened).toBeVisible()
  await unopened.getByRole('button', { name: 'Stay here' }).click()
  await expect(prompt).toHaveValue('A long thought')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await expect(unopened).toBeVisible()
  await page.unroute('**/api/overview?*')
  await context.setOffline(false)
  await unopened.getByRole('button', { name: 'Try again' }).click()
  await page.waitForURL('**/history')
  await expect(page.getByText('The gateway has not responded since')).toBeHidden()
})

test('the narrowest window names its page, tells keys apart, and says which have expired', async ({ page, baseURL }) => {
  await signUp(page, 'Nora')
  const name = 'The key of the invoices in production'
  const expiresAt = new Date(Date.now() + 2000).toISOString()
  const data = { name, groupId: 'grp_default', expiresAt }
  const created = await page.request.post('/api/keys', { headers: { origin: baseURL ?? '' }, data })
  expect(created.ok()).toBe(true)
  await page.setViewportSize({ width: 320, height: 640 })
  const isFullyVisible = (what: Locator) => what.evaluate((element) => element.scrollWidth <= element.clientWidth)
  await page.goto('/keys')
  await expect(page.getByRole('row').filter({ hasText: name }).getByText('Expired').last()).toBeVisible()
  expect(await isFullyVisible(page.getByRole('link', { name }))).toBe(true)
  await page.goto('/history')
  await expect(page.getByRole('link', { name: '$5.00' })).toBeVisible()
  expect(await isFullyVisible(page.getByRole('heading', { name: 'History' }))).toBe(true)
})

test('a setting that is not right is told where it is sent, and nothing is made or charged', async ({ page }) => {
  await signUp(page, 'Ida')
  await page.goto('/playground?mode=images')
  await page.getByLabel('What to draw').fill('A gate')
  const count = page.getByLabel('Images', { exact: true })
  await count.fill('99')
  await expect(page.getByText('Enter a whole number from 1 to 10.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create' })).toBeDisabled()
  await page.keyboard.press('ControlOrMeta+Enter')
  await count.fill('1')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByTestId('image')).toHaveCount(1)
  const { rows } = await (await page.request.get('/api/requests')).json()
  expect(rows).toHaveLength(1)

  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto('/playground')
  await page.getByRole('button', { name: 'Model and parameters' }).click()
  await page.getByLabel('Temperature').fill('7')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByPlaceholder('Ask something').fill('Hi')
  await expect(page.getByText('One of the settings is invalid')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled()
})
