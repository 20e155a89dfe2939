import { defineConfig } from 'vitest/config'

// Starts one PostgreSQL for the whole run, however many of the projects that name it take part.
// They run real processes against the clock, on machines that may stop for a second: one more try, named at the end.
const database = { retry: 1, globalSetup: ['tests/support/global-setup.ts'], hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // One more than the cores of a small machine: many tests wait for the clock.
    maxWorkers: 3,
    // What is waited for comes late on a busy machine; a test's own time is its bound.
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
          // What these tests kill and starve are processes of their own; they would disturb those that share a server.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
