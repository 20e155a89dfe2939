import { expect, type Locator, type Page, test } from '@playwright/test'
import { createKey, signUp } from './user-actions.ts'

// Readers who cannot read the colors of pages let the browser use their own: then no background of a page is left.
test.use({ contextOptions: { forcedColors: 'active', colorScheme: 'dark', reducedMotion: 'reduce' } })

const backgroundOf = (locator: Locator): Promise<string> =>
  locator.evaluate((element) => getComputedStyle(element).backgroundColor)
const pageColor = (page: Page): Promise<string> => backgroundOf(page.locator('html'))

test('with colours of the reader bars and marks are still seen, and what is chosen', async ({ page, request }) => {
  await signUp(page, 'Iris')
  const authorization = `Bearer ${await createKey(page, 'Key')}`
  const data = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }
  expect((await request.post('/v1/chat/completions', { headers: { authorization }, data })).status()).toBe(200)

  await page.goto('/usage?by=model&period=7d')
  const pageBackground = await pageColor(page)
  const expectDistinct = async (locator: Locator) => expect(await backgroundOf(locator)).not.toBe(pageBackground)
  const column = page.getByRole('toolbar').getByRole('button').last()
  await expectDistinct(column.locator('[style*="background"]').first())
  const row = page.getByRole('row', { name: /sandbox\/chat/ })
  await expectDistinct(row.locator('[style*="background"]').first())
  await expectDistinct(row.locator('[style*="width"]'))
  await expectDistinct(page.getByRole('navigation').getByRole('link', { name: 'Usage' }))
  await expectDistinct(page.getByRole('radio', { name: 'Model', exact: true }))
  expect(await backgroundOf(page.getByRole('radio', { name: 'Key', exact: true }))).not.toBe(
    await backgroundOf(page.getByRole('radio', { name: 'Model', exact: true })),
  )

  await page.goto('/settings/notifications')
  const box = page.getByRole('checkbox').first()
  await expect(box).toBeChecked()
  const checked = await backgroundOf(box)
  await expectDistinct(box)
  await box.click()
  await expect(box).not.toBeChecked()
  expect(await backgroundOf(box)).not.toBe(checked)

  await page.getByRole('button', { name: /Iris/ }).press('Enter')
  await expectDistinct(page.getByRole('menu').locator(':focus'))
})
