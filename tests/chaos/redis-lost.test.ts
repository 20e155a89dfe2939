import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'

interface CallResult {
  at: number
  status: number
  tookMs: number
}

async function call(url: string, secret: string): Promise<CallResult> {
  const at = performance.now()
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake/chat', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 }),
  })
  await answer.arrayBuffer()
  return { at, status: answer.status, tookMs: performance.now() - at }
}

interface Machines extends AsyncDisposable {
  gateways: [TestGateway, TestGateway]
  redis: TestRedis
  database: TestDatabase
  vendor: FakeVendor
  key(rpm?: number): Promise<string>
}

/** Opens two gateways that know of each other only through Redis, one of them with two workers. */
async function openMachines(extraEnv: Record<string, string> = {}): Promise<Machines> {
  const redis = await startRedis()
  const database = await createDatabase()
  const vendor = await startFakeVendor()
  vendor.answer((vendorCall) => sendJson(vendorCall, chatAnswer('ok')))
  const env = { REDIS_URL: redis.url, DATABASE_POOL: '3', LOG_LEVEL: 'info', ...extraEnv }
  const one = await startGateway({ databaseUrl: database.url, env })
  const two = await startGateway({ databaseUrl: database.url, env: { ...env, WORKERS: '2' } })
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  const account = await addAccount(database.pool, 100_000_000_000n)
  // Until they have heard of the model, and of each other.
  await sleep(1500)
  return {
    gateways: [one, two],
    redis,
    database,
    vendor,
    key: async (rpm) => (await addKey(database.pool, account, rpm === undefined ? {} : { rpm })).secret,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.stop(), two.stop()])
      await redis[Symbol.asyncDispose]()
      await vendor[Symbol.asyncDispose]()
      await database.drop()
    },
  }
}

const countOk = (seen: CallResult[]) => seen.filter(({ status }) => status === 200).length
const callBoth = (machines: Machines, count: number, secret: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(machines.gateways[n % 2]?.url ?? '', secret)))
const readReachability = async ({ gateways }: Machines): Promise<string[]> =>
  await Promise.all(
    gateways.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return /^tollgate_shared_limits_reached (\d)$/m.exec(text)?.[1] ?? ''
    }),
  )

describe.skipIf(!hasRedis)('limits in Redis, over two machines and three processes', () => {
  test('let exactly 100 of 400 calls at once pass, and hold when they are found again', async () => {
    // On a machine that is busy with tests an answer may take long, and would otherwise count as lost.
    await using machines = await openMachines({ REDIS_TIMEOUT_MS: '2000' })
    expect(countOk(await callBoth(machines, 400, await machines.key(100)))).toBe(100)

    await machines.redis.kill()
    const key = await machines.key(90)
    const outageResults = await callBoth(machines, 300, key)
    expect(await readReachability(machines)).toEqual(['0', '0'])
    // Each process keeps to its share of 30: never more than the whole limit, and never nothing.
    expect(countOk(outageResults)).toBeLessThanOrEqual(90)
    expect(countOk(outageResults)).toBeGreaterThanOrEqual(60)

    await machines.redis.restart()
    await expect.poll(() => readReachability(machines), { timeout: 10_000 }).toEqual(['1', '1'])
    expect(countOk(await callBoth(machines, 200, await machines.key(50)))).toBe(50)
    for (const gateway of machines.gateways) {
      expect(gateway.log()).toContain('the shared limits are unreachable')
      expect(gateway.log()).toContain('the shared limits are reachable again')
    }
    // Last, because it locks out all clients of this machine whose keys have not been seen yet.
    const [one, two] = machines.gateways
    const unknownKey = `sk-tg-${'0'.repeat(46)}`
    const statuses: number[] = []
    for (let n = 0; n < 64; n++) statuses.push((await call(n % 2 ? one.url : two.url, unknownKey)).status)
    expect(statuses).toEqual([...Array(60).fill(401), ...Array(4).fill(429)])
  })

  test.each(['killed', 'stopped without a word'])('Redis is %s under load: nobody waits for it, calls go on', async (how) => {
    // A killed Redis is noticed at once, so the timeout can be long: if a busy machine is taken for a lost Redis, the limit is
    // less exact.
    const killed = how === 'killed'
    await using machines = await openMachines(killed ? { REDIS_TIMEOUT_MS: '2000' } : {})
    const [unlimitedKey, limitedKey] = [await machines.key(), await machines.key(60)]
    const results: CallResult[] = []
    const limitedResults: CallResult[] = []
    let running = true
    const clients = Array.from({ length: 12 }, async (_, n) => {
      const url = machines.gateways[n % 2]?.url ?? ''
      while (running) {
        results.push(await call(url, unlimitedKey))
        if (n < 4) limitedResults.push(await call(url, limitedKey))
      }
    })
    const stop = async () => {
      running = false
      await Promise.all(clients)
    }
    try {
      await sleep(1500)
      const lostAt = performance.now()
      if (killed) await machines.redis.kill()
      else machines.redis.pause()
      await sleep(2500)
      const after = results.filter(({ at }) => at > lostAt)
      expect(after.length).toBeGreaterThan(30)
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]))
      expect(Math.max(...after.map(({ tookMs }) => tookMs))).toBeLessThan(1000)
      // Of 60 a minute, what was left when Redis was lost is shared out: no more than that, apart from requests in flight.
      expect(countOk(limitedResults)).toBeLessThanOrEqual(killed ? 63 : 119)
      if (killed) await machines.redis.restart()
      else machines.redis.resume()
      await expect.poll(() => readReachability(machines), { timeout: 10_000 }).toEqual(['1', '1'])
    } finally {
      await stop()
    }
    expect(results.every(({ status }) => status === 200)).toBe(true)
  })

  test('a gateway whose Redis is away starts all the same', async () => {
    await using database = await createDatabase()
    await using gateway = await startGateway({ databaseUrl: database.url, env: { REDIS_URL: 'redis://127.0.0.1:1' } })
    const { secret } = await addKey(database.pool, await addAccount(database.pool, 1n), { rpm: 2 })
    const ask = async () => (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  })
})
