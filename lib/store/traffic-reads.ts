import type { Pool } from 'pg'
import type { TrafficBy, TrafficSort } from '#lib/contracts/traffic'
import { COUNTS, type Count } from '../domain/traffic.ts'
import {
  type BreakerRecord,
  type Histograms,
  narrowSource,
  type Parts,
  type Source,
  type Sums,
  type TrafficDeployment,
  type TrafficReads,
} from '../services/operator/traffic-ports.ts'
import { PROCESS_IS_ALIVE } from './operator/catalog-reads.ts'

const SUMS = COUNTS.map((name) => `sum(${name})::float8 as ${name}`).join(', ')

/** A row counts what went there: calls for a connection or a deployment, otherwise requests. */
const ordersOf = (grain: Source['grain']): Record<TrafficSort, string> => {
  const called = grain === 'connection' || grain === 'deployment'
  return {
    volume: called ? 'sum(attempts)' : 'sum(requests)',
    failed: called ? 'sum(attempt_failures)' : 'sum(vendor_errors + house_errors)',
    first: 'sum(first_ms) / nullif(sum(firsts), 0)',
    took: 'sum(took_ms) / nullif(sum(answers), 0)',
    tokens: 'sum(input_tokens + output_tokens)',
    revenue: 'sum(charged_nano)',
    margin: 'sum(charged_nano - vendor_cost_nano)',
  }
}

/**
 * The rows in question, from the table of their span. Each time is queried separately: together with ids that is a look-up, and
 * without them a short stretch of the key.
 */
function rowsOf(parts: Parts, { grain, ids, keys }: Source): { sql: string; values: unknown[] } {
  const values: unknown[] = [grain, ids, keys && [...keys.keys()], keys && [...keys.values()]]
  const tables = parts
    .filter(({ ats }) => ats.length > 0)
    .map(({ span, ats }) => {
      values.push(ats)
      return `select * from traffic where span = '${span}' and grain = $1 and at = any ($${values.length}::timestamptz[])
                ${ids === null ? 'and $2::text[] is null' : 'and id = any ($2::text[])'}`
    })
  const key = keys === null ? 't.id' : 'k.key'
  const join = keys === null ? '' : 'join unnest($3::text[], $4::text[]) as k (id, key) on k.id = t.id'
  const all =
    tables.length === 0
      ? `select * from traffic where false and $1::text = '' and $2::text[] is null`
      : tables.join(' union all ')
  const sql = `(select ${key} as key, t.* from (${all}) t ${join}
                 where ${keys === null ? '$3::text[] is null and $4::text[] is null' : 'true'}) rows`
  return { sql, values }
}

const sumsOf = (row: Record<Count, number | null>): Sums =>
  Object.fromEntries(COUNTS.map((name) => [name, row[name] ?? 0])) as Sums

interface BucketRow {
  key: string
  time: 'first' | 'took'
  bucket: string
  n: string
}

function histogramsOf(rows: readonly BucketRow[]): Map<string, Histograms> {
  const found = new Map<string, Histograms>()
  for (const { key, time, bucket, n } of rows) {
    const one = found.get(key) ?? { first: new Map<number, number>(), took: new Map<number, number>() }
    found.set(key, one)
    one[time].set(Number(bucket), Number(n))
  }
  return found
}

// As in lib/store/operator/catalog-reads.ts: what a living process reports, not what a breaker reported an hour ago.
const BREAKERS = `
  with health as (
    select h.deployment_id, (count(*) filter (where h.state = 'open'))::int as open,
           (count(*) filter (where h.state = 'half_open'))::int as "halfOpen", min(h.since) as since,
           (array_agg(h.failure order by h.at desc))[1] as failure,
           (array_agg(h.failure_status order by h.at desc))[1] as "failureStatus"
      from deployment_health h join process p on p.id = h.process_id
     where h.state <> 'closed' and ${PROCESS_IS_ALIVE} and h.at > now() - interval '1 hour'
     group by h.deployment_id)
  select d.id as "deploymentId", o.held_at as "heldAt", o.held_by as "heldBy", coalesce(h.open, 0) as open,
         coalesce(h."halfOpen", 0) as "halfOpen", h.since, h.failure, h."failureStatus"
    from health h full join deployment_hold o on o.deployment_id = h.deployment_id
    join deployment d on d.id = coalesce(h.deployment_id, o.deployment_id)
   where d.archived_at is null and d.enabled and ($1::text[] is null or d.id = any ($1))`

const FAILED = { deployment: ['attempts', 'attempt_failures'], model: ['requests', 'vendor_errors + house_errors'] } as const

type Query = <T>(text: string, given: unknown[]) => Promise<T[]>

/** The groups that come first. All sums of all groups would cost several times as much as the one that orders them. */
async function findLargest(rows: Query, parts: Parts, source: Source, sort: TrafficSort, count: number): Promise<string[]> {
  const { sql, values } = rowsOf(parts, source)
  const order = ordersOf(source.grain)[sort]
  const found = await rows<{ key: string }>(
    `select key from ${sql} group by key order by ${order} desc nulls last, key limit ${count}`,
    values,
  )
  return found.map(({ key }) => key)
}

