import type { Page } from '@playwright/test'

/** Holds back each script of a page, by its number, until the promise for it resolves. */
export async function holdScripts(page: Page, until: (number: number) => Promise<unknown>): Promise<void> {
  let scripts = 0
  await page.route('**/_next/static/**', async (route) => {
    if (route.request().resourceType() === 'script') await until(scripts++)
    await route.continue()
  })
}
