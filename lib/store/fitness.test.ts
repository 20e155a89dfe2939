import { expect, it } from 'vitest'
import { sharesSessions } from './fitness.ts'

/** A client of a pooler, which chooses for each transaction the session that answers it. */
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
