import { defineConfig } from '@playwright/test'
import { PORT } from '../e2e/log.ts'
import base, { gatewayAt } from '../e2e/playwright.config.ts'

/** Takes screenshots of every page: `npm run screens -- FOLDER`. Those in the README are in public/screens. */
export default defineConfig({
  ...base,
  testDir: '.',
  testMatch: 'screens.ts',
  workers: 1,
  webServer: gatewayAt(PORT),
  timeout: 600_000,
  retries: 0,
  reporter: [['line']],
})
