import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attention, trafficQuery, trafficReport } from '#lib/contracts/traffic'
import type { Grain } from '#lib/domain/traffic'
import { getAttention } from '#lib/services/operator/get-attention'
import { getTraffic } from '#lib/services/operator/get-traffic'
import type { SignedInUser } from '#lib/services/ports'
import { recordFull, recordHealth } from '#lib/store/deployment-health'
import { PgLedgerStore } from '#lib/store/ledger/ledger-store'
import type { TrafficRow } from '#lib/store/traffic-writes'
import { packTimes, trafficRow, writeTraffic } from '../support/traffic.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let world: ConsoleWorld
let operator: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  operator = await world.newUser('operator')
  await world.pool.query(`
    insert into connection (id, name, kind) values ('con_a', 'Alpha', 'openai'), ('con_b', 'Beta', 'openai');
    insert into deployment (id, model_id, connection_id, upstream_model) values
      ('dep_small_a', 'small', 'con_a', 'small-1'), ('dep_small_b', 'small', 'con_b', 'small-2'), ('dep_large_b', 'large', 'con_b', 'large-1')`)
})
afterAll(() => world.close())
beforeEach(() => world.pool.query('truncate traffic, traffic_writer, deployment_health, deployment_hold; delete from process'))

const now = () => world.clock.at.getTime()
const read = async (query: object = {}) =>
  trafficReport.parse(await getTraffic({ ctx: world.as(operator), input: trafficQuery.parse(query) }))

/** Traffic of one deployment of a model, in all grains of one span. */
function deploymentTraffic(
  deployment: string,
  span: 'minute' | 'hour' | 'day',
  at: number,
  fields: Partial<TrafficRow>,
): TrafficRow[] {
  const [, model = '', connection = ''] = deployment.split('_')
  const grains: [Grain, string][] = [
    ['all', ''],
    ['model', model],
    ['connection', `con_${connection}`],
    ['deployment', deployment],
  ]
  return grains.map(([grain, id]) => trafficRow({ span, grain, at: new Date(at), id, ...fields }))
}

/** A batch may name each key only once, so rows of one key are written separately and become one. */
async function write(...rows: TrafficRow[][]): Promise<void> {
  for (const one of rows) await writeTraffic(world.pool, one)
}

const minuteAgo = (minutes: number) => Math.floor(now() / MINUTE) * MINUTE - minutes * MINUTE

