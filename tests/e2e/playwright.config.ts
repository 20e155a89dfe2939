import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { LAUNCH } from './launch.ts'
import { LOG_FILE, PORT } from './log.ts'

/** The browser tests run against `npm start` itself: a first start on an empty data folder. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: join(tmpdir(), `tollgate-e2e-results-${PORT}`),
  // One gateway, one worker: some tests look at all of its accounts, or change its settings. The shards of a run each have their own.
  workers: 1,
  // What runs them may be slow, and is not measured here.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  // Another try is named at the end of the run.
  retries: 2,
  forbidOnly: true,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['line'], ['json']] : [['line']],
  use: {
    baseURL: `http://localhost:${PORT}`,
    locale: 'en-US',
    launchOptions: LAUNCH,
  },
  webServer: {
    // Without a mail server the links of mails are in the log, where the tests read them.
    command: `exec node tests/e2e/serve.ts > ${LOG_FILE}`,
    cwd: join(import.meta.dirname, '../..'),
    url: `http://localhost:${PORT}/api/health`,
    timeout: 240_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 20_000 },
    env: {
      PORT: String(PORT),
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
      PUBLIC_URL: `http://localhost:${PORT}`,
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
