import { existsSync } from 'node:fs'

// Debian's Chromium if it is installed, and of its two builds the headless one, which draws pages a sixth sooner. Otherwise the
// one that `npx playwright install chromium` brings.
const chromium = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

/** How the tests start the browser. */
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
