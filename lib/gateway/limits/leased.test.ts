import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ask } from './ask.ts'
import { Counts } from './counts.ts'
import { LeasedLimiter } from './leased-limiter.ts'
import { LeasedRoom } from './leased-room.ts'
import type { LimitState } from './ports.ts'
import { Reach } from './reach.ts'

let now = 0
let lost = false
let asked: Ask[] = []
let shared: Counts
const reaches: Reach[] = []

beforeEach(() => {
  now = 1000
  lost = false
  asked = []
  shared = new Counts({ ticks: () => now })
})

// One that is still lost would tell the next test's counts what it owes.
afterEach(() => {
  for (const reach of reaches.splice(0)) reach.stop()
})

const PROBE_MS = 5

function process(name: string, sharers: number) {
  const heard: boolean[] = []
  const reach = new Reach({
    counts: {
      async send(asks) {
        if (lost) throw new Error('lost')
        asked.push(...asks)
        return { sharers, answers: asks.map((ask) => shared.answer(ask, sharers, name)) }
      },
    },
    timeoutMs: 1000,
    probeMs: PROBE_MS,
    sharers,
    changed: (reached) => heard.push(reached),
  })
  reaches.push(reach)
  const limiter = new LeasedLimiter({ reach, ticks: () => now, own: new Counts({ ticks: () => now }) })
  return { limiter, room: new LeasedRoom({ reach, most: () => 100 }), reach, heard }
}

const group = (count: number) => Array.from({ length: count }, (_, n) => process(`p${n}`, count))
const passed = (states: LimitState[]) => states.filter((state) => state.full === null).length
const settle = () => new Promise((resolve) => setTimeout(resolve, 10))
const nth = <T>(list: T[], n: number): T => list[n % list.length] as T

describe('a limit across processes', () => {
  it.each([100, 512, 3000, 20_000])('of %i a minute lets exactly so many pass of twice as many at once', async (rpm) => {
    const processes = group(4)
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
    const [one, other] = group(2) as [ReturnType<typeof process>, ReturnType<typeof process>]
    const limits = { rpm: 3000, tpm: 1e9 }
    expect(passed([await one.limiter.take('k', limits, 1)])).toBe(1)
    expect(asked.length).toBe(1)
    let count = 0
    for (let n = 0; n < 2950; n++) count += passed([await other.limiter.take('k', limits, 1)])
    for (let n = 0; n < 2; n++) one.limiter.tick()
    await settle()
    for (let n = 0; n < 100; n++) count += passed([await other.limiter.take('k', limits, 1)])
    expect(count).toBe(2999)
  })

  it('answers without a promise out of its block, and asks seldom', async () => {
    const { limiter } = process('p', 2)
    const limits = { rpm: 1_000_000, tpm: 1e9 }
    await limiter.take('k', limits, 100)
    for (let n = 0; n < 10_000; n++) expect(limiter.take('k', limits, 100)).not.toBeInstanceOf(Promise)
    expect(asked.length).toBeLessThan(4)
  })

  it('starts anew with its minute, and not before', async () => {
    const [one, other] = group(2) as [ReturnType<typeof process>, ReturnType<typeof process>]
    const limits = { rpm: 2, tpm: 1e9 }
    await one.limiter.take('k', limits, 1)
    await other.limiter.take('k', limits, 1)
    now += 59_999
    expect((await one.limiter.take('k', limits, 1)).full).toBe('requests')
    now += 1
    expect((await other.limiter.take('k', limits, 1)).full).toBeNull()
  })

  it('holds a lower limit at once: what was leased under the higher one goes back before anybody is let in', async () => {
    const [one, other] = group(2) as [ReturnType<typeof process>, ReturnType<typeof process>]
    const high = { rpm: 100_000, tpm: 1e9 }
    for (let n = 0; n < 3; n++) for (const { limiter } of [one, other]) await limiter.take('k', high, 1)
    const low = { rpm: 10, tpm: 1e9 }
    let count = 6
    for (let n = 0; n < 20; n++) count += passed([await one.limiter.take('k', low, 1), await other.limiter.take('k', low, 1)])
    // Of the other's block nobody knows before it comes back; then there is room for no more than the limit.
    expect(count).toBe(10)
    expect((await one.limiter.take('k', high, 1)).full).toBeNull()
  })

  it('never uses a block beyond its minute', async () => {
    const { limiter } = process('p', 1)
    const limits = { rpm: 1600, tpm: 1e9 }
    await limiter.take('k', limits, 1)
    now += 60_000
    let count = 0
    for (let n = 0; n < 2000; n++) count += passed([await limiter.take('k', limits, 1)])
    expect(count).toBe(1600)
  })

  it('counts tokens that were used beyond what was guessed, in every process', async () => {
    const [one, other] = group(2) as [ReturnType<typeof process>, ReturnType<typeof process>]
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
    const [one, other] = group(2) as [ReturnType<typeof process>, ReturnType<typeof process>]
    const limits = { rpm: 1000, tpm: 1000 }
    const asking = one.limiter.take('k', limits, 100)
    one.limiter.correct('k', limits, 700)
    await asking
    for (let n = 0; n < 2; n++) one.limiter.tick()
    await settle()
    expect(await other.limiter.take('k', limits, 300)).toMatchObject({ full: 'tokens', tokens: { remaining: 200 } })
  })

  it('makes an address wait whose failures came to several processes', async () => {
    const processes = group(3)
    for (let n = 0; n < 60; n++) expect(await nth(processes, n).limiter.strike('192.0.2.1')).toBe(0)
    expect(await nth(processes, 0).limiter.strike('192.0.2.1')).toBe(60)
    for (const { limiter } of processes) expect(await limiter.struck('192.0.2.1')).toBe(60)
    expect(await nth(processes, 0).limiter.struck('192.0.2.2')).toBe(0)
  })
})

