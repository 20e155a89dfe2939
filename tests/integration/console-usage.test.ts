import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { overview } from '#lib/contracts/overview'
import { requestDetail, requestPage, requestQuery } from '#lib/contracts/requests'
import { QUOTA_REFUSALS } from '#lib/domain/quota-refusals'
import type { AttemptResult, Settlement } from '#lib/domain/settlement'
import type { Unit } from '#lib/domain/usage'
import { getRequest } from '#lib/services/history/get-request'
import { listRequests } from '#lib/services/history/list-requests'
import type { SignedInUser } from '#lib/services/ports'
import { getOverview } from '#lib/services/usage/get-overview'
import { type ConsoleWorld, openConsoleWorld, receiptOf } from './console-world.ts'

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
  await world.pool.query('update purse set credit = 1000000 where id = $1', [user.accountId])
})

const at = (text: string) => new Date(`2026-11-${text}Z`)
const usage = (input: bigint, cachedInput: bigint, output: bigint) => ({
  ...{ input, cachedInput, cacheWrite: 0n, output, reasoning: 0n, requests: 1n },
})
const readOverview = async (days: 1 | 7 | 30 | 90 = 30) =>
  overview.parse(await getOverview({ ctx: world.as(user), input: { days } }))
const list = async (query: object = {}, as = user) =>
  requestPage.parse(await listRequests({ ctx: world.as(as), input: requestQuery.parse(query) }))
const detailOf = async (id: string, as = user) => requestDetail.parse(await getRequest({ ctx: world.as(as), input: { id } }))

