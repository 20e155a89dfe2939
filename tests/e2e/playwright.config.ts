import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { LAUNCH } from './launch.ts'
import { BASE_PORT, GATEWAY_COUNT, logFile, PORT } from './log.ts'

/** `npm start` itself at a port: a first start on an empty data folder. */
export const gatewayAt = (port: number) => ({
  // Without a mail server the links of mails are in the log, where the tests read them.
  command: `exec node tests/e2e/serve.ts > ${logFile(port)}`,
  cwd: join(import.meta.dirname, '../..'),
  url: `http://localhost:${port}/api/health`,
  timeout: 240_000,
  gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 20_000 },
  env: {
    PORT: String(port),
    HOST: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.1',
    PUBLIC_URL: `http://localhost:${port}`,
    DATABASE_URL: '',
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
    GEMINI_API_KEY: '',
    OPENAI_COMPATIBLE_BASE_URL: '',
    SIGN_UP_CREDIT: '5',
    NODE_ENV: 'production',
  },
})

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: join(tmpdir(), `tollgate-e2e-results-${BASE_PORT}`),
  // Each worker has a gateway and a database of its own, because some tests look at all accounts or change settings.
  workers: GATEWAY_COUNT,
  // The machine may be slow, and its speed is not measured here.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  // A retry is reported at the end of the run.
  retries: 2,
  forbidOnly: true,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['line'], ['json']] : [['line']],
  use: {
    baseURL: `http://localhost:${PORT}`,
    locale: 'en-US',
    launchOptions: LAUNCH,
  },
  webServer: Array.from({ length: GATEWAY_COUNT }, (_, index) => gatewayAt(BASE_PORT + index)),
})
