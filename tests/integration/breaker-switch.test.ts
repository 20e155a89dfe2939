import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { getAttention } from '#lib/services/operator/get-attention'
import { createBreakerSwitch } from '#lib/store/breaker-switch'
import { createTrafficReads } from '#lib/store/traffic-reads'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { respondError } from '../fakes/vendor-faults.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const FAILURES = 3
const MODEL = 'fake/chat'
const ACTOR = { userId: 'usr_1', email: 'op@example.com' }
// Nobody waits for a cool-down to end here: breakers are closed by hand.
const ENV = { BREAKER_FAILURES: String(FAILURES), BREAKER_COOL_MS: '600000', BREAKER_COOL_MOST_MS: '600000' }
const PATIENCE = { timeout: 15_000, interval: 50 }

let database: TestDatabase
let vendor: FakeVendor
let gateways: TestGateway[] = []
let secret = ''
let deploymentId = ''
let logs = 0

beforeAll(async () => {
  database = await createDatabase()
  vendor = await startFakeVendor()
  // The first start makes the group that keys belong to.
  gateways = await Promise.all([1, 2].map(() => startGateway({ databaseUrl: database.url, env: ENV })))
  const account = await addAccount(database.pool, 10_000_000_000n)
  secret = (await addKey(database.pool, account)).secret
  await addModel(database.pool, { id: MODEL, baseUrl: vendor.url })
  const { rows } = await database.pool.query<{ id: string }>('select id from deployment where model_id = $1', [MODEL])
  deploymentId = rows[0]?.id ?? ''
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE)
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  await vendor[Symbol.asyncDispose]()
  await database.drop()
})
beforeEach(() => vendor.answer((call) => sendJson(call, chatAnswer('well', usageOf(10, 5)))))

const set = (mode: 'held' | 'automatic' | 'reset', id = deploymentId) =>
  createBreakerSwitch(database.pool).set(ACTOR, `aud_${++logs}`, id, mode)

async function ask({ url }: TestGateway): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
  })
}
const statuses = () => Promise.all(gateways.map(async (gateway) => (await ask(gateway)).status))

const readAttention = () =>
  getAttention({
    ctx: {
      user: { ...ACTOR, accountId: 'acc_1', role: 'operator', name: 'Op', sessionEpoch: 0, locale: 'en' },
      traffic: createTrafficReads(database.pool),
      clock: { now: () => new Date() },
    },
  })

test('a deployment that is held is called by no process, also not by one that starts later, until it is let go', async () => {
  expect(await statuses()).toEqual([200, 200])
  expect(await set('held')).toBe(true)
  await vi.waitFor(async () => expect(await statuses()).toEqual([503, 503]), PATIENCE)

  const calls = vendor.calls.length
  await using lateGateway = await startGateway({ databaseUrl: database.url, env: ENV })
  const refused = await ask(lateGateway)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'service_unavailable' } })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect(vendor.calls.length).toBe(calls)
  expect((await readAttention()).deployments).toMatchObject([
    { id: deploymentId, breaker: { mode: 'held', heldBy: 'op@example.com', open: 0, processes: 3 } },
  ])

  expect(await set('automatic')).toBe(true)
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE)
  expect((await readAttention()).deployments).toEqual([])
})

test('a reset closes the breakers of all processes at once', async () => {
  vendor.answer(respondError(500, {}))
  await vi.waitFor(async () => expect(await statuses()).toEqual([503, 503]), PATIENCE)
  vendor.answer((call) => sendJson(call, chatAnswer('well', usageOf(10, 5))))
  expect(await statuses()).toEqual([503, 503])
  await vi.waitFor(
    async () =>
      expect((await readAttention()).deployments[0]?.breaker).toMatchObject({
        ...{ mode: 'automatic', open: 2, processes: 2 },
        failure: { result: 'failed', status: 500 },
      }),
    PATIENCE,
  )
  expect(await set('reset')).toBe(true)
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE)
  await vi.waitFor(async () => expect((await readAttention()).deployments[0]?.breaker.open ?? 0).toBe(0), PATIENCE)
})

test('a reset lets go what is held, and every switch stands in the log', async () => {
  await set('held')
  await vi.waitFor(async () => expect(await statuses()).toEqual([503, 503]), PATIENCE)
  await set('reset')
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE)
  const { rows } = await database.pool.query(
    'select verb, target_id, actor, before, after from audit_log order by at desc limit 2',
  )
  expect(rows).toEqual([
    { verb: 'deployment.reset', target_id: deploymentId, actor: ACTOR.email, before: { held: true }, after: { held: false } },
    { verb: 'deployment.hold', target_id: deploymentId, actor: ACTOR.email, before: { held: false }, after: { held: true } },
  ])
})

test('what is not there cannot be switched', async () => {
  expect(await set('held', 'dep_nobody')).toBe(false)
  expect((await database.pool.query(`select 1 from audit_log where target_id = 'dep_nobody'`)).rowCount).toBe(0)
})
