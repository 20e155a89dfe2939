import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OperatorModel } from '#lib/contracts/operator'
import {
  type ApiWorld,
  chatBody,
  expectError,
  type Holder,
  headersOf,
  openApiWorld,
  untilModelKnown,
} from '../fakes/api-world.ts'
import { claudeAnswer, claudeText, respondClaude } from '../fakes/bridged-vendors.ts'
import { chatAnswer, type FakeVendor, holdAnswers, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { respondError } from '../fakes/vendor-faults.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addDeployment, addKey, addModel, type DeploymentOptions, inOneTransaction } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'
import type { RawAnswer } from '../support/raw-client.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, loadOperatorRoutes } from './operator-world.ts'

const RICH_BALANCE = 10n ** 13n
const PATIENCE = { timeout: 15_000, interval: 50 }
type Limits = Pick<DeploymentOptions, 'requestsPerMinute' | 'tokensPerMinute' | 'kind'>

let secondVendor: FakeVendor
beforeAll(async () => {
  secondVendor = await startFakeVendor()
})
afterAll(() => secondVendor?.[Symbol.asyncDispose]())

const answerWithUsage = (vendor: FakeVendor, prompt = 10, completion = 5) =>
  vendor.answer((call) => sendJson(call, chatAnswer('ok', usageOf(prompt, completion))))

/** Adds a model with a deployment of these limits and, if there is another vendor, one behind it. */
const addRatedModel = (pool: pg.Pool, id: string, first: FakeVendor, limits: Limits, spareVendor?: FakeVendor): Promise<void> =>
  inOneTransaction(pool, async (client) => {
    await addModel(client, { id, baseUrl: first.url, ...limits })
    if (spareVendor) await addDeployment(client, id, { baseUrl: spareVendor.url, priority: 1 })
  })

/** Expects the seconds until the end of a minute that began between these two times. */
function expectRetryAfter(retryAfter: string | null, { fromMs, toMs }: { fromMs: number; toMs: number }): void {
  const nowMs = performance.now()
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(Math.floor((fromMs + 60_000 - nowMs) / 1000))
  expect(Number(retryAfter)).toBeLessThanOrEqual(Math.ceil((toMs + 60_000 - fromMs) / 1000))
}

describe('in one process', () => {
  let world: ApiWorld
  let holder: Holder
  let models = 0
  beforeAll(async () => {
    world = await openApiWorld()
    holder = await world.holder({}, RICH_BALANCE)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())
  beforeEach(() => {
    for (const vendor of [world.vendor, secondVendor]) {
      vendor.calls.length = 0
      answerWithUsage(vendor)
    }
  })

  async function createRatedModel(limits: Limits, spareVendor?: FakeVendor): Promise<string> {
    const id = `fake/paced-${++models}`
    await addRatedModel(world.pool, id, world.vendor, limits, spareVendor)
    await untilModelKnown(world, id)
    return id
  }
  const ask = (model: string, overrides: object = {}, secret = holder.secret): Promise<RawAnswer> =>
    world.chat(secret, { model, max_tokens: 10, ...overrides })
  const askMany = (count: number, model: string) => Promise.all(Array.from({ length: count }, () => ask(model)))
  const statuses = (answers: RawAnswer[]) => answers.map(({ status }) => status)
  const calls = () => [world.vendor.calls.length, secondVendor.calls.length]

  test('exactly so many requests a minute come to a deployment; the next one takes the others, and no client sees it', async () => {
    const model = await createRatedModel({ requestsPerMinute: 7 }, secondVendor)
    const caller = await world.holder()
    expect(statuses(await Promise.all(Array.from({ length: 20 }, () => ask(model, {}, caller.secret))))).toEqual(
      Array(20).fill(200),
    )
    expect(calls()).toEqual([7, 13])
    // A deployment that is skipped was not tried, so nothing failed.
    const records = await world.records(caller.accountId, 20)
    expect(records.map(({ trace }) => trace.map(({ result }) => result))).toEqual(Array(20).fill(['answered']))
    await world.expectSettledBooks(caller, 20)
  })

  test('where none has room, the answer says when one has, and nothing is held, called or charged', async () => {
    const model = await createRatedModel({ requestsPerMinute: 2 })
    const fromMs = performance.now()
    expect(statuses(await askMany(2, model))).toEqual([200, 200])
    const toMs = performance.now()
    const refused = await world.expectRefused(
      (secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model, max_tokens: 10 })) }),
      { condition: 'unavailable', message: /no deployment that can answer now/, holds: true },
    )
    expectRetryAfter(refused.header('retry-after'), { fromMs, toMs })
  })

  test('tokens are set aside while a call runs, and then what it used counts', async () => {
    const model = await createRatedModel({ tokensPerMinute: 1000 })
    answerWithUsage(world.vendor, 300, 100)
    for (let n = 0; n < 3; n++) expect((await ask(model)).status).toBe(200)
    // 1,200 tokens were used: more than the limit, which nobody could know before.
    expectError(await ask(model), { condition: 'unavailable' })
    expect(calls()).toEqual([3, 0])
  })

  test('tokens that a call did not use are there for the next one, and not before', async () => {
    const model = await createRatedModel({ tokensPerMinute: 1000 }, secondVendor)
    answerWithUsage(world.vendor, 1, 1)
    const text = 'x'.repeat(2400)
    const large = { messages: [{ role: 'user', content: text }] }
    for (let n = 0; n < 5; n++) expect((await ask(model, large)).status).toBe(200)
    expect(calls()).toEqual([5, 0])
    const release = holdAnswers(world.vendor, (call) => sendJson(call, chatAnswer('ok', usageOf(1, 1))))
    const running = ask(model, large)
    await expect.poll(() => world.vendor.calls.length).toBe(6)
    expect((await ask(model, large)).status).toBe(200)
    expect(calls()).toEqual([6, 1])
    release()
    expect((await running).status).toBe(200)
    expect((await ask(model, large)).status).toBe(200)
    expect(calls()).toEqual([7, 1])
  })

  test('a call that failed gives its tokens back, and counts as a request', async () => {
    const model = await createRatedModel({ tokensPerMinute: 1000, requestsPerMinute: 3 }, secondVendor)
    const large = { messages: [{ role: 'user', content: 'x'.repeat(2400) }] }
    world.vendor.answer(respondError(500, { message: 'No.' }))
    for (let n = 0; n < 5; n++) expect((await ask(model, large)).status).toBe(200)
    expect(calls()).toEqual([3, 5])
  })

  test('a vendor that is asked several times for one call has each of them counted', async () => {
    world.vendor.answer(respondClaude(claudeAnswer([claudeText('ok')])))
    const bridged = await createRatedModel({ kind: 'anthropic', requestsPerMinute: 4 })
    expect(statuses([await ask(bridged, { n: 3 }), await ask(bridged), await ask(bridged)])).toEqual([200, 200, 503])
    expect(calls()).toEqual([4, 0])
    answerWithUsage(world.vendor)
    const forwarded = await createRatedModel({ kind: 'groq', requestsPerMinute: 4 })
    const to = { method: 'POST', path: '/v1/completions', headers: headersOf(holder.secret) }
    const complete = (prompt: string[]) =>
      world.send({ ...to, body: JSON.stringify({ model: forwarded, prompt, max_tokens: 10 }) })
    expect(statuses([await complete(['a', 'b', 'c']), await complete(['a']), await complete(['a'])])).toEqual([200, 200, 503])
    expect(calls()).toEqual([8, 0])
  })

  test('a stream is counted as any call', async () => {
    const model = await createRatedModel({ requestsPerMinute: 1 })
    world.vendor.answer((call) => sendJson(call, chatAnswer('ok', usageOf(10, 5))))
    expect((await ask(model)).status).toBe(200)
    expectError(await ask(model, { stream: true }), { condition: 'unavailable' })
  })
})

