import { describe, expect, it } from 'vitest'
import type { LimitState } from './ports.ts'
import { nth, settle, sharedCounts } from './testing.ts'

const shared = sharedCounts()
const passed = (states: LimitState[]) => states.filter((state) => state.full === null).length

describe('a limit across processes', () => {
  it.each([100, 512, 3000, 20_000])('of %i a minute lets exactly so many pass of twice as many at once', async (rpm) => {
    const processes = shared.group(4)
    const limits = { rpm, tpm: 1e9 }
    const states: LimitState[] = []
    for (let n = 0; n < rpm * 2; n += 50) {
      const takes = Array.from({ length: 50 }, (_, k) => nth(processes, n + k * 7).limiter.take('k', limits, 10))
      states.push(...(await Promise.all(takes)))
      if (n % 500 === 0) for (const { limiter } of processes) limiter.tick()
    }
    expect(passed(states)).toBe(rpm)
  })

  it('lets no fewer pass when one of them leased a block and then gets no more requests', async () => {
    const [one, other] = shared.group(2) as [ReturnType<typeof shared.process>, ReturnType<typeof shared.process>]
    const limits = { rpm: 3000, tpm: 1e9 }
    expect(passed([await one.limiter.take('k', limits, 1)])).toBe(1)
    expect(shared.sentAsks.length).toBe(1)
    let count = 0
    for (let n = 0; n < 2950; n++) count += passed([await other.limiter.take('k', limits, 1)])
    for (let n = 0; n < 2; n++) one.limiter.tick()
    await settle()
    for (let n = 0; n < 100; n++) count += passed([await other.limiter.take('k', limits, 1)])
    expect(count).toBe(2999)
  })

  it('answers without a promise out of its block, and asks seldom', async () => {
    const { limiter } = shared.process('p', 2)
    const limits = { rpm: 1_000_000, tpm: 1e9 }
    await limiter.take('k', limits, 100)
    for (let n = 0; n < 10_000; n++) expect(limiter.take('k', limits, 100)).not.toBeInstanceOf(Promise)
    expect(shared.sentAsks.length).toBeLessThan(4)
  })

  it('starts anew with its minute, and not before', async () => {
    const [one, other] = shared.group(2) as [ReturnType<typeof shared.process>, ReturnType<typeof shared.process>]
    const limits = { rpm: 2, tpm: 1e9 }
    await one.limiter.take('k', limits, 1)
    await other.limiter.take('k', limits, 1)
    shared.now += 59_999
    expect((await one.limiter.take('k', limits, 1)).full).toBe('requests')
    shared.now += 1
    expect((await other.limiter.take('k', limits, 1)).full).toBeNull()
  })

  it('holds a lower limit at once: what was leased under the higher one goes back before anybody is let in', async () => {
    const [one, other] = shared.group(2) as [ReturnType<typeof shared.process>, ReturnType<typeof shared.process>]
    const high = { rpm: 100_000, tpm: 1e9 }
    for (let n = 0; n < 3; n++) for (const { limiter } of [one, other]) await limiter.take('k', high, 1)
    const low = { rpm: 10, tpm: 1e9 }
    let count = 6
    for (let n = 0; n < 20; n++) count += passed([await one.limiter.take('k', low, 1), await other.limiter.take('k', low, 1)])
    // The other process's block is unknown until it comes back; then there is room for no more than the limit.
    expect(count).toBe(10)
    expect((await one.limiter.take('k', high, 1)).full).toBeNull()
  })

  it('never uses a block beyond its minute', async () => {
    const { limiter } = shared.process('p', 1)
    const limits = { rpm: 1600, tpm: 1e9 }
    await limiter.take('k', limits, 1)
    shared.now += 60_000
    let count = 0
    for (let n = 0; n < 2000; n++) count += passed([await limiter.take('k', limits, 1)])
    expect(count).toBe(1600)
  })

  it('counts tokens that were used beyond what was guessed, in every process', async () => {
    const [one, other] = shared.group(2) as [ReturnType<typeof shared.process>, ReturnType<typeof shared.process>]
    const limits = { rpm: 1000, tpm: 1000 }
    await one.limiter.take('k', limits, 100)
    one.limiter.correct('k', limits, 700)
    await settle()
    const state = await other.limiter.take('k', limits, 300)
    expect([state.full, state.tokens.remaining]).toEqual(['tokens', 200])
    expect((await other.limiter.take('k', limits, 150)).tokens.remaining).toBe(50)
    other.limiter.correct('k', limits, -100)
    await settle()
    expect((await one.limiter.take('k', limits, 150)).tokens.remaining).toBe(0)
  })

  it('counts what becomes known to be used while its minute is asked about', async () => {
    const [one, other] = shared.group(2) as [ReturnType<typeof shared.process>, ReturnType<typeof shared.process>]
    const limits = { rpm: 1000, tpm: 1000 }
    const asking = one.limiter.take('k', limits, 100)
    one.limiter.correct('k', limits, 700)
    await asking
    for (let n = 0; n < 2; n++) one.limiter.tick()
    await settle()
    expect(await other.limiter.take('k', limits, 300)).toMatchObject({ full: 'tokens', tokens: { remaining: 200 } })
  })

  it('makes an address wait whose failures came to several processes', async () => {
    const processes = shared.group(3)
    for (let n = 0; n < 60; n++) expect(await nth(processes, n).limiter.strike('192.0.2.1')).toBe(0)
    expect(await nth(processes, 0).limiter.strike('192.0.2.1')).toBe(60)
    for (const { limiter } of processes) expect(await limiter.blockedSeconds('192.0.2.1')).toBe(60)
    expect(await nth(processes, 0).limiter.blockedSeconds('192.0.2.2')).toBe(0)
  })
})