describe('while the shared counts are out of reach', () => {
  it('each process admits its share of the limit, at once, and neither everybody nor nobody', async () => {
    const processes = group(4)
    lost = true
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
    const processes = group(2)
    for (let n = 0; n < 80; n++) await nth(processes, n).limiter.take('k', limits, 1)
    lost = true
    const states: LimitState[] = []
    for (let n = 0; n < 100; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
    expect(passed(states)).toBeGreaterThanOrEqual(18)
    expect(passed(states)).toBeLessThanOrEqual(22)
  })

  it('what was admitted meanwhile is told when they are found again', async () => {
    const processes = group(2)
    const limits = { rpm: 100, tpm: 1e9 }
    for (const { limiter } of processes) await limiter.take('k', limits, 1)
    lost = true
    for (let n = 0; n < 40; n++) await nth(processes, n).limiter.take('k', limits, 1)
    lost = false
    await expect.poll(() => processes.map(({ heard }) => heard.at(-1))).toEqual([true, true])
    await settle()
    expect(
      shared.take(
        { kind: 'take', key: 'k', ...limits, tokens: [], window: null, back: { requests: 0, tokens: 0 }, block: false },
        2,
      ).used.requests,
    ).toBe(42)
  })

  it.each([10, 0])('losing them again and again admits no more than losing them once (%i asked for between)', async (between) => {
    const processes = group(2)
    const limits = { rpm: 60, tpm: 1e9 }
    const states: LimitState[] = []
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < between; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
      lost = true
      for (let n = 0; n < 4; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
      lost = false
      await expect.poll(() => processes.map(({ heard }) => heard.length)).toEqual([round * 2 + 2, round * 2 + 2])
      await settle()
    }
    for (let n = 0; n < 60; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
    lost = true
    for (let n = 0; n < 60; n++) states.push(await nth(processes, n).limiter.take('k', limits, 1))
    expect(passed(states)).toBe(60)
  })

  it('the share of a new minute is a whole one', async () => {
    const { limiter } = process('p', 4)
    const limits = { rpm: 100, tpm: 1e9 }
    await limiter.take('k', limits, 1)
    lost = true
    for (let minute = 0; minute < 3; minute++) {
      const states: LimitState[] = []
      for (let n = 0; n < 40; n++) states.push(await limiter.take('k', limits, 1))
      expect(passed(states)).toBe(minute === 0 ? 24 : 25)
      now += 60_000
    }
    lost = false
  })

  it('addresses that fail are still made to wait', async () => {
    const { limiter } = process('p', 4)
    lost = true
    for (let n = 0; n < 60; n++) expect(await limiter.strike('192.0.2.1')).toBe(0)
    expect(await limiter.strike('192.0.2.1')).toBeGreaterThan(0)
  })

  it('each process has its share of the places of a key', async () => {
    const { room } = process('p', 4)
    lost = true
    let inside = 0
    for (let n = 0; n < 100; n++) if (await room.take('k')) inside++
    expect(inside).toBe(25)
    for (let n = 0; n < 5; n++) room.give('k')
    inside -= 5
    for (let n = 0; n < 100; n++) if (await room.take('k')) inside++
    expect(inside).toBe(25)
  })
})

describe('the places of a key across processes', () => {
  it('are never more than there are, and all of them can be taken', async () => {
    const processes = group(4)
    const take = async () => {
      const taken = await Promise.all(Array.from({ length: 400 }, async (_, n) => await nth(processes, n).room.take('k')))
      return taken.map((is, n) => (is ? n : -1)).filter((n) => n >= 0)
    }
    const first = await take()
    expect(first.length).toBe(100)
    expect(await nth(processes, 1).room.take('other')).toBe(true)
    for (const n of first) nth(processes, n).room.give('k')
    await settle()
    expect((await take()).length).toBe(100)
  })

  it('are leased where many are free, and go back when they are idle', async () => {
    const one = process('one', 1)
    const room = new LeasedRoom({ reach: one.reach, most: () => 1000 })
    expect(await room.take('k')).toBe(true)
    for (let n = 0; n < 20; n++) expect(room.take('k')).toBe(true)
    expect(asked.length).toBe(1)
    const free = () =>
      shared.enter({ kind: 'enter', key: 'k', most: 1000, running: 0, need: 1000, block: false }, 1, 'looker').granted
    expect(free()).toBe(1000 - 1 - 62)
    shared.forget('looker')
    for (let n = 0; n < 21; n++) room.give('k')
    for (let n = 0; n < 3; n++) room.tick()
    await settle()
    expect(free()).toBe(1000)
  })

  it('go back when there are fewer in all', async () => {
    let most = 1000
    const { reach } = process('one', 1)
    const room = new LeasedRoom({ reach, most: () => most })
    for (let n = 0; n < 5; n++) expect(await room.take('k')).toBe(true)
    most = 5
    room.tick()
    await settle()
    expect(await room.take('k')).toBe(false)
    room.give('k')
    await settle()
    expect(await room.take('k')).toBe(true)
  })

  it('come back when their process dies, and are told anew to counts that forgot them', async () => {
    const [one, other] = group(2) as [ReturnType<typeof process>, ReturnType<typeof process>]
    for (let n = 0; n < 60; n++) await one.room.take('k')
    for (let n = 0; n < 50; n++) await other.room.take('k')
    expect(await other.room.take('k')).toBe(false)
    shared.forget('p0')
    expect(await other.room.take('k')).toBe(true)
    lost = true
    await one.room.take('x')
    shared = new Counts({ ticks: () => now })
    lost = false
    await expect.poll(() => one.heard.at(-1)).toBe(true)
    await settle()
    expect(shared.enter({ kind: 'enter', key: 'k', most: 100, running: 0, need: 100, block: false }, 1, 'looker').granted).toBe(
      40,
    )
  })
})

it('an answer that came while this process was busy is not too late', async () => {
  const reach = new Reach({
    counts: {
      async send(asks) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return { sharers: 1, answers: asks.map((ask) => shared.answer(ask, 1, 'p')) }
      },
    },
    timeoutMs: 20,
    probeMs: PROBE_MS,
    sharers: 1,
    changed: () => undefined,
  })
  const answer = reach.ask({ kind: 'strike', address: 'a', count: 1 })
  await Promise.resolve()
  const until = performance.now() + 100
  while (performance.now() < until);
  expect(await answer).toMatchObject({ strikes: 1 })
  reach.stop()
})

it('an answer that comes too late is not waited for', async () => {
  const reach = new Reach({
    counts: { send: () => new Promise(() => {}) },
    timeoutMs: 20,
    probeMs: PROBE_MS,
    sharers: 1,
    changed: () => undefined,
  })
  expect(await reach.ask({ kind: 'strike', address: 'a', count: 1 })).toBeNull()
  expect(reach.reached).toBe(false)
  reach.stop()
})
