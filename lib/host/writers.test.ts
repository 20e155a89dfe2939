import type pg from 'pg'
import pino from 'pino'
import { expect, it } from 'vitest'
import { buildWriters, startUpkeep } from './writers.ts'

it('history that cannot be written takes no other with it', async () => {
  const written: unknown[] = []
  const pool = { query: async ({ values }: { values: unknown[] }) => written.push(values[0]) } as unknown as pg.Pool
  const writers = buildWriters(pool, pino({ level: 'silent' }), () => undefined, 'proc_test')
  const tooDeep = () => JSON.stringify(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))
  writers.saveHistory('req_good', new Date(), 'acc_1', 10, () => '{"request":"x"}')
  writers.saveHistory('req_deep', new Date(), 'acc_2', 10, tooDeep)
  await writers.drain()
  expect(JSON.stringify(written)).toContain('req_good')
  expect(JSON.stringify(written)).not.toContain('req_deep')
})

it('a store of files that refuses us is named at the start', async () => {
  const said: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void said.push(line) })
  const away = () => Promise.reject(new Error('no database'))
  const pool = { query: away, connect: away } as unknown as pg.Pool
  const sweep = () => Promise.reject(new Error('NoSuchBucket: The specified bucket does not exist'))
  const stop = startUpkeep(pool, log, { location: 'results at store.example', sweep })
  await expect.poll(() => said.join('')).toMatch(/NoSuchBucket.*"store":"results at store.example"/)
  stop()
})
