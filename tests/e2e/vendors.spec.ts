import { expect, type Page, test } from '@playwright/test'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { expectAccessible, measure } from './measure.ts'
import { createKey, signInAsOwner, signUp } from './user-actions.ts'

// The last file but one by name: from here on the catalog has a vendor that does not outlive these tests.
let vendor: FakeVendor
test.beforeAll(async () => {
  vendor = await startFakeVendor()
  vendor.answer((call) => {
    if (!call.path.endsWith('/models')) return sendJson(call, chatAnswer('Hello from the vendor.', usageOf(1000, 1000)))
    if (call.headers.authorization !== 'Bearer sk-right') return sendJson(call, { error: { message: 'no' } }, 401)
    sendJson(call, { object: 'list', data: ['gpt-4o', 'mystery-1'].map((id) => ({ id, object: 'model' })) })
  })
})
test.afterAll(() => vendor[Symbol.asyncDispose]())

test('a vendor is connected, a mistake in its key is named, its models are taken over, and a key calls one', async ({
  page,
  request,
}) => {
  test.setTimeout(120_000)
  await signInAsOwner(page)
  await page.goto('/operator/connections')
  await page.getByRole('button', { name: 'Connect a vendor' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^OpenAI api/ }).click()
  await dialog.getByLabel('Name').fill('acme')
  await dialog.getByLabel('Base URL').fill(vendor.url)
  await dialog.getByLabel('API key').fill('sk-wrong')
  // A test that does not finish leaves a connection, which the next click changes.
  await page.route('**/api/operator/connections/*/test', (route) => route.abort(), { times: 1 })
  await dialog.getByRole('button', { name: 'Connect and test' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByRole('button', { name: 'Connect and test' }).click()
  await expect(dialog.getByText('The vendor rejected the credentials')).toBeVisible()
  await dialog.getByLabel('API key').fill('sk-right')
  await dialog.getByRole('button', { name: 'Connect and test' }).click()
  await expect(dialog.getByText(/The vendor answers: 2 models/)).toBeVisible()

  await dialog.getByLabel('Select gpt-4o').check()
  await dialog.getByLabel('Select mystery-1').check()
  await expect(dialog.getByText('“mystery-1” has no valid price yet')).toBeVisible()
  const price = dialog.getByLabel('Input of mystery-1, in dollars')
  await expect(price).toHaveAccessibleDescription('/ M tokens Enter a price.')
  await price.fill('1,5')
  await price.blur()
  await expect(price).toHaveAccessibleDescription(/Enter a price in digits/)
  await expect(dialog.getByRole('button', { name: 'Import 2' })).toBeDisabled()
  await price.fill('1')
  await expect(price).not.toHaveAttribute('aria-invalid')
  await dialog.getByLabel('Output of mystery-1, in dollars').fill('2')
  await dialog.getByRole('button', { name: 'Import 2' }).click()
  await page.waitForURL('**/operator/connections/con_*')
  await expect(page.getByRole('heading', { name: 'acme' })).toBeVisible()
  await expect(page.locator('body')).not.toContainText('sk-right')
  for (const _ of ['after the dialog has compared', 'and again']) {
    const offers = page.waitForResponse((answer) => answer.url().endsWith('/offers'))
    await page.getByRole('button', { name: 'Compare now' }).click()
    expect((await offers).status()).toBe(200)
  }

  const secret = await createKey(page, 'First call')
  const answer = async () =>
    request.post('/v1/chat/completions', {
      headers: { authorization: `Bearer ${secret}` },
      data: { model: 'acme/mystery-1', max_tokens: 1000, messages: [{ role: 'user', content: 'Hi' }] },
    })
  await expect.poll(async () => (await answer()).status()).toBe(200)
  // A thousand tokens each way, at $1 and $2 per million.
  expect((await answer()).headers()['x-tollgate-cost']).toBe('0.003')
})

/** Answers the question whether a price is meant that is many times the one in force, or a fraction of it. */
async function confirmPrice(page: Page, line: string, answer: 'Cancel' | 'Set the price') {
  const confirmation = page.getByRole('alertdialog', { name: 'Is this price right?' })
  await expect(confirmation).toContainText(line)
  await confirmation.getByRole('button', { name: answer }).click()
  await expect(confirmation).toHaveCount(0)
}

test('a price is set as a version, a group is made, and both are in the log', async ({ page }) => {
  await signInAsOwner(page)
  await page.goto('/operator/models/sandbox/chat')
  const versions = page.locator('[data-price]')
  await expect(versions.first()).toContainText('In force')
  const before = await versions.count()
  await page.getByRole('button', { name: 'Set a price' }).click()
  await page.getByLabel('Input', { exact: true }).fill('0.75')
  await page.getByLabel('Note').fill('Dearer')
  await page.getByRole('button', { name: 'Set the price' }).click()
  await confirmPrice(page, '→ $0.75 / M tokens', 'Set the price')
  await expect(versions).toHaveCount(before + 1)
  await expect(versions.first()).toContainText('In force')
  await expect(versions.first()).toContainText('$0.75')

  await page.getByRole('link', { name: 'Groups' }).first().click()
  await page.getByRole('button', { name: 'Add a group' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(`team-${Date.now()}`)
  await page.getByRole('dialog').getByLabel('Factor').fill('1.2')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/operator/groups/grp_*')
  // A half-written text stays and can be saved, even if another card of the page was saved in between.
  const description = page.getByLabel('Description')
  await description.fill('For the team')
  await page.getByLabel('sandbox/chat', { exact: true }).check()
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  await expect(page.getByText('1 model', { exact: true })).toBeVisible()
  await expect(description).toHaveValue('For the team')
  const save = page.locator('form').getByRole('button', { name: 'Save', exact: true })
  await page.getByLabel('Factor').fill('0')
  await save.click()
  const confirmation = page.getByRole('alertdialog', { name: 'Make everything free?' })
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('Factor').fill('1.3')
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await save.click()
  expect((await saved).status()).toBe(200)
  await page.reload()
  await expect(description).toHaveValue('For the team')
  await expect(page.getByLabel('Factor')).toHaveValue('1.3')

  await page.getByRole('link', { name: 'Audit log', exact: true }).click()
  await expect(page.locator('[data-audit]').first()).toContainText('group.change')
  await expect(page.getByText('price.add').first()).toBeVisible()
})

test('a price that has not begun is withdrawn, and who was overtaken sees what holds now in another tab', async ({ page }) => {
  await signInAsOwner(page)
  await page.goto('/operator/models/sandbox/chat')
  const versions = page.locator('[data-price]')
  await expect(versions.first()).toContainText('In force')
  const before = await versions.count()
  const fillPrice = async (input: string) => {
    await page.getByRole('button', { name: 'Set a price' }).click()
    await page.getByLabel('Input', { exact: true }).fill(input)
    await page.getByLabel('In force from').fill('2099-01-01T00:00')
  }
  await fillPrice('9')
  await page.getByRole('button', { name: 'Set the price' }).click()
  await confirmPrice(page, '→ $9.00 / M tokens', 'Cancel')
  await expect(versions).toHaveCount(before)
  await page.getByRole('button', { name: 'Set the price' }).click()
  await confirmPrice(page, '→ $9.00 / M tokens', 'Set the price')
  await expect(versions).toHaveCount(before + 1)
  await expect(versions.first()).toContainText('Scheduled')
  await versions.first().getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('The price was withdrawn')).toBeVisible()
  await expect(versions).toHaveCount(before)

  await fillPrice('8')
  // Somebody else saves first.
  const other = {
    modelId: 'sandbox/chat',
    rates: { input: '750000000', output: '2000000000' },
    startsAt: new Date(Date.now() + 86_400_000),
  }
  const answer = await page.request.post('/api/operator/prices', { data: other, headers: { origin: new URL(page.url()).origin } })
  expect(await answer.json()).toEqual({ id: expect.stringMatching(/^prc_/), version: 1 })
  await page.getByRole('button', { name: 'Set the price' }).click()
  await confirmPrice(page, '→ $8.00 / M tokens', 'Set the price')
  // The price in force is shown beside what was typed, which stays.
  const [otherTab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'See it in another tab' }).click(),
  ])
  await expect(otherTab.locator('[data-price]')).toHaveCount(before + 1)
  await otherTab.close()
  await expect(page.getByLabel('Input', { exact: true })).toHaveValue('8')
  await page.reload()
  await expect(versions).toHaveCount(before + 1)
  await versions.first().getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(versions).toHaveCount(before)
})

