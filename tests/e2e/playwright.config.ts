import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'

// Debian's Chromium where it is; elsewhere the one that `npx playwright install chromium` brings.
const chromium = '/usr/bin/chromium'
const port = Number(process.env.E2E_PORT ?? 3977)

/** The browser tests run against `npm start` itself: a first start on an empty data folder. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: join(tmpdir(), 'tollgate-e2e-results'),
  // One gateway, one worker: the pages and the gateway share two cores.
  workers: 1,
  timeout: 60_000,
  forbidOnly: true,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['line'], ['json']] : [['line']],
  use: {
    baseURL: `http://localhost:${port}`,
    locale: 'en-US',
    launchOptions: {
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
    },
  },
  webServer: {
    command: 'node tests/e2e/serve.ts',
    cwd: join(import.meta.dirname, '../..'),
    url: `http://localhost:${port}/api/health`,
    timeout: 240_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 20_000 },
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: `http://localhost:${port}`,
      DATABASE_URL: '',
      OPENAI_API_KEY: '',
      ANTHROPIC_API_KEY: '',
      GEMINI_API_KEY: '',
      OPENAI_COMPATIBLE_BASE_URL: '',
      SIGN_UP_CREDIT: '5',
      NODE_ENV: 'production',
    },
  },
})