describe('over two processes', () => {
  /** Calls a model, each time on a connection of its own, `count` calls at once, spread over these addresses in turn. */
  async function ask(urls: string[], model: string, secret: string, count: number): Promise<number[]> {
    const pending = Array.from({ length: count }, async (_, n) => {
      const answer = await fetch(`${urls[n % urls.length]}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      await answer.arrayBuffer()
      return answer.status
    })
    return await Promise.all(pending)
  }

  /** Expects that every request is answered, and exactly `limit` of those within a minute by the first deployment. */
  async function expectExact(pool: pg.Pool, urls: string[], limit: number, first: FakeVendor): Promise<void> {
    const { secret } = await addKey(pool, await addAccount(pool, RICH_BALANCE))
    for (let tries = 0; tries < 3; tries++) {
      answerWithUsage(first)
      answerWithUsage(secondVendor)
      first.calls.length = 0
      secondVendor.calls.length = 0
      const model = `fake/shared-${limit}-${tries}`
      await addRatedModel(pool, model, first, { requestsPerMinute: limit }, secondVendor)
      const fromMs = performance.now()
      const acceptedCount = await fill(urls, model, secret, () => secondVendor.calls.length > 0 && first.calls.length >= limit)
      const moreStatuses = await ask(urls, model, secret, 40)
      // If the machine took longer, it has seen two minutes.
      if (performance.now() - fromMs > 59_000) continue
      expect(moreStatuses).toEqual(Array(40).fill(200))
      expect([first.calls.length, secondVendor.calls.length]).toEqual([limit, acceptedCount + 40 - limit])
      return
    }
    throw new Error('this machine is too slow to send so much in a minute')
  }

  /** Calls a model until enough calls were made. Returns how many it took. */
  async function fill(urls: string[], model: string, secret: string, isEnough: () => boolean): Promise<number> {
    let acceptedCount = 0
    const send = async (count: number) => {
      const all = await ask(urls, model, secret, count)
      acceptedCount += all.filter((status) => status === 200).length
      return [...new Set(all)]
    }
    // A process that has not heard of the model answers 404. With few calls all of them may reach the other process.
    await expect.poll(() => send(40), PATIENCE).toEqual([200])
    for (let rounds = 0; !isEnough(); rounds++) {
      expect(await send(40)).toEqual([200])
      if (rounds > 60) throw new Error(`not enough after ${acceptedCount} calls`)
    }
    return acceptedCount
  }

  // The larger limit is leased in blocks; for the smaller one every request asks.
  test('of one machine the limit holds to the last request', async () => {
    const database = await createDatabase()
    await using first = await startFakeVendor()
    const env = { WORKERS: '2', DATABASE_POOL: '3' }
    {
      await using gateway = await startGateway({ databaseUrl: database.url, env })
      for (const limit of [20, 320]) await expectExact(database.pool, [gateway.url], limit, first)
    }
    await database.drop()
  }, 240_000)

  test.skipIf(!hasRedis)(
    'that share Redis the limit holds to the last request',
    async () => {
      const database = await createDatabase()
      await using first = await startFakeVendor()
      await using redis = await startRedis()
      // A machine that runs tests is often late.
      const env = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '5000', DATABASE_POOL: '3' }
      {
        await using firstGateway = await startGateway({ databaseUrl: database.url, env })
        await using other = await startGateway({ databaseUrl: database.url, env })
        for (const limit of [20, 400]) {
          first.calls.length = 0
          await expectExact(database.pool, [firstGateway.url, other.url], limit, first)
        }
      }
      await database.drop()
    },
    90_000,
  )
})

test('what an operator changes about the limits holds for the next requests, without a restart', async () => {
  const routes = await loadOperatorRoutes()
  const world = await openConsoleWorld()
  await using vendor = await startFakeVendor()
  answerWithUsage(vendor)
  provideConsole(world.console)
  try {
    const ada = await world.newUser('operator')
    const call = createCaller(world, routes)
    const { secret } = await addKey(world.pool, await addAccount(world.pool, RICH_BALANCE), { groupId: 'grp_main' })
    await addModel(world.pool, { id: 'fake/chat', baseUrl: vendor.url, groupId: 'grp_main' })
    const { rows } = await world.pool.query<{ id: string }>(`select id from deployment where model_id = 'fake/chat'`)
    await using gateway = await startGateway({ databaseUrl: world.url })
    const chat = async () => {
      const body = JSON.stringify({ model: 'fake/chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] })
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      return (await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })).status
    }
    let version = 1
    const change = async (limits: object) => {
      const answer = await call('PATCH', `deployments/${rows[0]?.id}`, ada, { ...limits, version: version++ })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    }
    const readDeployment = async () => {
      const { body } = await call('GET', 'model?id=fake/chat', ada)
      return (body as unknown as OperatorModel).deploymentRows[0]
    }
    expect(await chat()).toBe(200)
    await change({ requestsPerMinute: 2 })
    await expect.poll(chat, PATIENCE).toBe(503)
    await expect.poll(readDeployment, PATIENCE).toMatchObject({ requestsPerMinute: 2, health: 'well', isFull: true })
    await change({ requestsPerMinute: 1_000_000 })
    await expect.poll(chat, PATIENCE).toBe(200)
    await change({ requestsPerMinute: 1 })
    await expect.poll(chat, PATIENCE).toBe(503)
    await change({ requestsPerMinute: null, tokensPerMinute: 1 })
    await expect.poll(chat, PATIENCE).toBe(200)
    await expect.poll(chat, PATIENCE).toBe(503)
    await change({ tokensPerMinute: null })
    await expect.poll(chat, PATIENCE).toBe(200)
    expect(await readDeployment()).toMatchObject({ requestsPerMinute: null, tokensPerMinute: null, isFull: false })
  } finally {
    await world.close()
  }
})
