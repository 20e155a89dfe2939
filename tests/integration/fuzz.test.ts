import { expect, test } from 'vitest'
import { fuzz } from '../fuzz/fuzz.ts'
import { createDatabase } from '../support/database.ts'
import { randomSeed } from '../support/random.ts'

const seed = process.env.FUZZ_SEED ?? randomSeed()

test(`5,000 random and mutated requests: no crash, no 5xx, nothing held (npm run fuzz -- --requests 5000 --seed ${seed})`, async () => {
  await using database = await createDatabase()
  const { pool, url: databaseUrl } = database
  const { table, wrong } = await fuzz({ pool, databaseUrl, seed, requests: 5000, log: () => undefined })
  // As a text, because the report of a run shows no more of a list than its length.
  expect(wrong.slice(0, 20).join('\n')).toBe('')
  // A run whose requests were all refused would prove little.
  expect(table.get('good')?.get(200)).toBeGreaterThan(1000)
  expect(table.get('mutated')?.get(200)).toBeGreaterThan(100)
}, 120_000)
