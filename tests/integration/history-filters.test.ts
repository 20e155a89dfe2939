import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestChart, requestFilters } from '#lib/contracts/history'
import { type RequestRow, requestPage, requestQuery } from '#lib/contracts/requests'
import type { Settlement } from '#lib/domain/settlement'
import { DAY_MS, HOUR_MS } from '#lib/domain/time-units'
import { chartRequests } from '#lib/services/history/chart-requests'
import { listRequests } from '#lib/services/history/list-requests'
import type { SignedInUser } from '#lib/services/ports'
import { writeHistory } from '#lib/store/history-store'
import { Random, randomSeed } from '../support/random.ts'
import { type ConsoleWorld, NOW, openConsoleWorld } from './console-world.ts'

const seed = process.env.SEED ?? randomSeed()
const random = new Random(seed)

let world: ConsoleWorld
let user: SignedInUser
let other: SignedInUser

/** What a test knows of a request without asking the database. */
interface ExpectedRequest {
  id: string
  at: Date
  request: Partial<Settlement>
  total: bigint
  messageText: string
}
const expectedRequests: ExpectedRequest[] = []
const keys: Record<string, string> = {}

function randomRequest(at: Date): { at: Date; total: bigint } & Partial<Settlement> {
  const failed = random.chance(0.3)
  return {
    at,
    total: failed ? 0n : BigInt(random.integer(0, 100)) * 1_000_000n,
    modelId: random.pick(['small', 'large', 'large/v2%']),
    keyId: random.pick(Object.keys(keys)),
    endpoint: random.pick(['chat.completions', 'embeddings', 'images.generations']),
    stream: random.chance(0.5),
    tookMs: random.integer(1, 5000),
    ...(failed
      ? {
          status: random.pick([400, 429, 503]),
          outcome: 'vendor_failed',
          errorCode: random.pick(['server_error', 'rate_limit_exceeded']),
          errorText: random.pick(['The vendor is 100% busy_now', 'Too long', 'Étrange']),
          finishReason: null,
        }
      : { status: 200, finishReason: random.pick(['stop', 'length']) }),
  } as { at: Date; total: bigint } & Partial<Settlement>
}

