import type { Page } from '@playwright/test'

/** Lets a page have its scripts when a promise for each of them resolves. */
export async function holdScripts(page: Page, until: (number: number) => Promise<unknown>): Promise<void> {
  let scripts = 0
  await page.route('**/_next/static/**', async (route) => {
    if (route.request().resourceType() === 'script') await until(scripts++)
    await route.continue()
  })
}
