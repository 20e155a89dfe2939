import { expect, type Locator, type Page, test } from '@playwright/test'
import { signInAsOwner } from './people.ts'

const PHONE = { width: 360, height: 780 }
const WIDE = { width: 1320, height: 860 }

/** How far from its table's end the words of a table's last column end, of those that are shown. */
const spareOf = (table: Locator) =>
  table.evaluate((element) => {
    const shown = [...element.querySelectorAll('thead th')].filter((head) => head.getBoundingClientRect().width > 0)
    const words = document.createRange()
    words.selectNodeContents(shown.at(-1) as Element)
    return element.getBoundingClientRect().right - words.getBoundingClientRect().right
  })

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
}

test('on a phone the last column that is left ends where its table does', async ({ page }) => {
  await signInAsOwner(page)
  await page.setViewportSize(PHONE)
  for (const path of ['/operator/models', '/operator/groups']) {
    await goTo(page, path)
    expect(Math.abs(await spareOf(page.getByRole('table'))), path).toBeLessThan(1)
  }
})
