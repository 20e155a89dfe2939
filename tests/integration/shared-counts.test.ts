import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Counts } from '#lib/gateway/limits/counts'
import type { CountsAnswer, CountsAsk, EnterAnswer, StrikeAnswer, TakeAnswer } from '#lib/gateway/limits/counts-protocol'
import { RedisCounts } from '#lib/host/redis-counts'
import { freePort } from '../support/gateway.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'

/** Two processes that share counts. */
interface SharedCounts {
  one(ask: CountsAsk): Promise<CountsAnswer>
  other(ask: CountsAsk): Promise<CountsAnswer>
  /** Waits until both know of each other. */
  ready(): Promise<void>
  stopOther(): Promise<void>
  close(): Promise<void>
}

const inMemory = async (): Promise<SharedCounts> => {
  const counts = new Counts({ ticks: () => performance.now() })
  return {
    one: async (ask) => counts.answer(ask, 2, 'one'),
    other: async (ask) => counts.answer(ask, 2, 'other'),
    ready: async () => undefined,
    stopOther: async () => counts.forget('other'),
    close: async () => undefined,
  }
}

let redis: TestRedis | undefined
const inRedis = async (): Promise<SharedCounts> => {
  redis = await startRedis()
  const { url } = redis
  const [one, other] = ['one', 'other'].map((process) => new RedisCounts({ url, process }))
  if (!one || !other) throw new Error('unreachable')
  await Promise.all([one.waitUntilReady(5000), other.waitUntilReady(5000)])
  const send = async (counts: RedisCounts, ask: CountsAsk) => (await counts.send([ask])).answers[0] as CountsAnswer
  return {
    one: (ask) => send(one, ask),
    other: (ask) => send(other, ask),
    ready: async () => {
      await other.send([])
      expect((await one.send([])).sharers).toBe(2)
      expect((await other.send([])).sharers).toBe(2)
    },
    stopOther: () => other.stop(),
    close: async () => {
      await one.stop()
      await redis?.[Symbol.asyncDispose]()
    },
  }
}

const stores: [string, () => Promise<SharedCounts>][] = [['memory', inMemory]]
if (hasRedis) stores.push(['Redis', inRedis])
const NO_COUNT = { requests: 0, tokens: 0 }
const take = (key: string, more: object = {}): CountsAsk => ({
  kind: 'take',
  key,
  rpm: 10,
  tpm: 1000,
  tokens: [10],
  window: null,
  back: NO_COUNT,
  block: false,
  ...more,
})
const enter = (more: object): CountsAsk => ({ kind: 'enter', key: 'k', most: 10, running: 0, need: 1, block: true, ...more })

