import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keyQuery } from '#lib/contracts/keys'
import { type UsageQuery, usageQuery, usageReport } from '#lib/contracts/usage'
import { buildAuditReport } from '#lib/ledger/audit'
import { listKeys } from '#lib/services/keys/list-keys'
import type { SignedInUser } from '#lib/services/ports'
import { getOverview } from '#lib/services/usage/get-overview'
import { getUsage } from '#lib/services/usage/get-usage'
import { readAudit } from '#lib/store/ledger/audit-store'
import { type ConsoleWorld, NOW, openConsoleWorld } from './console-world.ts'

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  await world.pool.query("update model set modality = 'image' where id = 'large'")
})
afterAll(() => world.close())
beforeEach(async () => {
  world.clock.at = NOW
  user = await world.newUser()
  await world.pool.query('update purse set credit = 1000000000 where id = $1', [user.accountId])
})

const timeAt = (text: string) => new Date(`2026-${text}Z`)
const usage = (input: bigint, output: bigint) => ({ input, cachedInput: 0n, cacheWrite: 0n, output, reasoning: 0n, requests: 1n })
const show = async (query: Partial<UsageQuery> = {}) =>
  usageReport.parse(await getUsage({ ctx: world.as(user), input: usageQuery.parse(query) }))
const addKey = (id: string, name: string) =>
  world.pool.query(
    `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ($1, $2, 'grp_main', $3, convert_to($1, 'UTF8'), 'h')`,
    [`${id}_${user.accountId}`, user.accountId, name],
  )

/** A number generator with a seed, so that a failed run can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

/** Settles many requests over a year that ends at the world's present, written straight into the books. */
async function settleMany(count: number, seed: number): Promise<void> {
  const pick = random(seed)
  for (let n = 0; n < count; n++) {
    const when = new Date(world.clock.at.getTime() - pick(380 * 86_400_000))
    const failed = pick(10) === 0
    await world.settle(user, {
      at: when,
      total: failed ? 0n : BigInt(1 + pick(1000)),
      status: failed ? 503 : 200,
      modelId: pick(2) === 0 ? 'small' : 'large',
      keyId: `key_${pick(3)}_${user.accountId}`,
      usage: usage(BigInt(pick(50)), BigInt(pick(20))),
    })
  }
}

/** The same sums, straight from the records. */
async function sumRecords({ from, to, ...filter }: { from: string; to: string; model?: string; key?: string }) {
  const { rows } = await world.pool.query(
    `select coalesce(sum(charged_nano), 0)::text as nano, coalesce(sum(input_units + output_units), 0)::int as tokens,
       count(*)::int as requests, (count(*) filter (where status >= 400))::int as errors
     from usage_record where account_id = $1 and at >= $2 and at < $3
       and ($4::text is null or model_id = $4) and ($5::text is null or key_id = $5)`,
    [user.accountId, from, to, filter.model ?? null, filter.key ?? null],
  )
  return rows[0]
}

