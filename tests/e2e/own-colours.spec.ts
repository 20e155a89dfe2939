import { expect, type Locator, type Page, test } from '@playwright/test'
import { createKey, signUp } from './people.ts'

// Readers who cannot read the colors of pages let the browser use their own: then no background of a page is left.
test.use({ contextOptions: { forcedColors: 'active', colorScheme: 'dark', reducedMotion: 'reduce' } })

const backgroundOf = (place: Locator): Promise<string> => place.evaluate((element) => getComputedStyle(element).backgroundColor)
const pageColour = (page: Page): Promise<string> => backgroundOf(page.locator('html'))

test('with colours of the reader bars and marks are still seen, and what is chosen', async ({ page, request }) => {
  await signUp(page, 'Iris')
  const authorization = `Bearer ${await createKey(page, 'Key')}`
  const data = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }
  expect((await request.post('/v1/chat/completions', { headers: { authorization }, data })).status()).toBe(200)

  await page.goto('/usage?by=model&period=7d')
  const canvas = await pageColour(page)
  const seen = async (place: Locator) => expect(await backgroundOf(place)).not.toBe(canvas)
  const column = page.getByRole('toolbar').getByRole('button').last()
  await seen(column.locator('[style*="background"]').first())
  const row = page.getByRole('row', { name: /sandbox\/chat/ })
  await seen(row.locator('[style*="background"]').first())
  await seen(row.locator('[style*="width"]'))
  await seen(page.getByRole('navigation').getByRole('link', { name: 'Usage' }))
  await seen(page.getByRole('radio', { name: 'Model', exact: true }))
  expect(await backgroundOf(page.getByRole('radio', { name: 'Key', exact: true }))).not.toBe(
    await backgroundOf(page.getByRole('radio', { name: 'Model', exact: true })),
  )

  await page.goto('/settings/notifications')
  const box = page.getByRole('checkbox').first()
  await expect(box).toBeChecked()
  const checked = await backgroundOf(box)
  await seen(box)
  await box.click()
  await expect(box).not.toBeChecked()
  expect(await backgroundOf(box)).not.toBe(checked)

  await page.getByRole('button', { name: /Iris/ }).press('Enter')
  await seen(page.getByRole('menu').locator(':focus'))
})