describe.each(stores)('counts in %s', (_, open) => {
  let world: SharedCounts
  beforeAll(async () => {
    world = await open()
    await world.ready()
  })
  afterAll(() => world?.close())
  const taking = async (member: 'one' | 'other', ask: CountsAsk) => (await world[member](ask)) as TakeAnswer

  test('count requests of a key to its limit, whoever asks', async () => {
    const first = await taking('one', take('a', { tokens: [10, 20, 30] }))
    expect(first).toMatchObject({ used: { requests: 3, tokens: 60 }, full: [null, null, null], block: NO_COUNT })
    expect(first.endsInMs).toBeGreaterThan(59_000)
    expect(first.endsInMs).toBeLessThanOrEqual(60_000)
    const second = await taking('other', take('a', { tokens: Array(8).fill(1) }))
    expect(second.window).toBe(first.window)
    expect(second).toMatchObject({ used: { requests: 10, tokens: 67 }, full: [...Array(7).fill(null), 'requests'] })
    expect((await taking('one', take('b'))).used).toEqual({ requests: 1, tokens: 10 })
  })

  test('count tokens, let a smaller request pass, and one above the limit only where none are used', async () => {
    expect((await taking('one', take('t', { tokens: [5000, 1] }))).full).toEqual([null, 'tokens'])
    expect((await taking('one', take('u', { tokens: [600, 600, 400, 1] }))).full).toEqual([null, 'tokens', null, 'tokens'])
  })

  test('take back what is of their minute, and count what was used too much in any', async () => {
    const { window } = await taking('one', take('w', { tokens: [500] }))
    const takeUsed = async (more: object) => (await taking('one', take('w', { tokens: [], ...more }))).used
    expect(await takeUsed({ window: 'old', back: { requests: 1, tokens: 200 } })).toEqual({ requests: 1, tokens: 500 })
    expect(await takeUsed({ window, back: { requests: 1, tokens: 200 } })).toEqual({ requests: 0, tokens: 300 })
    expect(await takeUsed({ window: 'old', back: { requests: 1, tokens: 200 } })).toEqual({ requests: 0, tokens: 300 })
    expect(await takeUsed({ window: 'old', back: { requests: -2, tokens: -100 } })).toEqual({ requests: 2, tokens: 400 })
    expect(await takeUsed({ window, back: { requests: 9, tokens: 9000 } })).toEqual(NO_COUNT)
  })

  test('give blocks of a sixteenth of what is free for each process, and none where that is little', async () => {
    const large = { rpm: 1_000_000, tpm: 100_000_000_000, block: true }
    const { used, block } = await taking('one', take('l', large))
    expect(block).toEqual({ requests: Math.floor(999_999 / 32), tokens: Math.floor(99_999_999_990 / 32) })
    expect(used).toEqual({ requests: 1 + block.requests, tokens: 10 + block.tokens })
    expect((await taking('one', take('s', { rpm: 200, tpm: 1e9, block: true }))).block).toEqual(NO_COUNT)
    expect((await taking('one', take('s2', { rpm: 1e6, tpm: 1000, block: true }))).block).toEqual(NO_COUNT)
  })

  test('count failures of an address', async () => {
    const strike = async (member: 'one' | 'other', count: 0 | 1) =>
      (await world[member]({ kind: 'strike', address: '192.0.2.7', count })) as StrikeAnswer
    expect(await strike('one', 0)).toEqual({ strikes: 0, endsInMs: 0 })
    expect((await strike('one', 1)).strikes).toBe(1)
    expect((await strike('other', 1)).strikes).toBe(2)
    expect((await strike('one', 0)).strikes).toBe(2)
    expect((await strike('one', 0)).endsInMs).toBeGreaterThan(58_000)
  })

  test('never give more places than there are; those of a process that is gone are free again', async () => {
    const sendEnter = async (member: 'one' | 'other', more: object) => (await world[member](enter(more))) as EnterAnswer
    expect(await sendEnter('one', { need: 6 })).toEqual({ granted: 6, block: 0 })
    expect(await sendEnter('other', { need: 6 })).toEqual({ granted: 4, block: 0 })
    expect(await sendEnter('one', { running: 5, need: 3 })).toEqual({ granted: 1, block: 0 })
    expect(await sendEnter('one', { running: 2, need: 0 })).toEqual({ granted: 0, block: 0 })
    expect(await sendEnter('one', { key: 'many', most: 1000, need: 1 })).toEqual({ granted: 1, block: 31 })
    expect((await sendEnter('other', { key: 'many', most: 1000, need: 1000 })).granted).toBe(968)
    await world.stopOther()
    expect((await sendEnter('one', { running: 2, need: 9 })).granted).toBe(8)
  })
})

test('a Redis that cannot be reached is told with what keeps from it', async () => {
  const port = await freePort()
  const counts = new RedisCounts({ url: `redis://localhost:${port}`, process: 'one' })
  await expect.poll(() => counts.send([]).catch(String)).toMatch(/the connection to Redis is \w+: .*ECONNREFUSED/)
  await counts.stop()
})

test.skipIf(!hasRedis)('a Redis that lets nobody in with these words is told as such, and they are not', async () => {
  await using server = await startRedis()
  const counts = new RedisCounts({ url: server.url.replace('//', '//stranger:hidden@'), process: 'one' })
  await expect.poll(() => counts.send([]).catch(String)).toMatch(/^(?!.*hidden).* Redis is \w+: WRONGPASS/)
  await counts.stop()
})

test.skipIf(!hasRedis)(
  'a Redis without the database that is named is out of reach: nothing is counted in another one',
  async () => {
    await using server = await startRedis()
    const counts = new RedisCounts({ url: `${server.url}/99`, process: 'one' })
    await counts.waitUntilReady(5000)
    await expect(counts.send([take('key')])).rejects.toThrow(/in REDIS_URL is not available: .*out of range/)
    const first = new RedisCounts({ url: server.url, process: 'two' })
    await first.waitUntilReady(5000)
    expect((await first.send([])).sharers).toBe(1)
    await Promise.all([counts.stop(), first.stop()])
  },
)

test.skipIf(!hasRedis)(
  'a Redis that is asked for by TLS, and does not speak it, is told as such before a start goes on without it',
  async () => {
    await using server = await startRedis()
    const counts = new RedisCounts({ url: server.url.replace('redis:', 'rediss:'), process: 'one' })
    await counts.waitUntilReady(2000)
    await expect(counts.send([])).rejects.toThrow(/does it speak TLS/)
    await counts.stop()
  },
)
