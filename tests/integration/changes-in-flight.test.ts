// Changes made while an answer is in progress: that answer is charged as it was admitted, and the next one by the new state.
// Changes made while a request is still arriving: they apply to it.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateKey } from '#lib/services/keys/update-key'
import { archiveModel } from '#lib/services/operator/archive'
import { setPrice } from '#lib/services/operator/set-price'
import { suspendAccount } from '#lib/services/operator/suspend-account'
import { updateGroup } from '#lib/services/operator/update-group'
import type { ConsolePorts, SignedInUser } from '#lib/services/ports'
import { createConsoleStore } from '#lib/store/console/console-store'
import { createPrisma, type Prisma } from '#lib/store/prisma'
import { type ApiWorld, BALANCE, chatBody, type Holder, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { addGroup, addModel, revokeKey } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { eventsOf, type RawAnswer, RawConnection, requestBytes } from '../support/raw-client.ts'

let world: ApiWorld
let prisma: Prisma
let ports: ConsolePorts
beforeAll(async () => {
  world = await openApiWorld()
  prisma = createPrisma(world.pool)
  const store = createConsoleStore({ pool: world.pool, prisma })
  const ids = { create: (prefix: string) => `${prefix}_${randomUUID()}` }
  ports = { ...store, clock: { now: () => new Date() }, ids } as unknown as ConsolePorts
})
afterAll(async () => {
  await expectBalancedBooks(world.pool)
  await prisma.$disconnect()
  await world[Symbol.asyncDispose]()
})

const OPERATOR = {
  userId: 'usr_operator',
  email: 'operator@example.com',
  accountId: 'acc_operator',
  role: 'owner',
} as SignedInUser
const asOperator = () => ({ ...ports, user: OPERATOR }) as ConsolePorts & { user: never }
const asHolder = (holder: Holder) => ({ ...ports, user: { accountId: holder.accountId } }) as ConsolePorts & { user: never }
const USAGE = usageOf(10, 100)
/** `output` nano-dollars for each output token, and nothing for the rest. */
const rates = (output: number) => ({ input: '0', output: String(output * 1_000_000) })

interface ModelHolder extends Holder {
  model: string
  groupId: string
}

/** Changes a model's deployments, and tells the gateway. */
async function switchDeployment(model: string, sql: string): Promise<void> {
  await world.pool.query(sql, [model])
  await world.pool.query(`insert into change (topic, ref) values ('catalog', $1)`, [model])
  await world.pool.query(`select pg_notify('tollgate_change', 'catalog:' || $1::text)`, [model])
}

let modelCount = 0
/** Makes a model of its own in a group of its own, and somebody with a key for it. */
async function createModelHolder(): Promise<ModelHolder> {
  const model = `fake/own-${++modelCount}`
  const groupId = await addGroup(world.pool, model)
  await addModel(world.pool, { id: model, baseUrl: world.vendor.url, units: rates(1), groupId })
  const holder = { ...(await world.holder({ groupId }, BALANCE)), model, groupId }
  world.vendor.answer((call) => sendJson(call, chatAnswer('x', USAGE)))
  await expect.poll(() => statusOf(holder)).toBe(200)
  return holder
}

const ask = (of: ModelHolder, overrides: object = {}) => world.chat(of.secret, { model: of.model, max_tokens: 200, ...overrides })
const statusOf = async (of: ModelHolder) => (await ask(of)).status
const versionOf = async (table: 'model' | 'model_group', id: string): Promise<number> =>
  (await world.pool.query(`select version from ${table} where id = $1`, [id])).rows[0].version

/** The cost of the next answer in nano-dollars, or null if it is refused. */
async function measureNextCost(of: ModelHolder): Promise<number | null> {
  const answer = await ask(of)
  return answer.status === 200 ? costOf(answer, false) : null
}

/** Blocks the next call until it is released (a stream in the middle of its answer), and answers all others at once. */
function blockNextCall(stream: boolean): { came: Promise<void>; release: () => void } {
  const [came, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let first = true
  world.vendor.answer(async (call: Call) => {
    if (!first) return sendJson(call, chatAnswer('x', USAGE))
    first = false
    if (stream) {
      startStream(call)
      sendEvent(call, chatChunk('half '))
    }
    came.resolve()
    await rest.promise
    if (!stream) return sendJson(call, chatAnswer('x', USAGE))
    sendEvent(call, chatChunk('whole', 'stop'))
    sendEvent(call, usageChunk(USAGE))
    sendEvent(call, '[DONE]')
    call.response.end()
  })
  return { came: came.promise, release: rest.resolve }
}

/** The cost that the client was told, in nano-dollars. */
function costOf(answer: RawAnswer, stream: boolean): number {
  const payload = stream ? JSON.parse(eventsOf(answer.body).at(-2) ?? '{}') : answer.json()
  return Math.round((payload.usage as { cost: number }).cost * 1e9)
}

/**
 * Sends a request, makes a change and waits until it is heard while the answer is in progress. Returns its charge and receipt.
 */
async function changeDuring(of: ModelHolder, stream: boolean, change: () => Promise<unknown>) {
  const { came, release } = blockNextCall(stream)
  const pending = ask(of, stream ? { stream, stream_options: { include_usage: true } } : {})
  await came
  await change().finally(release)
  const answer = await pending
  expect(answer.status, answer.text).toBe(200)
  const { rows } = await world.pool.query(
    'select outcome, charged_nano, shortfall_nano, receipt from usage_record where id = $1',
    [answer.header('x-request-id')],
  )
  expect(rows).toMatchObject([{ outcome: 'finished', shortfall_nano: '0' }])
  const charged = Number(rows[0].charged_nano)
  expect(costOf(answer, stream)).toBe(charged)
  return { charged, receipt: rows[0].receipt as Record<string, unknown> }
}

/** Changes prices or groups, and waits until the gateway charges `cost` because of it. */
const changeAndWait = async (of: ModelHolder, cost: number, change: Promise<unknown>): Promise<void> => {
  await change
  await expect.poll(() => measureNextCost(of)).toBe(cost)
}

const priceIds = async (model: string): Promise<string[]> =>
  (await world.pool.query('select id from price where model_id = $1 order by starts_at', [model])).rows.map(({ id }) => id)

const setRates = (of: ModelHolder, output: number, startsAt: Date | null) => {
  const input = {
    modelId: of.model,
    startsAt: startsAt?.toISOString() ?? null,
    rates: rates(output),
    vendorRates: null,
    note: '',
  }
  return setPrice({ ctx: asOperator(), input })
}

async function changeGroup({ groupId }: ModelHolder, changes: { multiplierBp?: number; removeModels?: string[] }): Promise<void> {
  const version = await versionOf('model_group', groupId)
  const moves = { addModels: [], removeModels: [], addAccounts: [], removeAccounts: [] }
  await updateGroup({ ctx: asOperator(), input: { id: groupId, version, ...moves, ...changes } })
}

describe.each([
  ['a stream', true],
  ['a whole answer', false],
])('while %s is under way', (_, stream) => {
  it('another price holds for the next one, and the receipt names the version that was charged', async () => {
    const of = await createModelHolder()
    const { charged, receipt } = await changeDuring(of, stream, () => changeAndWait(of, 300, setRates(of, 3, null)))
    const [first, second] = await priceIds(of.model)
    expect({ charged, receipt }).toMatchObject({ charged: 100, receipt: { priceId: first } })
    expect(await changeDuring(of, stream, async () => {})).toMatchObject({ charged: 300, receipt: { priceId: second } })
  })

  it('a price that begins meanwhile, by its date, holds for the next one', async () => {
    const of = await createModelHolder()
    const set = () => setRates(of, 7, new Date(Date.now() + 500))
    const { charged, receipt } = await changeDuring(of, stream, () => changeAndWait(of, 700, set()))
    const [first] = await priceIds(of.model)
    expect({ charged, receipt }).toMatchObject({ charged: 100, receipt: { priceId: first } })
  })

  it('another factor of its group holds for the next one', async () => {
    const of = await createModelHolder()
    const { charged, receipt } = await changeDuring(of, stream, () =>
      changeAndWait(of, 250, changeGroup(of, { multiplierBp: 25_000 })),
    )
    expect({ charged, receipt }).toMatchObject({ charged: 100, receipt: { multiplierBp: 10_000 } })
  })

  it.each<[string, number, (of: ModelHolder) => Promise<unknown>]>([
    [
      'its model is archived',
      404,
      async ({ model: id }) => archiveModel({ ctx: asOperator(), input: { id, version: await versionOf('model', id) } }),
    ],
    ['its model leaves the group', 404, (of) => changeGroup(of, { removeModels: [of.model] })],
    ['its key is revoked', 401, ({ keyId }) => revokeKey(world.pool, keyId)],
    [
      'its account is suspended',
      429,
      ({ accountId: id }) => suspendAccount({ ctx: asOperator(), input: { id, reason: 'A reason' } }),
    ],
    [
      'the limit of its key goes below what it holds',
      429,
      (of) => updateKey({ ctx: asHolder(of), input: { id: of.keyId, limitMonthNano: '1' } }),
    ],
  ])('%s: it is delivered and charged, and the next one is refused', async (_name, status, change) => {
    const of = await createModelHolder()
    const { charged } = await changeDuring(of, stream, async () => {
      await change(of)
      await expect.poll(() => statusOf(of)).toBe(status)
    })
    expect(charged).toBe(100)
    await expectBalancedBooks(world.pool)
  })
})

describe('while a request is still arriving', () => {
  /** For longer than what is looked up at its headers holds. */
  const SLOWLY_MS = 600

  /** Sends all of a request but its end, makes a change, and sends the rest. */
  async function changeWhileArriving(of: ModelHolder, change: () => Promise<unknown>): Promise<RawAnswer> {
    const connection = await RawConnection.open(world.url)
    try {
      const body = JSON.stringify(chatBody({ model: of.model, max_tokens: 200 }))
      const bytes = requestBytes({ headers: headersOf(of.secret), body })
      connection.send(bytes.subarray(0, -10))
      await Promise.all([change(), sleep(SLOWLY_MS)])
      connection.send(bytes.subarray(-10))
      return await connection.readAnswer()
    } finally {
      connection.destroy()
    }
  }

  it('another price and another factor apply to it', async () => {
    const of = await createModelHolder()
    const answer = await changeWhileArriving(of, async () => {
      await changeAndWait(of, 300, setRates(of, 3, null))
      await changeAndWait(of, 750, changeGroup(of, { multiplierBp: 25_000 }))
    })
    expect(costOf(answer, false)).toBe(750)
    const { rows } = await world.pool.query('select charged_nano, receipt from usage_record where id = $1', [
      answer.header('x-request-id'),
    ])
    const [, second] = await priceIds(of.model)
    expect(rows).toMatchObject([{ charged_nano: '750', receipt: { priceId: second, multiplierBp: 25_000 } }])
  })

  it.each<[string, number, (of: ModelHolder) => Promise<unknown>]>([
    ['its key is revoked', 401, ({ keyId }) => revokeKey(world.pool, keyId)],
    ['its model leaves the group', 404, (of) => changeGroup(of, { removeModels: [of.model] })],
    [
      'its account is suspended',
      429,
      ({ accountId: id }) => suspendAccount({ ctx: asOperator(), input: { id, reason: 'A reason' } }),
    ],
    [
      'its only deployment is switched off',
      503,
      ({ model }) => switchDeployment(model, 'update deployment set enabled = false where model_id = $1'),
    ],
    [
      'its only deployment is held by an operator',
      503,
      ({ model }) =>
        switchDeployment(
          model,
          `insert into deployment_hold (deployment_id, held_by) select id, 'test' from deployment where model_id = $1`,
        ),
    ],
  ])('%s: it is refused, its vendor is not called, and nothing is charged', async (_name, status, change) => {
    const of = await createModelHolder()
    const calls = () => world.vendor.calls.length
    let before = 0
    const answer = await changeWhileArriving(of, async () => {
      await change(of)
      await expect.poll(() => statusOf(of)).toBe(status)
      before = calls()
    })
    expect(answer.status, answer.text).toBe(status)
    expect(calls()).toBe(before)
    await expectBalancedBooks(world.pool)
  })
})