describe('getOverview', () => {
  it('is all zeros for an account that did nothing', async () => {
    const summary = await readOverview(7)
    expect(summary).toMatchObject({
      ...{ balanceNano: '1000000', heldNano: '0', owedNano: '0', daysLeft: null, spentNano: '0', spentBeforeNano: '0' },
      ...{ requests: 0, errors: 0, firstTokenMs: null, ownMs: null, models: [], modelsUsed: 0, modelsAvailable: 2 },
      steps: { credited: false, key: false, call: false, limit: false },
    })
    expect(summary.days.map(({ day }) => day)).toEqual([14, 15, 16, 17, 18, 19, 20].map((day) => `2026-11-${day}`))
  })

  it('adds up to the records, by day and by model', async () => {
    await world.settle(user, { at: at('20T15:10:00'), total: 30n, usage: usage(5n, 2n, 4n), firstTokenMs: 100, ownMs: 2 })
    await world.settle(user, { at: at('20T00:00:00'), total: 5n, modelId: 'large', firstTokenMs: 300, ownMs: 4 })
    await world.settle(user, { at: at('19T23:59:59'), total: 7n, usage: usage(1n, 0n, 1n), ownMs: 6 })
    await world.settle(user, { at: at('14T00:00:00'), status: 500, outcome: 'vendor_failed', ownMs: 8 })
    await world.settle(user, { at: at('13T23:59:59'), total: 1000n })
    const summary = await readOverview(7)
    const { rows } = await world.pool.query(
      `select sum(charged_nano) as charged, count(*) as requests, count(*) filter (where status >= 400) as errors
       from usage_record where account_id = $1 and at >= '2026-11-14T00:00:00Z'`,
      [user.accountId],
    )
    expect(summary).toMatchObject({
      spentNano: rows[0].charged,
      requests: Number(rows[0].requests),
      errors: Number(rows[0].errors),
      ownMs: 5,
      firstTokenMs: 200,
    })
    const small = { model: 'small', nano: '30', tokens: 11, requests: 1, errors: 0 }
    const large = { model: 'large', nano: '5', tokens: 0, requests: 1, errors: 0 }
    expect(summary.days.at(-1)).toEqual({ day: '2026-11-20', models: [small, large], firstTokenMs: 200 })
    expect(summary.days.at(-2)).toMatchObject({ day: '2026-11-19', models: [{ nano: '7', tokens: 2 }] })
    expect(summary.models).toEqual([
      { model: 'small', requests: 3, tokens: 13, firstTokenMs: 100, nano: '37' },
      { model: 'large', requests: 1, tokens: 0, firstTokenMs: 300, nano: '5' },
    ])
    expect(summary.days.flatMap(({ models }) => models).reduce((sum, { nano }) => sum + BigInt(nano), 0n)).toBe(42n)
    expect(summary.balanceNano).toBe(String(1_000_000 - 1042))
  })

  it('tells the four dearest models apart by the day, and adds up all others', async () => {
    for (const [n, modelId] of ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'].entries())
      await world.settle(user, { at: at('20T10:00:00'), total: BigInt(100 - n), modelId, status: n === 5 ? 500 : 200 })
    const { days, models } = await readOverview(1)
    expect(models.map(({ model }) => model)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6'])
    expect(days[0]?.models).toContainEqual({ model: '', nano: String(96 + 95), tokens: 0, requests: 2, errors: 1 })
    expect(days[0]?.models).toHaveLength(5)
  })

  it('says what a day of the last seven cost', async () => {
    await world.settle(user, { at: at('18T10:00:00'), total: 70n })
    expect((await readOverview(1)).paceNano).toBe('10')
  })

  it('compares with as much of the days before', async () => {
    await world.settle(user, { at: at('19T15:59:59'), total: 8n })
    await world.settle(user, { at: at('19T16:00:00'), total: 100n })
    await world.settle(user, { at: at('18T23:59:59'), total: 1000n })
    expect(await readOverview(1)).toMatchObject({ spentNano: '0', spentBeforeNano: '8' })
  })

  it('says how long the balance lasts at the pace of seven days', async () => {
    await world.settle(user, { at: at('13T14:59:59'), total: 900_000n })
    expect((await readOverview()).daysLeft).toBeNull()
    await world.settle(user, { at: at('13T15:00:00'), total: 70n })
    await world.pool.query('update purse set credit = spent + 25 where id = $1', [user.accountId])
    expect((await readOverview()).daysLeft).toBe(2.5)
  })

  it('takes a median, which one slow request does not move', async () => {
    for (const firstTokenMs of [10, 20, 90_000, null]) await world.settle(user, { at: at('20T10:00:00'), firstTokenMs })
    expect((await readOverview(1)).firstTokenMs).toBe(20)
  })

  it('shows what is held and owed', async () => {
    Object.assign(world.held, { nano: 77n, requests: 2, tasks: 1 })
    await world.pool.query('update purse set owed = 5 where id = $1', [user.accountId])
    expect(await readOverview()).toMatchObject({ heldNano: '77', heldRequests: 2, heldTasks: 1, owedNano: '5' })
    Object.assign(world.held, { nano: 0n, requests: 0, tasks: 0 })
  })

  it('knows which first steps were taken', async () => {
    await world.settle(user, { at: at('01T10:00:00') })
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint, limit_month_nano)
       values ($1::text, $2, 'grp_main', 'n', convert_to($1, 'UTF8'), 'h', 5)`,
      [`key_${user.accountId}`, user.accountId],
    )
    expect((await readOverview(1)).steps).toEqual({ credited: false, key: true, call: true, limit: true })
  })

  it('sees nothing of another account', async () => {
    await world.settle(await world.newUser(), { at: at('20T10:00:00'), firstTokenMs: 5 })
    expect(await readOverview()).toMatchObject({ requests: 0, spentNano: '0', firstTokenMs: null, days: expect.any(Array) })
  })
})

describe('listRequests', () => {
  it('pages through everything once, newest first', async () => {
    const ids: string[] = []
    for (const minute of [1, 2, 3, 4, 5]) ids.unshift(await world.settle(user, { at: at(`20T10:0${minute}:00`) }))
    const seenIds: string[] = []
    let before: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: '2', ...(before ? { before } : {}) })
      seenIds.push(...page.rows.map(({ id }) => id))
      before = page.next
    } while (before)
    expect(seenIds).toEqual(ids)
  })

  it('says what was used where no tokens were counted, and of what was charged only', async () => {
    const line = { price: 1n, amount: 5n as NonNullable<Settlement['receipt']>['total'] }
    const settleUnits = (minute: number, more: Partial<Settlement>, ...units: [unit: Unit, count: bigint][]) => {
      const receipt = { ...receiptOf(5n), lines: units.map(([unit, count]) => ({ ...line, unit, count })) }
      return world.settle(user, { at: at(`20T10:0${minute}:00`), total: 5n, ...more, receipt })
    }
    await settleUnits(4, {}, ['request', 1n], ['image:1024x1024', 2n], ['image:1024x1024:hd', 1n])
    await settleUnits(3, {}, ['character', 40n])
    await settleUnits(2, { usage: usage(7n, 0n, 3n) }, ['input', 7n], ['image', 1n])
    await settleUnits(1, {}, ['request', 1n])
    await settleUnits(0, { status: 500, outcome: 'vendor_failed' }, ['video_second', 5n])
    const { rows } = await list({})
    expect(rows.map(({ pieces }) => pieces)).toEqual([
      { unit: 'image', count: 3 },
      { unit: 'character', count: 40 },
      null,
      null,
      null,
    ])
  })

  it('has no page after one that is exactly full', async () => {
    await world.settle(user, { at: at('20T10:00:00') })
    await world.settle(user, { at: at('20T10:01:00') })
    expect(await list({ limit: '2' })).toMatchObject({ rows: [{}, {}], next: null })
  })

  it('filters by model, key and status, over hours and pages', async () => {
    const matchingFields = { keyId: 'key_a', modelId: 'large', status: 400, outcome: 'refused', errorCode: 'bad' } as const
    const expectedIds = [
      await world.settle(user, { at: at('20T09:30:00'), ...matchingFields }),
      await world.settle(user, { at: at('20T09:10:00'), ...matchingFields }),
      await world.settle(user, { at: at('02T09:10:00'), ...matchingFields }),
    ]
    await world.settle(user, { at: at('20T10:00:00'), ...matchingFields, modelId: 'small' })
    await world.settle(user, { at: at('20T11:00:00'), ...matchingFields, keyId: 'key_b' })
    await world.settle(user, { at: at('20T09:20:00'), keyId: 'key_a', modelId: 'large' })
    const query = { model: 'large', key: 'key_a', status: 'error' }
    expect((await list(query)).rows.map(({ id }) => id)).toEqual(expectedIds)
    const first = await list({ ...query, limit: '1' })
    const second = await list({ ...query, limit: '1', before: first.next })
    const third = await list({ ...query, limit: '1', before: second.next })
    expect([first, second, third].flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(expectedIds)
    expect(third.next).toBeNull()
    expect((await list({ status: 'ok' })).rows).toHaveLength(1)
    expect((await list({ model: 'none' })).rows).toEqual([])
  })

  it('names the key', async () => {
    const keyId = `key_${user.accountId}`
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ($1::text, $2, 'grp_main', 'CI', convert_to($1, 'UTF8'), 'h')`,
      [keyId, user.accountId],
    )
    await world.settle(user, { at: at('20T10:00:00'), keyId, total: 12n, stream: true })
    expect((await list()).rows).toMatchObject([
      { keyName: 'CI', chargedNano: '12', stream: true, at: '2026-11-20T10:00:00.000Z' },
    ])
  })

  it('sees nothing of another account', async () => {
    const other = await world.newUser()
    await world.settle(other, { at: at('20T10:00:00') })
    expect((await list()).rows).toEqual([])
    expect((await list({}, other)).rows).toHaveLength(1)
  })
})