beforeAll(async () => {
  world = await openConsoleWorld()
  // A new database counts all days but the last two as rolled up, and NOW is not among those for long. A test rolls up when it
  // says so.
  await world.pool.query("update usage_rolled set day = '2000-01-01Z', month = '2000-01-01Z'")
  user = await world.newUser()
  other = await world.newUser()
  await world.pool.query('update purse set credit = 1000000000000 where id = any($1)', [[user.accountId, other.accountId]])
  for (const [index, name] of ['prod-web', 'Batch_100%', 'ci'].entries()) {
    const id = `key_${user.accountId}_${index}`
    keys[id] = name
    await world.pool.query(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ($1, $2, 'grp_main', $3, $4, 'h')`,
      [id, user.accountId, name, randomBytes(32)],
    )
  }
  for (let place = 0; place < 240; place++) {
    // Many close together, and some weeks away.
    const ago = random.chance(0.7) ? random.integer(0, 6 * HOUR_MS) : random.integer(0, 45 * DAY_MS)
    const request = randomRequest(new Date(NOW.getTime() - ago))
    const id = await world.settle(user, request)
    const messageText = random.pick(['a toll "gate"', 'nothing\nof it', 'ÜBER alles'])
    expectedRequests.push({ id, at: request.at, request, total: request.total, messageText })
    if (place % 3 === 0) await world.settle(other, randomRequest(request.at))
  }
  expectedRequests.sort((a, b) => (a.id < b.id ? 1 : -1))
  await world.pool.query('update account set history_days = 365 where id = $1', [user.accountId])
  await writeHistory(
    world.pool,
    expectedRequests.map(({ id, at, messageText }) => ({
      ...{ requestId: id, at, accountId: user.accountId },
      // Some are tiny and stored as they are, the others are compressed.
      json: JSON.stringify({
        request: { messages: [{ content: messageText }], pad: id.endsWith('0') ? '' : 'x'.repeat(3000) },
        answer: {},
      }),
    })),
  )
}, 120_000)
afterAll(() => world.close())

const list = async (query: Record<string, string> = {}, as = user) =>
  requestPage.parse(await listRequests({ ctx: world.as(as), input: requestQuery.parse(query) }))
const chart = async (query: Record<string, string> = {}, as = user) =>
  requestChart.parse(await chartRequests({ ctx: world.as(as), input: requestFilters.parse(query) }))

async function all(query: Record<string, string>, limit: number): Promise<RequestRow[]> {
  const rows: RequestRow[] = []
  for (let before: string | null = ''; before !== null; ) {
    const page: Awaited<ReturnType<typeof list>> = await list({ ...query, limit: String(limit), ...(before ? { before } : {}) })
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    rows.push(...page.rows)
    before = page.next
  }
  return rows
}

const has = (text: string | null | undefined, part: string) => (text ?? '').toLowerCase().includes(part.toLowerCase())
const middle = () => expectedRequests[120] as ExpectedRequest

type RequestPredicate = (request: ExpectedRequest) => boolean
const filters: [name: string, query: () => Record<string, string>, fits: RequestPredicate][] = [
  ['one model', () => ({ model: 'large' }), ({ request }) => request.modelId === 'large'],
  ['two models', () => ({ model: 'small,large/v2%' }), ({ request }) => request.modelId !== 'large'],
  ['a key', () => ({ key: Object.keys(keys)[1] ?? '' }), ({ request }) => request.keyId === Object.keys(keys)[1]],
  ['answered', () => ({ status: 'ok' }), ({ request }) => (request.status ?? 0) < 400],
  ['failed', () => ({ status: 'error' }), ({ request }) => (request.status ?? 0) >= 400],
  ['an error’s code', () => ({ code: 'rate_limit_exceeded' }), ({ request }) => request.errorCode === 'rate_limit_exceeded'],
  ['an endpoint', () => ({ endpoint: 'embeddings' }), ({ request }) => request.endpoint === 'embeddings'],
  ['streamed', () => ({ stream: 'yes' }), ({ request }) => request.stream === true],
  ['whole', () => ({ stream: 'no' }), ({ request }) => request.stream === false],
  ['cost at least', () => ({ cost: '0.05' }), ({ total }) => total >= 50_000_000n],
  ['took at least', () => ({ took: '2500' }), ({ request }) => (request.tookMs ?? 0) >= 2500],
  ['the last hour', () => ({ range: '1h' }), ({ at }) => at.getTime() >= NOW.getTime() - HOUR_MS],
  ['the last week', () => ({ range: '7d' }), ({ at }) => at.getTime() >= NOW.getTime() - 7 * DAY_MS],
  ['from a time', () => ({ from: middle().at.toISOString() }), ({ at }) => at >= middle().at],
  ['up to below a time', () => ({ to: middle().at.toISOString() }), ({ at }) => at < middle().at],
  ['a part of the error', () => ({ q: '100% BUSY_' }), ({ request }) => has(request.errorText, '100% busy_')],
  ['accents in any case', () => ({ q: 'étrange' }), ({ request }) => has(request.errorText, 'étrange')],
  ['a key’s name', () => ({ q: 'batch_1' }), ({ request }) => keys[request.keyId ?? ''] === 'Batch_100%'],
  [
    'a model or a finish',
    () => ({ q: 'l' }),
    ({ request }) =>
      request.finishReason === 'length' ||
      has(request.modelId, 'l') ||
      has(request.errorCode, 'l') ||
      has(request.errorText, 'l'),
  ],
  ['an id', () => ({ q: middle().id }), ({ id }) => id === middle().id],
  ['the beginning of an id', () => ({ q: middle().id.slice(0, 11) }), ({ id }) => id.startsWith(middle().id.slice(0, 11))],
  ['what was said', () => ({ q: 'toll "GATE"', in: 'messages' }), ({ messageText }) => messageText === 'a toll "gate"'],
  [
    'a line break that was said',
    () => ({ q: 'nothing\nof', in: 'messages' }),
    ({ messageText }) => messageText === 'nothing\nof it',
  ],
  [
    'many at once',
    () => ({ model: 'large,small', status: 'error', stream: 'yes', range: '30d', took: '100', q: 'o' }),
    ({ request, at }) =>
      request.modelId !== 'large/v2%' &&
      (request.status ?? 0) >= 400 &&
      request.stream === true &&
      at.getTime() >= NOW.getTime() - 30 * DAY_MS &&
      (request.tookMs ?? 0) >= 100 &&
      (has(request.errorText, 'o') || has(request.errorCode, 'o') || has(keys[request.keyId ?? ''], 'o')),
  ],
]

describe(`filters against what is known, seed ${seed}`, () => {
  it.each(filters)('%s', async (_name, query, matches) => {
    const expectedIds = expectedRequests.filter(matches).map(({ id }) => id)
    expect(expectedIds.length).toBeGreaterThan(0)
    for (const limit of [7, 50, 200]) expect((await all(query(), limit)).map(({ id }) => id)).toEqual(expectedIds)
  })

  it.each(filters.filter(([name]) => !name.includes('said')))('%s, as a chart', async (_name, query, matches) => {
    const chartQuery = query()
    const found = await chart(chartQuery)
    expect(found.countedFrom).toBeNull()
    // A range that begins or ends inside a bar gets the whole bar.
    const ranged = ['range', 'from', 'to'].some((name) => name in chartQuery)
    const fullBuckets = ranged ? found.buckets.slice(1, -1) : found.buckets
    for (const bucket of fullBuckets) {
      const [since, until] = [Date.parse(bucket.at), Date.parse(bucket.at) + found.bucketMs]
      const counted = expectedRequests.filter(
        (request) => matches(request) && request.at.getTime() >= since && request.at.getTime() < until,
      )
      expect(bucket.requests).toBe(counted.length)
      expect(bucket.errors).toBe(counted.filter(({ request }) => (request.status ?? 0) >= 400).length)
    }
    const shown = expectedRequests.filter(
      (request) => matches(request) && request.at >= new Date(found.from) && request.at < new Date(found.to),
    )
    expect(found.buckets.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(shown.length)
  })

  it('random combinations', async () => {
    const simple = filters.filter(([name]) => !name.includes('said') && !name.includes('id') && name !== 'many at once')
    for (let round = 0; round < 60; round++) {
      const chosen = [random.pick(simple), random.pick(simple), random.pick(simple)]
      // A later filter replaces an earlier one of the same name.
      const query = Object.assign({}, ...chosen.map(([, part]) => part())) as Record<string, string>
      const kept = chosen.filter(([, part]) => Object.entries(part()).every(([name, value]) => query[name] === value))
      // From and to may contradict each other, and they override a range.
      if ((query.from && query.to) || (query.range && (query.from || query.to))) continue
      if (query.status === 'ok' && query.code) continue
      const expectedIds = expectedRequests
        .filter((request) => kept.every(([, , matches]) => matches(request)))
        .map(({ id }) => id)
      expect(
        (await all(query, random.integer(1, 60))).map(({ id }) => id),
        JSON.stringify(query),
      ).toEqual(expectedIds)
    }
  })
})

describe('the list', () => {
  it('stays whole while requests come in and pages are turned', async () => {
    const writer = await world.newUser()
    const ids: string[] = []
    for (let minute = 0; minute < 20; minute++)
      ids.unshift(await world.settle(writer, { at: new Date(NOW.getTime() - HOUR_MS + minute * 60_000) }))
    const seen: string[] = []
    for (let before: string | null = ''; before !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: '3', ...(before ? { before } : {}) }, writer)
      seen.push(...page.rows.map(({ id }) => id))
      before = page.next
      await world.settle(writer, { at: new Date(NOW.getTime() + seen.length) })
    }
    expect(seen).toEqual(ids)
  })

  it.each([
    ['to', { from: '2026-11-20T10:00:00Z', to: '2026-11-20T10:00:00Z' }],
    ['model', { model: Array.from({ length: 21 }, (_, place) => `m${place}`).join(',') }],
  ])('refuses a wrong %s', async (field, query) => {
    await expect(list(query)).rejects.toMatchObject({ code: 'invalid_input', field })
  })

  it.each([
    { cost: '-1' },
    { cost: 'much' },
    { took: '1.5' },
    { status: 'odd' },
    { from: 'yesterday' },
    { q: '' },
    { more: '1' },
  ])('takes no %o', (query) => {
    expect(requestQuery.safeParse(query).success).toBe(false)
  })
})

describe('the chart', () => {
  it('has bars without gaps, up to now, for an account that did nothing', async () => {
    const found = await chart({}, await world.newUser())
    expect(found.buckets).toHaveLength(61)
    expect(found.bucketMs).toBe(60_000)
    expect(Date.parse(found.to)).toBeGreaterThan(NOW.getTime())
    expect(found.buckets.every(({ requests, errors }) => requests + errors === 0)).toBe(true)
  })

  it.each([
    ['range', '1h', 60_000],
    ['range', '24h', HOUR_MS],
    ['range', '7d', 3 * HOUR_MS],
    ['range', '30d', DAY_MS],
    ['from', '2020-01-01T00:00:00Z', 90 * DAY_MS],
    ['from', '2030-01-01T00:00:00Z', 1000],
  ])('%s %s has bars of %d ms, 63 at most', async (name, value, width) => {
    const found = await chart({ [name]: value })
    expect(found.bucketMs).toBe(width)
    expect(found.buckets.length).toBeLessThanOrEqual(64)
    expect(found.buckets.length).toBeGreaterThan(0)
  })

  it.each(['', 'model', 'key', 'model and key'])('says the same when days are added up, narrowed to: %s', async (what) => {
    const key = Object.keys(keys)[0] ?? ''
    const extraFilters = { ...(what.includes('model') && { model: 'small' }), ...(what.includes('key') && { key }) }
    const readCharts = () =>
      Promise.all(['ok', 'error', ''].map((status) => chart({ range: '30d', ...extraFilters, ...(status && { status }) })))
    const { rows } = await world.pool.query<{ day: Date; month: Date }>('select day, month from usage_rolled')
    const before = await readCharts()
    expect(before[2]?.buckets.some(({ requests }) => requests > 0)).toBe(true)
    await world.pool.query('select roll_usage($1)', [NOW])
    expect(await readCharts()).toEqual(before)
    await world.pool.query('truncate usage_day, usage_month')
    await world.pool.query('update usage_rolled set day = $1, month = $2', [rows[0]?.day, rows[0]?.month])
  })

  it('sees nothing of another account', async () => {
    const stranger = await world.newUser()
    expect((await all({ q: middle().id }, 50)).length).toBe(1)
    expect((await list({ q: middle().id }, stranger)).rows).toEqual([])
    expect((await list({ q: 'toll', in: 'messages' }, stranger)).rows).toEqual([])
    expect((await list({ key: Object.keys(keys)[0] ?? '' }, stranger)).rows).toEqual([])
  })
})