describe('a quarter of an hour', () => {
  beforeEach(() =>
    write(
      deploymentTraffic('dep_small_a', 'minute', minuteAgo(0), {
        requests: 6,
        attempts: 8,
        attempt_failures: 2,
        retries: 2,
        vendor_errors: 1,
        client_errors: 1,
        input_tokens: 100,
        output_tokens: 50,
        charged_nano: 3000,
        vendor_cost_nano: 1000,
        firsts: 2,
        first_ms: 300,
        first_buckets: packTimes([100, 200]),
        took_buckets: packTimes([1000]),
      }),
      deploymentTraffic('dep_small_b', 'minute', minuteAgo(1), {
        requests: 2,
        attempts: 2,
        charged_nano: 500,
        first_buckets: packTimes([5000]),
      }),
      deploymentTraffic('dep_large_b', 'minute', minuteAgo(14), {
        requests: 1,
        attempts: 4,
        attempt_failures: 3,
        house_errors: 1,
      }),
      deploymentTraffic('dep_large_b', 'minute', minuteAgo(15), { requests: 100, attempts: 100 }),
    ),
  )

  it('is added up in all, and by model, connection and deployment', async () => {
    const report = await read({ range: '15m' })
    expect(report.totals).toMatchObject({
      requests: 9,
      attempts: 14,
      attemptFailures: 5,
      retries: 2,
      vendorErrors: 1,
      clientErrors: 1,
      houseErrors: 1,
      inputTokens: 100,
      outputTokens: 50,
      chargedNano: '3500',
      vendorCostNano: '1000',
    })
    expect(report.groups.map(({ id, requests }) => [id, requests])).toEqual([
      ['small', 8],
      ['large', 1],
    ])
    const byConnection = await read({ range: '15m', by: 'connection' })
    expect(byConnection.groups.map(({ id, name, attempts }) => [id, name, attempts])).toEqual([
      ['con_a', 'Alpha', 8],
      ['con_b', 'Beta', 6],
    ])
    const byDeployment = await read({ range: '15m', by: 'deployment', sort: 'failed' })
    expect(byDeployment.groups.map(({ id, modelId, upstreamModel }) => [id, modelId, upstreamModel])).toEqual([
      ['dep_large_b', 'large', 'large-1'],
      ['dep_small_a', 'small', 'small-1'],
      ['dep_small_b', 'small', 'small-2'],
    ])
  })

  it('has percentiles within 10 %', async () => {
    const { totals } = await read({ range: '15m' })
    for (const [estimated, real] of [
      [totals.first.p50, 200],
      [totals.first.p99, 5000],
      [totals.took.p95, 1000],
    ] as const)
      expect(Math.abs((estimated ?? 0) - real) / real).toBeLessThanOrEqual(0.1)
  })

  it.each([
    [
      'requests',
      'model',
      [
        ['0', '1'],
        ['2', '0'],
        ['6', '0'],
      ],
    ],
    [
      'failures',
      'connection',
      [
        ['0', '3'],
        ['0', '0'],
        ['2', '0'],
      ],
    ],
    [
      'tokens',
      'model',
      [
        ['0', '0'],
        ['0', '0'],
        ['150', '0'],
      ],
    ],
  ] as const)('%s by %s are bars of a minute, one series a group, and one of the rest', async (measure, by, expected) => {
    const { bars } = await read({ range: '15m', measure, by })
    expect(bars).toHaveLength(15)
    const at = [0, 13, 14].map((place) => bars[place]?.values)
    expect(at).toEqual(expected.map((values) => [...values, '0']))
  })

  it('the margin of each bar is one value, below nothing where the vendor cost more', async () => {
    await write(
      deploymentTraffic('dep_large_b', 'minute', minuteAgo(1), { charged_nano: 100, vendor_cost_nano: 4700 }),
      deploymentTraffic('dep_large_b', 'minute', minuteAgo(2), { vendor_cost_nano: 5 }),
    )
    const { bars } = await read({ range: '15m', measure: 'margin' })
    expect(bars.slice(11).map(({ values }) => values)).toEqual([['0'], ['-5'], ['-4100'], ['2000']])
    const smallReport = await read({ range: '15m', measure: 'margin', model: 'small' })
    expect(smallReport.bars.slice(11).map(({ values }) => values)).toEqual([['0'], ['0'], ['500'], ['2000']])
  })

  it('errors have the vendor’s, ours and the client’s', async () => {
    const { bars } = await read({ range: '15m', measure: 'errors' })
    expect([bars[0]?.values, bars[14]?.values]).toEqual([
      ['0', '1', '0'],
      ['1', '0', '1'],
    ])
  })

  it('the percentile of a time is in each bar', async () => {
    const values = async (p: string) =>
      (await read({ range: '15m', measure: 'first', p })).bars.map((bar) => Number(bar.values[0]) / 1000)
    expect((await values('50')).at(-1)).toBeLessThan(110)
    expect((await values('99')).at(-1)).toBeGreaterThan(180)
    expect((await values('99'))[0]).toBe(0)
  })

  it('can be narrowed to one, and to several at once', async () => {
    const one = await read({ range: '15m', connection: 'con_b', by: 'model' })
    expect(one.totals).toMatchObject({ requests: 3, attempts: 6 })
    expect(one.narrowed.connection).toBe('Beta')
    expect(one.counts).toBe('calls')
    expect(one.groups.map(({ id, attempts }) => [id, attempts])).toEqual([
      ['large', 4],
      ['small', 2],
    ])
    const both = await read({ range: '15m', connection: 'con_b', model: 'small', by: 'deployment' })
    expect(both.totals).toMatchObject({ requests: 2, chargedNano: '500' })
    expect(both.groups.map(({ id }) => id)).toEqual(['dep_small_b'])
    expect(both.bars[13]?.values).toEqual(['2', '0'])
    const none = await read({ range: '15m', deployment: 'dep_nobody' })
    expect(none.totals.requests).toBe(0)
    expect(none.groups).toEqual([])
  })

  it('the course of each group is beside it', async () => {
    const { groups } = await read({ range: '15m' })
    expect(groups[0]?.spark.slice(-2)).toEqual([2, 6])
    expect(groups[1]?.spark[0]).toBe(1)
  })
})