async function namesOf(rows: Query, by: TrafficBy, ids: readonly string[]): Promise<Map<string, string>> {
  if (by === 'model') return new Map(ids.map((id) => [id, id]))
  const table = by === 'connection' ? 'connection c' : 'deployment d join connection c on c.id = d.connection_id'
  const id = by === 'connection' ? 'c.id' : 'd.id'
  const found = await rows<{ id: string; name: string }>(`select ${id} as id, c.name from ${table} where ${id} = any ($1)`, [ids])
  return new Map(found.map((row) => [row.id, row.name]))
}

async function notRolledUpFrom(rows: Query): Promise<Date | null> {
  const [found] = await rows<{ at: Date | null }>(
    `select max(at) + interval '24 hours' as at from traffic where span = 'day' and grain = 'all'`,
    [],
  )
  return found?.at ?? null
}

type Summed<Name extends string> = Record<Count, number> & Record<Name, string>

async function sumsOfLargest(rows: Query, parts: Parts, source: Source, sort: TrafficSort, count: number) {
  const isSmall = source.ids !== null && source.ids.length <= count
  const top = isSmall ? null : await findLargest(rows, parts, source, sort, count)
  const narrowedSource = top === null ? source : narrowSource(source, new Set(top))
  const { sql, values } = rowsOf(parts, narrowedSource)
  const found = await rows<Summed<'key'>>(
    `select key, ${SUMS} from ${sql} group by key order by ${ordersOf(source.grain)[sort]} desc nulls last, key`,
    values,
  )
  return found.slice(0, count).map((row) => ({ id: row.key, sums: sumsOf(row) }))
}

async function sumsByTime(rows: Query, parts: Parts, source: Source) {
  const { sql, values } = rowsOf(parts, source)
  const found = await rows<Summed<'key'> & { at: Date }>(`select key, at, ${SUMS} from ${sql} group by key, at`, values)
  return found.map((row) => ({ at: row.at, id: row.key, sums: sumsOf(row) }))
}

async function histogramsOfEach(rows: Query, parts: Parts, source: Source): Promise<Map<string, Histograms>> {
  const { sql, values } = rowsOf(parts, source)
  return histogramsOf(
    await rows<BucketRow>(
      `select key, time, v % 128 as bucket, sum(v / 128) as n
         from ${sql} cross join lateral (select 'first' as time, v from unnest(first_buckets) v
                               union all select 'took', v from unnest(took_buckets) v) b
        group by 1, 2, 3 order by 1, 2, 3`,
      values,
    ),
  )
}

async function histogramsByTime(rows: Query, parts: Parts, source: Source, time: 'first' | 'took') {
  const { sql, values } = rowsOf(parts, source)
  const found = await rows<{ at: Date; bucket: string; n: string }>(
    `select at, v % 128 as bucket, sum(v / 128) as n from ${sql} cross join lateral unnest(${time}_buckets) v
      group by 1, 2 order by 1, 2`,
    values,
  )
  const series = new Map<number, Map<number, number>>()
  for (const { at, bucket, n } of found) {
    const one = series.get(at.getTime()) ?? new Map<number, number>()
    series.set(at.getTime(), one.set(Number(bucket), Number(n)))
  }
  return series
}

async function findFailing(rows: Query, grain: keyof typeof FAILED, since: Date, share: number, count: number) {
  const [all, failed] = FAILED[grain]
  const found = await rows<Summed<'id'>>(
    `select id, ${SUMS} from traffic where span = 'minute' and grain = $1 and at >= $2
        and exists (select from ${grain} g where g.id = traffic.id and g.enabled and g.archived_at is null)
      group by id having sum(${failed}) >= 2 and sum(${failed}) > sum(${all}) * $3
      order by sum(${failed}) desc limit $4`,
    [grain, since, share, count],
  )
  return found.map((row) => ({ id: row.id, sums: sumsOf(row) }))
}

const DEPLOYMENTS = `
  select d.id, d.model_id as "modelId", d.connection_id as "connectionId", c.name as "connectionName",
         d.upstream_model as "upstreamModel"
    from deployment d join connection c on c.id = d.connection_id
   where ($1::text[] is null or d.id = any ($1)) and ($2::text is null or d.model_id = $2)
     and ($3::text is null or d.connection_id = $3)`

/** Traffic, for operators. */
export function createTrafficReads(pool: Pool): TrafficReads {
  const rows: Query = async <T>(text: string, parameters: unknown[]) => (await pool.query(text, parameters)).rows as T[]
  return {
    notRolledUpFrom: () => notRolledUpFrom(rows),
    sums: (parts, source, sort, count) => sumsOfLargest(rows, parts, source, sort, count),
    timeSeries: (parts, source) => sumsByTime(rows, parts, source),
    histograms: (parts, source) => histogramsOfEach(rows, parts, source),
    histogramSeries: (parts, source, time) => histogramsByTime(rows, parts, source, time),
    deployments: ({ ids, model, connection }) =>
      rows<TrafficDeployment>(DEPLOYMENTS, [ids ?? null, model ?? null, connection ?? null]),
    names: (by, ids) => namesOf(rows, by, ids),
    async processes() {
      const [found] = await rows<{ n: number }>(`select count(*)::int as n from process p where ${PROCESS_IS_ALIVE}`, [])
      return found?.n ?? 0
    },
    breakers: (ids) => rows<BreakerRecord>(BREAKERS, [ids]),
    failing: (grain, since, share, count) => findFailing(rows, grain, since, share, count),
  }
}