/** What the command palette offers for a word. */
async function findPaletteOption(page: Page, word: string) {
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await palette.getByRole('combobox').fill(word)
  return palette.getByRole('option', { name: 'Operator: Connections' })
}

test('a kind without a list is connected all the same, and asks for what it lacks', async ({ page }) => {
  await signInAsOwner(page)
  const option = await findPaletteOption(page, 'connections')
  await option.click()
  await page.waitForURL('**/operator/connections')
  await page.getByRole('button', { name: 'Connect a vendor' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Azure OpenAI/ }).click()
  await dialog.getByLabel('API key').fill('azure-key')
  await dialog.getByRole('button', { name: 'Connect and test' }).click()
  await expect(dialog.getByText('This is required.')).toBeVisible()
  await dialog.getByLabel('Resource').fill('acme')
  await dialog.getByLabel('Name', { exact: true }).fill(`azure-${Date.now()}`)
  await dialog.getByRole('button', { name: 'Connect and test' }).click()
  await expect(dialog.getByText('This kind does not list its models')).toBeVisible()
  await dialog.getByRole('button', { name: 'Go to catalog' }).click()
  await page.waitForURL('**/operator/models')
})

test('an account holder finds none of it', async ({ page }) => {
  await signUp(page, 'Holder')
  const option = await findPaletteOption(page, 'connections')
  await expect(page.getByRole('option').first()).toBeVisible()
  await expect(option).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: 'Connections' })).toHaveCount(0)
  const answer = await page.goto('/operator/connections')
  expect(answer?.status()).toBe(404)
})

