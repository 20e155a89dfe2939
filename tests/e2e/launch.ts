import { existsSync } from 'node:fs'

// Debian's Chromium where it is; elsewhere the one that `npx playwright install chromium` brings.
const chromium = '/usr/bin/chromium'

/** How the browser of the tests is started. */
export const LAUNCH = {
  ...(existsSync(chromium) ? { executablePath: chromium } : {}),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