describe('longer ranges', () => {
  const today = () => Math.floor(now() / DAY) * DAY

  it('30 days are days, and the hours of those that were not added up yet', async () => {
    await write(
      deploymentTraffic('dep_small_a', 'day', today() - 29 * DAY, { requests: 1 }),
      deploymentTraffic('dep_small_a', 'day', today() - 2 * DAY, { requests: 10 }),
      // Already rolled up.
      deploymentTraffic('dep_small_a', 'hour', today() - 2 * DAY + HOUR, { requests: 10 }),
      deploymentTraffic('dep_small_a', 'hour', today() - DAY + HOUR, { requests: 100 }),
      deploymentTraffic('dep_small_a', 'hour', today() + HOUR, { requests: 1000 }),
      deploymentTraffic('dep_small_a', 'day', today() - 30 * DAY, { requests: 5 }),
    )
    const { totals, bars, groups } = await read({ range: '30d' })
    expect(totals.requests).toBe(1111)
    expect(groups[0]?.requests).toBe(1111)
    expect(bars).toHaveLength(30)
    expect([0, 27, 28, 29].map((place) => bars[place]?.values[0])).toEqual(['1', '10', '100', '1000'])
  })

  it('7 days have bars of six hours, out of hours', async () => {
    await write(
      deploymentTraffic('dep_small_a', 'day', today() - DAY, { requests: 3 }),
      deploymentTraffic('dep_small_a', 'hour', today() - DAY + 7 * HOUR, { requests: 3 }),
    )
    const { totals, bars } = await read({ range: '7d' })
    expect(totals.requests).toBe(3)
    expect(bars[5 * 4 + 1]?.values[0]).toBe('3')
  })

  it.each([
    ['6h', 10 * MINUTE],
    ['24h', HOUR],
    ['1h', MINUTE],
  ])('%s ends with the time under way', async (range, barMs) => {
    await write(
      deploymentTraffic('dep_small_a', 'minute', minuteAgo(0), { requests: 2 }),
      deploymentTraffic('dep_small_a', 'hour', Math.floor(now() / HOUR) * HOUR, { requests: 2 }),
    )
    const { totals, bars, barSeconds, groups } = await read({ range })
    expect(barSeconds * 1000).toBe(barMs)
    expect(totals.requests).toBe(2)
    expect(bars.at(-1)?.values[0]).toBe('2')
    expect(groups[0]?.spark.at(-1)).toBe(2)
  })
})

