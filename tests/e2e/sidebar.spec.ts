import { expect, type Page, test } from '@playwright/test'
import { holdScripts } from './hold-scripts.ts'
import { signInAsOwner } from './user-actions.ts'

// So low that an owner has to scroll the list of pages to reach its end.
test.use({ viewport: { width: 1320, height: 520 } })

const alerts = (page: Page) => page.getByRole('link', { name: 'Alerts', exact: true })
const heading = (page: Page) => page.getByRole('heading', { name: 'Alerts', exact: true })

test('on a slow machine a link below the fold is followed right after signing in', async ({ page }) => {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await signInAsOwner(page)
  await alerts(page).click()
  await expect(heading(page)).toBeVisible({ timeout: 30_000 })
})

test('a click that begins before the scripts run, and ends after, is on the link that it began on', async ({ page }) => {
  await signInAsOwner(page)
  const scripts = Promise.withResolvers<void>()
  await holdScripts(page, () => scripts.promise)
  await page.goto('/overview', { waitUntil: 'commit' })
  const link = alerts(page)
  await link.scrollIntoViewIfNeeded()
  const box = await link.boundingBox()
  if (!box) throw new Error('the link is not drawn')
  expect(await page.evaluate(() => [...document.querySelectorAll('*')].some(({ scrollTop }) => scrollTop > 0))).toBe(true)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  // An interactive page first loads its data again. The list of pages has done its own part by then.
  const alive = page.waitForRequest('**/api/**')
  scripts.resolve()
  await alive
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))))
  await page.mouse.up()
  await expect(heading(page)).toBeVisible({ timeout: 30_000 })
})
