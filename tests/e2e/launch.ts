import { existsSync } from 'node:fs'

// Debian's Chromium where it is, of its two the one without windows: pages are drawn a sixth sooner. Elsewhere the one that
// `npx playwright install chromium` brings.
const chromium = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

/** How the browser of the tests is started. */
export const LAUNCH = {
  ...(chromium ? { executablePath: chromium } : {}),
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