describe('what needs attention', () => {
  const readAttention = async () => attention.parse(await getAttention({ ctx: world.as(operator) }))
  const addProcess = (id: string) =>
    world.pool.query(
      `insert into process (id, beat_at, started_at, pid, host) values ($1, now() + interval '1 hour', now(), 1, 'test')`,
      [id],
    )

  it('is nothing where all is well', async () => {
    expect(await readAttention()).toEqual({ processes: 0, deployments: [], models: [] })
  })

  it('are breakers that are not closed, over all processes, with what they saw', async () => {
    for (const id of ['p1', 'p2', 'p3', 'p4']) await addProcess(id)
    const open = { deployment: 'dep_small_b', state: 'open', failure: { result: 'failed', status: 503 } } as const
    await recordHealth(world.pool, 'p1', { ...open, failure: { result: 'timed_out', status: null } })
    // Times have millisecond precision: within the same millisecond either could be the last.
    await sleep(2)
    await recordHealth(world.pool, 'p2', open)
    await recordHealth(world.pool, 'p3', { ...open, state: 'closed' })
    await recordHealth(world.pool, 'gone', open)
    const { deployments, processes } = await readAttention()
    expect(processes).toBe(4)
    expect(deployments).toMatchObject([
      {
        id: 'dep_small_b',
        connectionName: 'Beta',
        breaker: { mode: 'automatic', open: 2, halfOpen: 0, processes: 4, failure: { result: 'failed', status: 503 } },
      },
    ])
    await recordHealth(world.pool, 'p1', { ...open, state: 'half_open' })
    expect((await readAttention()).deployments[0]?.breaker).toMatchObject({ open: 1, halfOpen: 1 })
    const { groups } = await read({ by: 'deployment', deployment: 'dep_small_b' })
    expect(groups).toEqual([])
  })

  it.each([
    [30_000, 0, 16_000],
    [600_000, 250_000, 301_000],
  ])('count no process of a life of %d ms that has not beaten for half of it', async (lifetimeMs, aliveAgeMs, silentAgeMs) => {
    await addProcess('p1')
    await new PgLedgerStore({ pool: world.pool, url: '' }).register('p2', lifetimeMs)
    const setHeartbeatAge = (ms: number) =>
      world.pool.query(`update process set beat_at = clock_timestamp() - interval '1 millisecond' * $1 where id = 'p2'`, [ms])
    const recordBreaker = (id: string, state: string) =>
      recordHealth(world.pool, id, { deployment: 'dep_small_b', state, failure: null })
    const readHealth = async () => {
      const { processes, deployments } = await readAttention()
      const connections = await world.console.ports.catalogReads.connections({ search: null, after: null, archived: false }, 50)
      const failing = connections.find(({ id }) => id === 'con_b')?.failing
      return { processes, breaker: deployments[0]?.breaker, failing }
    }
    await recordBreaker('p1', 'open')
    await recordBreaker('p2', 'open')
    await setHeartbeatAge(aliveAgeMs)
    expect(await readHealth()).toMatchObject({ processes: 2, breaker: { open: 2, processes: 2 }, failing: 1 })
    await setHeartbeatAge(silentAgeMs)
    expect(await readHealth()).toMatchObject({ processes: 1, breaker: { open: 1, processes: 1 }, failing: 1 })
    await recordBreaker('p1', 'closed')
    expect(await readHealth()).toEqual({ processes: 1, breaker: undefined, failing: 0 })
  })

  it('since when a breaker is not closed does not begin anew with each probe', async () => {
    await addProcess('p1')
    const recordBreaker = (state: string) => recordHealth(world.pool, 'p1', { deployment: 'dep_small_b', state, failure: null })
    const readSince = async () => (await readAttention()).deployments[0]?.breaker.since
    await recordBreaker('open')
    const first = await readSince()
    await recordBreaker('half_open')
    await recordBreaker('open')
    expect(await readSince()).toBe(first)
    await recordBreaker('closed')
    expect(await readSince()).toBeUndefined()
  })

  it('a deployment is shown as full however long ago its breaker was heard of', async () => {
    await addProcess('p1')
    await world.pool.query(`update deployment set requests_per_minute = 1 where id = 'dep_small_b'`)
    const listFull = async () =>
      (await world.console.ports.catalogReads.deployments({ connectionId: 'con_b' })).filter(({ isFull }) => isFull)
    await recordHealth(world.pool, 'p1', { deployment: 'dep_small_b', state: 'closed', failure: null })
    await world.pool.query(`update deployment_health set at = now() - interval '2 days'`)
    await recordFull(world.pool, 'p1', 'dep_small_b', 60_000)
    expect(await listFull()).toMatchObject([{ id: 'dep_small_b' }])
    await world.pool.query(`update deployment_health set full_until = now() - interval '1 second'`)
    await recordHealth(world.pool, 'p1', { deployment: 'dep_small_a', state: 'closed', failure: null })
    const { rows } = await world.pool.query('select deployment_id as id from deployment_health')
    expect(rows).toEqual([{ id: 'dep_small_a' }])
  })

  it('are deployments and models that fail more often than one in twenty', async () => {
    await write(
      deploymentTraffic('dep_small_a', 'minute', minuteAgo(1), {
        requests: 100,
        attempts: 100,
        attempt_failures: 6,
        client_errors: 50,
      }),
      deploymentTraffic('dep_large_b', 'minute', minuteAgo(2), {
        requests: 100,
        attempts: 100,
        attempt_failures: 4,
        vendor_errors: 6,
      }),
      deploymentTraffic('dep_small_b', 'minute', minuteAgo(7), {
        requests: 10,
        attempts: 10,
        attempt_failures: 10,
        vendor_errors: 10,
      }),
    )
    const { deployments, models } = await readAttention()
    expect(deployments.map(({ id, attempts, failures }) => [id, attempts, failures])).toEqual([['dep_small_a', 100, 6]])
    expect(models).toEqual([{ id: 'large', requests: 100, errors: 6 }])
  })

  it.each(['enabled = false', 'archived_at = now()'])('is nothing that failed and then had %s', async (change) => {
    await write(
      deploymentTraffic('dep_small_a', 'minute', minuteAgo(1), { attempts: 9, attempt_failures: 9 }),
      deploymentTraffic('dep_large_b', 'minute', minuteAgo(1), { requests: 9, vendor_errors: 9 }),
    )
    await world.pool.query(`update deployment set ${change} where id = 'dep_small_a'`)
    await world.pool.query(`update model set ${change} where id = 'large'`)
    expect(await readAttention()).toMatchObject({ deployments: [], models: [] })
  })
})