describe('while the shared counts are out of reach', () => {
  it('each process admits its share of the limit, at once, and neither everybody nor nobody', async () => {
    const processes = shared.group(4)
    shared.lost = true
    const limits = { rpm: 100, tpm: 1e9 }
    const states = await Promise.all(
      Array.from({ length: 400 }, async (_, n) => await nth(processes, n).limiter.take('k', limits, 1)),
    )
    expect(passed(states)).toBe(100)
    expect(processes.map(({ heard }) => heard)).toEqual([[false], [false], [false], [false]])
    expect(nth(processes, 0).limiter.take('k', limits, 1)).not.toBeInstanceOf(Promise)
    expect(passed([await nth(processes, 0).limiter.take('small', { rpm: 2, tpm: 10 }, 1)])).toBe(1)
  })

  it.each([
    ['requests', { rpm: 100, tpm: 1e9 }],
    ['tokens', { rpm: 1e6, tpm: 100 }],
  ])('what was used of the %s of the minute before stays used', async (_, limits) => {
    const processes = shared.group(2)
    for (let n = 0; n < 80; n++) await nth(processes, n).limiter.take('k', limits, 1)
    shared.lost = true
    const states: LimitState[] = []
    for (let n = 0; n < 100; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
    expect(passed(states)).toBeGreaterThanOrEqual(18)
    expect(passed(states)).toBeLessThanOrEqual(22)
  })

  it('what was admitted meanwhile is told when they are found again', async () => {
    const processes = shared.group(2)
    const limits = { rpm: 100, tpm: 1e9 }
    for (const { limiter } of processes) await limiter.take('k', limits, 1)
    shared.lost = true
    for (let n = 0; n < 40; n++) await nth(processes, n).limiter.take('k', limits, 1)
    shared.lost = false
    await expect.poll(() => processes.map(({ heard }) => heard.at(-1))).toEqual([true, true])
    await settle()
    expect(
      shared.counts.take(
        { kind: 'take', key: 'k', ...limits, tokens: [], window: null, back: { requests: 0, tokens: 0 }, block: false },
        2,
      ).used.requests,
    ).toBe(42)
  })

  it.each([10, 0])('losing them again and again admits no more than losing them once (%i asked for between)', async (between) => {
    const processes = shared.group(2)
    const limits = { rpm: 60, tpm: 1e9 }
    const states: LimitState[] = []
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < between; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
      shared.lost = true
      for (let n = 0; n < 4; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
      shared.lost = false
      await expect.poll(() => processes.map(({ heard }) => heard.length)).toEqual([round * 2 + 2, round * 2 + 2])
      await settle()
    }
    for (let n = 0; n < 60; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
    shared.lost = true
    for (let n = 0; n < 60; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
    expect(passed(states)).toBe(60)
  })

  it('the share of a new minute is a whole one', async () => {
    const { limiter } = shared.process('p', 4)
    const limits = { rpm: 100, tpm: 1e9 }
    await limiter.take('k', limits, 1)
    shared.lost = true
    for (let minute = 0; minute < 3; minute++) {
      const states: LimitState[] = []
      for (let n = 0; n < 40; n++) states.push(await limiter.take('k', limits, 1))
      expect(passed(states)).toBe(minute === 0 ? 24 : 25)
      shared.now += 60_000
    }
    shared.lost = false
  })

  it('addresses that fail are still made to wait', async () => {
    const { limiter } = shared.process('p', 4)
    shared.lost = true
    for (let n = 0; n < 60; n++) expect(await limiter.strike('192.0.2.1')).toBe(0)
    expect(await limiter.strike('192.0.2.1')).toBeGreaterThan(0)
  })
})
