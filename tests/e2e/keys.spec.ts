import { expect, type Page, test } from '@playwright/test'
import { expectAccessible, expectNoViolations } from './measure.ts'
import { signUp } from './user-actions.ts'

/** Creates keys through the route that the page uses, one after the other. Returns their secrets. */
async function createKeys(page: Page, names: readonly string[], origin: string): Promise<string[]> {
  const secrets: string[] = []
  for (const name of names) {
    const created = await page.request.post('/api/keys', { headers: { origin }, data: { name, groupId: 'grp_default' } })
    expect(created.ok(), `${created.status()} ${name}`).toBe(true)
    secrets.push((await created.json()).secret)
  }
  return secrets
}

test('who has many keys finds one by its name, its end and its state, comes back to what was found, and sees the rest', async ({
  page,
  baseURL,
}) => {
  await signUp(page, 'Max')
  await page.goto('/keys')
  // Without keys there is no search.
  await expect(page.getByText('No keys yet')).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveCount(0)
  const names = Array.from({ length: 54 }, (_, at) => `Machine ${String(at + 1).padStart(2, '0')}`)
  const [first = ''] = await createKeys(page, names, baseURL ?? '')
  await page.reload()
  const links = page.getByRole('row').getByRole('link')
  await expect(links).toHaveCount(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(links).toHaveCount(54)
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0)

  await page.getByRole('heading', { name: 'Keys' }).click()
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Name or key ending' })
  await expect(search).toBeFocused()
  await page.keyboard.type('machine 2')
  await expect(links).toHaveCount(10)
  await expect(page).toHaveURL(/\?q=machine\+2$/)
  await expect(page.getByText('10 keys match')).toBeAttached()
  await page.getByRole('link', { name: 'Machine 23' }).click()
  await expect(page.getByRole('heading', { name: 'Machine 23' })).toBeVisible()
  await page.goBack()
  await expect(search).toHaveValue('machine 2')
  await expect(links).toHaveCount(10)

  // A whole secret, pasted as in a program: it is found by its end, and does not appear in any address.
  await search.fill(first)
  await expect(links).toHaveText(['Machine 01'])
  expect(page.url()).not.toContain(first.slice(0, 20))
  await page.getByRole('button', { name: 'Revoke the key “Machine 01”' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Machine 01' }).getByText('Revoked').first()).toBeVisible()
  await page.getByLabel('State').selectOption('Active')
  await expect(page.getByText('No keys match')).toBeVisible()
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'Show all keys' }).last().click()
  await expect(links).toHaveCount(54)
  await expect(search).toBeFocused()
  await expect(search).toHaveValue('')
  await page.getByLabel('State').selectOption('Revoked')
  await expect(links).toHaveText(['Machine 01'])

  // After a failed search the earlier results are gone.
  const searched = (url: URL) => url.searchParams.get('search') === 'machine 3'
  await page.route(searched, (route) =>
    route.fulfill({ status: 400, json: { error: { code: 'x', message: 'No search today.' } } }),
  )
  await search.fill('machine 3')
  await expect(page.getByText('No search today.')).toBeVisible()
  await expect(links).toHaveCount(0)
  await page.unroute(searched)
  await search.fill('')
  await expect(links).toHaveText(['Machine 01'])

  // A new key is shown, whatever was searched before.
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Newest')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await expect(links.first()).toHaveText('Newest')
  await expect(page).toHaveURL(/\/keys$/)
  await expectAccessible(page, '/keys?state=active')
})
