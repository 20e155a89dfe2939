import { expect, test } from '@playwright/test'
import { panelOf, post, rowsOf, signUpWithKey } from './history-page.ts'
import { expectAccessible } from './measure.ts'

test('what was made is counted in its row, and shown in its panel', async ({ page, request }) => {
  const secret = await signUpWithKey(page, 'Media')
  const image = { model: 'sandbox/image', prompt: 'A heron', n: 2 }
  expect(await post(request, secret, '/v1/images/generations', image)).toBe(200)
  const video = { model: 'sandbox/video', prompt: 'A lighthouse', async: false }
  expect(await post(request, secret, '/v1/videos/generations', video)).toBe(200)
  await page.goto('/history')
  await expect(rowsOf(page).filter({ hasText: 'sandbox/image' }).getByRole('cell', { name: '2 images' })).toBeVisible()
  await expect(rowsOf(page).filter({ hasText: 'sandbox/video' }).getByRole('cell', { name: '5 s', exact: true })).toBeVisible()

  await rowsOf(page).filter({ hasText: 'sandbox/image' }).click()
  await expect(panelOf(page).getByRole('img', { name: /Generated image/ })).toHaveCount(2)
  // The mark takes no cell's place.
  const ends = await rowsOf(page).evaluateAll((rows) => rows.map((row) => row.lastElementChild?.getBoundingClientRect().right))
  expect(new Set(ends).size).toBe(1)
  await rowsOf(page).filter({ hasText: 'sandbox/video' }).click()
  const player = panelOf(page).getByLabel('Generated video: 5 s')
  await expect.poll(() => player.evaluate((element) => (element as HTMLVideoElement).duration)).toBe(5)
  await expectAccessible(page, page.url())
})

test('a video in progress is listed with what it holds, is found from where it matters, and is cancelled', async ({
  page,
  request,
}) => {
  const secret = await signUpWithKey(page, 'Film')
  const video = { model: 'sandbox/error-video-stuck', prompt: 'A tide' }
  for (let count = 0; count < 2; count++) expect(await post(request, secret, '/v1/videos/generations', video)).toBe(200)
  await page.goto('/settings/data')
  await page.getByText('Videos are still being made').getByRole('link', { name: 'history' }).click()
  await page.waitForURL('**/history')
  await page.goto('/overview')
  await page.getByRole('link', { name: '$0.10 held by 2 running requests' }).click()

  const running = page.getByRole('region', { name: 'In progress' })
  const cancels = running.getByRole('button', { name: 'Cancel the video of sandbox/error-video-stuck' })
  const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the video' })
  await expect(running.getByRole('listitem').first()).toContainText(/prod-web.*5 seconds.*\$0\.05 held/)
  await expectAccessible(page, page.url())
  // The safe answer has the focus.
  await cancels.first().click()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(cancels).toHaveCount(2)
  for (const left of [1, 0]) {
    await cancels.first().click()
    await confirm.click()
    await expect(cancels).toHaveCount(left)
  }
  await expect(running).toHaveCount(0)
  await expect(rowsOf(page).filter({ hasText: 'cancelled' })).toHaveCount(2, { timeout: 10_000 })
  await page.goto('/overview')
  await expect(page.getByText('held by')).toHaveCount(0)
})
