import { expect, it } from 'vitest'
import { clockSkewWarning, sharesSessions } from './check-database.ts'

/** A client of a pooler. `choose` picks the session that answers each transaction. */
const client = (choose: () => number) => ({ query: async () => ({ rows: [{ pid: choose() }] }) }) as never

it('connections that keep their sessions share none', async () => {
  expect(
    await sharesSessions(
      client(() => 7),
      client(() => 8),
    ),
  ).toBe(false)
})

it('the session that was given back last goes to whoever asks next', async () => {
  const pooled = client(() => 7)
  expect(await sharesSessions(pooled, pooled)).toBe(true)
})

it.each([1, 2, 3, 4, 5, 8])('%i sessions in turn are found out', async (sessions) => {
  let asked = 0
  const pooled = client(() => asked++ % sessions)
  expect(await sharesSessions(pooled, pooled)).toBe(true)
})

it('one that another client was lent in between does not hide it for long', async () => {
  let asked = 0
  const pooled = client(() => (asked++ === 1 ? 8 : 7))
  expect(await sharesSessions(pooled, pooled)).toBe(true)
})

it.each([
  [-3_600_000, /is 3600 s behind that of the database\. Set it/],
  [3_600_000, /is 3600 s ahead of that of the database/],
])('a clock that is off by %i ms is told', async (skewMs, pattern) => {
  const pool = { query: async () => ({ rows: [{ ms: '1795710000000' }] }) } as never
  expect(await clockSkewWarning(pool, () => 1_795_710_000_000 + skewMs)).toMatch(pattern)
})

it('clocks that differ by moments are alike', async () => {
  const pool = { query: async () => ({ rows: [{ ms: '1795710000000' }] }) } as never
  for (const skewMs of [-9000, 0, 9000]) expect(await clockSkewWarning(pool, () => 1_795_710_000_000 + skewMs)).toBeNull()
})
