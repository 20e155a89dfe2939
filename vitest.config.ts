import { defineConfig } from 'vitest/config'

// Starts one PostgreSQL for the whole run, even if several of the projects that use it take part. These tests run real
// processes against the clock, on machines that may stall for a second. So each gets one retry, which is reported at the end.
const database = { retry: 1, globalSetup: ['tests/support/global-setup.ts'], hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // One more than the cores of a small machine, because many tests wait for the clock.
    maxWorkers: 3,
    // A worker keeps what it has imported for its next file: importing takes more than most tests. So a test undoes what it
    // changes of the process, and does not mock modules.
    isolate: false,
    // On a busy machine, expected results arrive late. The test's own timeout is the limit.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['lib/**/*.test.ts', 'components/**/*.test.{ts,tsx}', 'app/**/*.test.{ts,tsx}'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { name: 'structure', include: ['tests/structure/**/*.test.ts'], testTimeout: 60_000, ...database },
      },
      {
        extends: true,
        test: { name: 'integration', include: ['tests/integration/**/*.test.ts'], testTimeout: 90_000, ...database },
      },
      {
        extends: true,
        test: { name: 'contract', include: ['tests/contract/**/*.test.ts'], testTimeout: 90_000, ...database },
      },
      {
        extends: true,
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts'],
          testTimeout: 180_000,
          ...database,
          // These tests kill and starve their own processes, which would disturb tests that share a server.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