describe('getUsage', () => {
  it('is all zeros, with every bucket, for an account that did nothing', async () => {
    const report = await show({ range: '7d' })
    expect(report).toMatchObject({ unit: 'day', totals: { nano: '0', requests: 0 }, before: { nano: '0' }, groups: [] })
    expect(report.buckets).toHaveLength(7)
    expect([report.from, report.to]).toEqual(['2026-11-14T00:00:00.000Z', '2026-11-21T00:00:00.000Z'])
  })

  it.each([
    ['24h', 'hour', 24, '2026-11-19T16:00:00.000Z', '2026-11-20T16:00:00.000Z'],
    ['30d', 'day', 30, '2026-10-22T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['90d', 'day', 90, '2026-08-23T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ] as const)('shows %s by the %s', async (range, unit, count, from, to) => {
    const report = await show({ range })
    expect(report).toMatchObject({ unit, from, to })
    expect(report.buckets).toHaveLength(count)
  })

  it('puts the borders of hours, days and months where UTC has them', async () => {
    await world.settle(user, { at: timeAt('11-19T23:59:59.999'), total: 1n })
    await world.settle(user, { at: timeAt('11-20T00:00:00'), total: 10n })
    await world.settle(user, { at: timeAt('11-20T00:59:59.999'), total: 100n })
    await world.settle(user, { at: timeAt('11-20T01:00:00'), total: 1000n })
    await world.settle(user, { at: timeAt('10-31T23:59:59.999'), total: 10_000n })
    const valuesOf = ({ buckets }: Awaited<ReturnType<typeof show>>) =>
      Object.fromEntries(
        buckets.filter(({ values }) => (values[0] ?? '0') !== '0').map((bucket) => [bucket.at, bucket.values[0]]),
      )
    expect(valuesOf(await show({ range: '24h' }))).toEqual({
      '2026-11-19T23:00:00.000Z': '1',
      '2026-11-20T00:00:00.000Z': '110',
      '2026-11-20T01:00:00.000Z': '1000',
    })
    expect(valuesOf(await show({ range: '7d' }))).toEqual({
      '2026-11-19T00:00:00.000Z': '1',
      '2026-11-20T00:00:00.000Z': '1110',
    })
    expect(valuesOf(await show({ from: '2025-12-01', to: '2026-11-20' }))).toEqual({
      '2026-10-01T00:00:00.000Z': '10000',
      '2026-11-01T00:00:00.000Z': '1111',
    })
    expect((await show({ from: '2026-11-20', to: '2026-11-20' })).totals.nano).toBe('1110')
    expect((await show({ from: '2026-11-19', to: '2026-11-19' })).totals.nano).toBe('1')
  })

  it('compares with the period before, as much of it as has passed of this one', async () => {
    await world.settle(user, { at: timeAt('11-13T15:59:59'), total: 5n })
    await world.settle(user, { at: timeAt('11-13T16:00:00'), total: 70n })
    await world.settle(user, { at: timeAt('11-07T00:00:00'), total: 600n })
    await world.settle(user, { at: timeAt('11-06T23:59:59'), total: 8000n })
    await world.settle(user, { at: timeAt('11-14T00:00:00'), total: 90_000n })
    expect(await show({ range: '7d' })).toMatchObject({ totals: { nano: '90000' }, before: { nano: '605', requests: 2 } })
  })

  it('groups by model, key and modality, most first by the measure', async () => {
    await addKey('key_a', '=cmd()')
    const keyId = `key_a_${user.accountId}`
    await world.settle(user, { at: timeAt('11-20T10:00:00'), total: 50n, keyId, usage: usage(1n, 1n) })
    await world.settle(user, { at: timeAt('11-20T11:00:00'), total: 30n, modelId: 'large', usage: usage(100n, 50n) })
    await world.settle(user, { at: timeAt('11-20T11:00:00'), status: 500, modelId: 'large' })
    const ids = async (query: Partial<UsageQuery>) => (await show(query)).groups.map(({ id }) => id)
    expect(await ids({ measure: 'money' })).toEqual(['small', 'large'])
    expect(await ids({ measure: 'tokens' })).toEqual(['large', 'small'])
    expect(await ids({ measure: 'errors' })).toEqual(['large', 'small'])
    expect(await ids({ by: 'modality' })).toEqual(['text', 'image'])
    expect((await show({ by: 'key' })).groups).toEqual([
      { id: keyId, name: '=cmd()', nano: '50', tokens: 2, requests: 1, errors: 0 },
      { id: 'key_none', name: 'key_none', nano: '30', tokens: 150, requests: 2, errors: 1 },
    ])
  })

  it('adds up what has no series of its own', async () => {
    for (const [n, modelId] of ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'].entries())
      await world.settle(user, { at: timeAt('11-20T10:00:00'), total: BigInt(100 - n), modelId })
    const report = await show({ range: '24h' })
    expect(report.groups.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5', 'm6'])
    expect(report.buckets.find((bucket) => bucket.at === '2026-11-20T10:00:00.000Z')?.values).toEqual([
      '100',
      '99',
      '98',
      '97',
      String(96 + 95),
    ])
  })

  it('narrows to a model, a key, a modality, and all of them', async () => {
    await addKey('key_a', 'a')
    const keyId = `key_a_${user.accountId}`
    await world.settle(user, { at: timeAt('11-20T10:00:00'), total: 1n, keyId })
    await world.settle(user, { at: timeAt('11-20T10:00:00'), total: 20n, modelId: 'large', keyId })
    await world.settle(user, { at: timeAt('11-20T10:00:00'), total: 300n, modelId: 'large' })
    const nano = async (query: Partial<UsageQuery>) => (await show(query)).totals.nano
    expect(await nano({ model: 'large' })).toBe('320')
    expect(await nano({ key: keyId })).toBe('21')
    expect(await nano({ modality: 'image' })).toBe('320')
    expect(await nano({ model: 'large', key: keyId, modality: 'image' })).toBe('20')
    expect(await nano({ model: 'large', modality: 'text' })).toBe('0')
  })

  it.each([
    ['to', { from: '2026-11-02' }],
    ['from', { to: '2026-11-02' }],
    ['to', { from: '2026-11-02', to: '2026-11-01' }],
    ['from', { from: '2025-01-01', to: '2026-11-01' }],
    ['from', { from: '2026-12-01', to: '2026-12-02' }],
    ['range', { range: '7d', from: '2026-11-01', to: '2026-11-02' }],
  ] as const)('refuses a wrong %s: %j', async (field, query) => {
    await expect(show(query)).rejects.toMatchObject({ code: 'invalid_input', field })
  })

  it('sees nothing of another account', async () => {
    await world.settle(await world.newUser(), { at: timeAt('11-20T10:00:00'), keyId: 'key_theirs' })
    expect(await show({ key: 'key_theirs' })).toMatchObject({ totals: { requests: 0 }, groups: [] })
  })
})

describe('days and months that were added up', () => {
  // Rolling up leaves the last two days before the present, so the requests end there.
  beforeEach(async () => {
    world.clock.at = new Date()
  })
  const roll = (daysAgo: number) => world.pool.query('select roll_usage($1)', [new Date(Date.now() - daysAgo * 86_400_000)])
  const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
  const periods = [
    { range: '24h' },
    { range: '30d' },
    { range: '90d' },
    { from: dayOf(364), to: dayOf(0) },
    { from: dayOf(200), to: dayOf(100) },
    { from: dayOf(20), to: dayOf(20) },
    { from: dayOf(130), to: dayOf(2) },
  ] as const
  const keyOf = (n: number) => `key_${n}_${user.accountId}`

  it.each([1, 2, 3])('give the same sums as the records, wherever they end: seed %d', async (seed) => {
    // A new database counts all days as rolled up, with nothing in them. Here none is, so the first of these requests are rolled
    // up too.
    await world.pool.query('delete from usage_day; delete from usage_month')
    await world.pool.query("update usage_rolled set day = '2000-01-01T00:00:00Z', month = '2000-01-01T00:00:00Z'")
    await settleMany(120, seed)
    await roll(150)
    await settleMany(40, seed + 100)
    await roll(2)
    await settleMany(40, seed + 200)
    for (const period of periods)
      for (const filter of [{}, { model: 'large' }, { key: keyOf(1) }, { model: 'small', key: keyOf(2) }]) {
        const report = await show({ ...period, ...filter })
        const expected = await sumRecords({ from: report.from, to: report.to, ...filter })
        expect(report.totals, JSON.stringify({ period, filter })).toEqual(expected)
        const bars = report.buckets.flatMap(({ values }) => values).reduce((sum, value) => sum + BigInt(value), 0n)
        expect(String(bars)).toBe(expected.nano)
      }
    const ever = await sumRecords({ from: '2000-01-01', to: '2200-01-01' })
    const { rows } = await world.pool.query('select distinct key_id from usage_record where account_id = $1', [user.accountId])
    for (const n of [0, 1, 2])
      await world.pool.query(
        `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ($1, $2, 'grp_main', 'k', convert_to($1, 'UTF8'), 'h')`,
        [keyOf(n), user.accountId],
      )
    const keys = await listKeys({ ctx: world.as(user), input: keyQuery.parse({}) })
    expect(rows).toHaveLength(3)
    expect(String(keys.rows.reduce((sum, key) => sum + BigInt(key.spentNano), 0n))).toBe(ever.nano)
    expect(keys.rows.reduce((sum, key) => sum + key.requests, 0)).toBe(ever.requests)
    const overview = await getOverview({ ctx: world.as(user), input: { days: 90 } })
    const inOverview = await sumRecords({ from: `${overview.days[0]?.day}T00:00:00Z`, to: '2200-01-01' })
    expect(overview).toMatchObject({ spentNano: inOverview.nano, requests: inOverview.requests, errors: inOverview.errors })
  })

  it('is noticed by the audit where they differ from the hours', async () => {
    await settleMany(20, 9)
    await roll(2)
    const failing = async () =>
      buildAuditReport(await readAudit(world.pool, 60_000)).lines.filter(
        (line) => line.includes('by the') && line.includes(user.accountId),
      )
    expect(await failing()).toEqual([])
    await world.pool.query('update usage_day set charged_nano = charged_nano + 1 where account_id = $1', [user.accountId])
    expect(await failing()).not.toEqual([])
    await world.pool.query('update usage_day set charged_nano = charged_nano - 1 where account_id = $1', [user.accountId])
  })
})