describe('getRequest', () => {
  const attempt = (connection: string, status: number | null, result: AttemptResult, detail: string | null = null) => ({
    ...{ deployment: `dep_${connection}`, connection, model: 'box-1', status, tookMs: 9, result, detail },
  })

  it('shows the receipt and the tries as they were stored, in their order', async () => {
    const trace = [
      attempt('away', null, 'unreachable', 'ECONNREFUSED'),
      attempt('busy', 429, 'limited'),
      attempt('box', 200, 'answered'),
    ]
    const id = await world.settle(user, { at: at('20T10:00:00'), total: 2n, trace, firstTokenMs: 3 })
    expect(await detailOf(id)).toMatchObject({
      id,
      holdNano: '2',
      chargedNano: '2',
      shortfallNano: '0',
      attempts: trace,
      history: null,
      receipt: {
        ...{ priceId: 'price_1', priceFrom: '2026-01-01T00:00:00.000Z', groupName: 'main', multiplierBp: 10_000 },
        ...{ totalNano: '2', exact: true, why: null },
        lines: [{ unit: 'output', count: '3', priceNano: '666666', amountNano: '2' }],
      },
    })
  })

  it('shows a refused request with an empty receipt', async () => {
    const id = await world.settle(user, { at: at('20T10:00:00'), status: 404, outcome: 'refused', errorCode: 'model_not_found' })
    expect((await detailOf(id)).receipt).toMatchObject({ lines: [], totalNano: '0', groupName: 'main', priceId: null })
  })

  it.each(Object.entries(QUOTA_REFUSALS))('says that %s is what a refused request was for want of', async (quota, errorText) => {
    const refused = { status: 429, outcome: 'refused', errorCode: 'insufficient_quota', errorText } as const
    const id = await world.settle(user, { at: at('20T10:00:00'), ...refused })
    expect(await detailOf(id)).toMatchObject({ errorCode: 'insufficient_quota', quota })
    expect((await list()).rows.map((row) => [row.id, row.quota])).toEqual([[id, quota]])
  })

  const insertHistory = (id: string, time: Date, body: Buffer, as = user) =>
    world.pool.query('insert into history (request_id, at, account_id, body) values ($1, $2, $3, $4)', [
      id,
      time,
      as.accountId,
      body,
    ])
  const json = (value: unknown) => zstdCompressSync(JSON.stringify(value))

  it('shows what was said, while the account keeps it', async () => {
    const now = new Date()
    const id = await world.settle(user, { at: now })
    await insertHistory(id, now, json({ request: { messages: ['hi'] }, answer: null }))
    expect((await detailOf(id)).history).toEqual({ request: { messages: ['hi'] }, answer: null })
    const oldTime = new Date(now.getTime() - 31 * 86_400_000)
    const oldId = await world.settle(user, { at: oldTime })
    await insertHistory(oldId, oldTime, json({ request: {}, answer: {} }))
    expect((await detailOf(oldId)).history).toBeNull()
  })

  it('shows a request without its history where that is damaged, and says so in the log', async () => {
    const now = new Date()
    const id = await world.settle(user, { at: now })
    await insertHistory(id, now, Buffer.from('nonsense'))
    expect((await detailOf(id)).history).toBeNull()
    expect(world.errors).toContainEqual(expect.objectContaining({ requestId: id }))
  })

  it("does not find another account's request or history", async () => {
    const other = await world.newUser()
    const now = new Date()
    const id = await world.settle(other, { at: now })
    await insertHistory(id, now, json({ request: {}, answer: {} }), other)
    await expect(detailOf(id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await world.console.ports.requests.history(user.accountId, id)).toBeNull()
    expect(await world.console.ports.requests.history(other.accountId, id)).not.toBeNull()
  })

  it.each(['', 'req_', 'nonsense', 'req_zzzzzzzzzzzzzzzzzzzzzzzzzz', '00000000000000000000000000'])(
    'does not find %j',
    async (id) => {
      await expect(getRequest({ ctx: world.as(user), input: { id } })).rejects.toMatchObject({ code: 'not_found' })
    },
  )
})