/** The account of the owner that the first start created. */
async function getOwnAccountId(page: Page): Promise<string> {
  return ((await (await page.request.get('/api/me')).json()) as { accountId: string }).accountId
}

test('the operator’s pages pass axe and fit, light and dark', async ({ page }) => {
  test.setTimeout(300_000)
  await page.setViewportSize({ width: 1320, height: 860 })
  await signInAsOwner(page)
  const pages = [
    'connections',
    'connections/con_sandbox',
    'models',
    'models/sandbox/chat',
    'groups',
    'groups/grp_default',
    'audit',
    'accounts',
    'accounts?state=closed',
    `accounts/${await getOwnAccountId(page)}`,
    'codes',
  ]
  for (const path of pages) await expectAccessible(page, `/operator/${path}`)
})

test('the operator’s pages cost at most 300 KB of script', async ({ page, browser }) => {
  await signInAsOwner(page)
  const storageState = await page.context().storageState()
  const account = `accounts/${await getOwnAccountId(page)}`
  const paths = ['connections', 'connections/con_sandbox', 'models/sandbox/chat', 'groups/grp_default', 'audit']
  for (const path of [...paths, 'accounts', account, 'codes']) {
    const context = await browser.newContext({ storageState })
    const { scriptBytes } = await measure(await context.newPage(), `/operator/${path}`)
    await context.close()
    expect.soft(scriptBytes, `${path}: script`).toBeGreaterThan(10_000)
    expect.soft(scriptBytes / 1024, `${path}: KB of script`).toBeLessThanOrEqual(300)
  }
})
