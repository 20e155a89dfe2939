import type pg from 'pg'
import pino from 'pino'
import { expect, it } from 'vitest'
import { buildWriters } from './writers.ts'

it('history that cannot be written takes no other with it', async () => {
  const written: unknown[] = []
  const pool = { query: async ({ values }: { values: unknown[] }) => written.push(values[0]) } as unknown as pg.Pool
  const writers = buildWriters(pool, pino({ level: 'silent' }), () => undefined, 'proc_test')
  const tooDeep = () => JSON.stringify(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))
  writers.keep('req_good', new Date(), 'acc_1', 10, () => '{"request":"x"}')
  writers.keep('req_deep', new Date(), 'acc_2', 10, tooDeep)
  await writers.drain()
  expect(JSON.stringify(written)).toContain('req_good')
  expect(JSON.stringify(written)).not.toContain('req_deep')
})
