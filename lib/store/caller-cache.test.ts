import type pg from 'pg'
import { expect, it, vi } from 'vitest'
import { CallerCache } from './caller-cache.ts'

/** Callers whose database answers a look-up only when told to, and finds no key unless rows are given. */
function createCallers(rows: object[] = []) {
  const waiting: (() => void)[] = []
  const query = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { rows }
  }
  const callers = new CallerCache({ pool: { query } as unknown as pg.Pool, hash: (secret) => Buffer.from(secret) })
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { callers, waiting, answer }
}

it('what was looked up while something changed is not remembered', async () => {
  const { callers, waiting, answer } = createCallers()
  const lookup = callers.find('sk-tg-1')
  callers.invalidate('key', 'key_1')
  answer()
  expect(await lookup).toBeNull()
  const secondLookup = callers.find('sk-tg-1')
  expect(waiting.length).toBe(1)
  answer()
  expect(await secondLookup).toBeNull()
  // Nothing changed meanwhile, so for a while it is known to belong to nobody.
  expect(callers.find('sk-tg-1')).toBeNull()
})

it('who asks together is looked up once', async () => {
  const { callers, waiting, answer } = createCallers()
  const both = [callers.find('sk-tg-1'), callers.find('sk-tg-1')]
  expect(waiting.length).toBe(1)
  answer()
  expect(await Promise.all(both)).toEqual([null, null])
})

const ROW = {
  id: 'key_1',
  account_id: 'acc_1',
  model_allow: [],
  address_allow: [],
  limit_total_nano: null,
  limit_month_nano: null,
}

it('a key in use stays known, though what is known of its caller is read anew', async () => {
  const nowMs = performance.now()
  const clock = vi.spyOn(performance, 'now')
  // The cache reads the clock only once a millisecond.
  const at = async (minute: number) => {
    clock.mockReturnValue(nowMs + minute * 60_000)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  try {
    await at(0)
    const { callers, waiting, answer } = createCallers([{ ...ROW, expires_at: null, revoked_at: null, suspended_at: null }])
    const use = async () => {
      const found = callers.find('sk-tg-1')
      answer()
      return (await found)?.keyId
    }
    expect(callers.isKnown('sk-tg-1')).toBe(false)
    expect(await use()).toBe('key_1')
    for (let minute = 30; minute <= 240; minute += 30) {
      await at(minute)
      expect(callers.isKnown('sk-tg-1')).toBe(true)
      const found = callers.find('sk-tg-1')
      expect(waiting.length).toBe(1)
      answer()
      await found
    }
    callers.invalidate('account', 'acc_1')
    expect(callers.isKnown('sk-tg-1')).toBe(true)
    await at(301)
    expect(callers.isKnown('sk-tg-1')).toBe(false)
  } finally {
    clock.mockRestore()
  }
})

it('a key that was revoked is known no longer once that is read', async () => {
  const row = { ...ROW, expires_at: null, revoked_at: null as Date | null, suspended_at: null }
  const { callers, answer } = createCallers([row])
  const use = async () => {
    const found = callers.find('sk-tg-1')
    answer()
    await found
  }
  await use()
  expect(callers.isKnown('sk-tg-1')).toBe(true)
  row.revoked_at = new Date()
  callers.invalidate('key', 'key_1')
  await use()
  expect(callers.isKnown('sk-tg-1')).toBe(false)
})

it('a sender who is not trusted is looked up a few times a second, and what is known costs nothing', async () => {
  const { callers, waiting, answer } = createCallers()
  const known = callers.find('sk-tg-known')
  answer()
  await known
  // The cache counts its own time with the same clock.
  const startMs = Math.ceil(performance.now() / 1000) * 1000
  const clock = vi.spyOn(performance, 'now').mockReturnValue(startMs)
  try {
    const findMany = (from: number) =>
      Array.from({ length: 30 }, (_, index) => callers.findSparingly(`sk-tg-${from + index}`)).filter(
        (lookup) => lookup !== undefined,
      )
    const begun = findMany(0)
    expect([begun.length, waiting.length]).toEqual([10, 10])
    expect(callers.findSparingly('sk-tg-known')).toBeNull()
    answer()
    expect(await Promise.all(begun)).toEqual(begun.map(() => null))
    clock.mockReturnValue(startMs + 1000)
    expect(findMany(100).length).toBe(10)
  } finally {
    clock.mockRestore()
    answer()
  }
})
