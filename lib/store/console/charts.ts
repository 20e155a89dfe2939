import type { Pool } from 'pg'
import { DAY_MS, HOUR_MS } from '../../domain/time-units.ts'
import type { Bucket, Charts, RequestFilter } from '../../services/history/history-ports.ts'
import { rangesOf } from '../request-ranges.ts'
import { conditionsOf, rangeValues, scanSql } from '../request-scan.ts'
import { SPAN_ROWS, spanParameters } from '../usage-spans.ts'

/** The most records that are read for one chart. Hours and days come from the rollups, however many there are. */
const MAX_ROWS = 30_000

// Rollups have models, keys and whether a request failed, by hour and by day. Rows are many and hours are few, so the rows of
// an hour are added up before the bucket is computed.
const FROM_ROLLUPS = `
  select floor(extract(epoch from start) * 1000 / $10::bigint)::bigint as bucket,
    sum(case $11::text when 'error' then errors when 'ok' then requests - errors else requests end) as requests,
    sum(case $11::text when 'ok' then 0 else errors end) as errors
  from (
    select start, sum(requests) as requests, sum(errors) as errors from ${SPAN_ROWS} used
    where (cardinality($12::text[]) = 0 or model_id = any($12)) and ($13::text is null or key_id = $13)
    group by start
  ) sums
  group by 1`

interface BucketRow {
  bucket: string
  requests: string
  errors: string
}

const bucketsOf = (rows: BucketRow[], bucketMs: number): Bucket[] =>
  rows.map((row) => ({
    at: new Date(Number(row.bucket) * bucketMs),
    requests: Number(row.requests),
    errors: Number(row.errors),
  }))

const canUseRollups = (filter: RequestFilter): boolean =>
  [filter.errorCode, filter.endpoint, filter.stream, filter.minNano, filter.minTookMs, filter.search].every(
    (value) => value === null,
  )

async function countFromRollups(...[pool, accountId, filter, from, to, bucketMs]: [Pool, ...Parameters<Charts['count']>]) {
  const { models, keyId, status } = filter
  const grain = keyId === null ? 'model' : models.length === 0 ? 'key' : 'both'
  const span = spanParameters(accountId, { from, to }, bucketMs % DAY_MS === 0 ? 'day' : 'hour', grain)
  const { rows } = await pool.query<BucketRow>(FROM_ROLLUPS, [...span, bucketMs, status, models, keyId])
  const buckets = bucketsOf(rows, bucketMs).filter(({ requests }) => requests > 0)
  return { buckets, countedFrom: null }
}

async function countFromRecords(...[pool, accountId, requested, from, to, bucketMs]: [Pool, ...Parameters<Charts['count']>]) {
  // Conversations are not opened for a chart: it shows where there is something to search.
  const search = requested.search?.in === 'messages' ? null : requested.search
  const filter = { ...requested, from, to, search }
  const { ranges, rest } = await rangesOf(pool, accountId, filter, null)
  const conditions = await conditionsOf(pool, accountId, filter, 7)
  const { rows } = await pool.query<BucketRow & { seen: string; oldest: Date | null }>(
    `with seen as materialized (${scanSql(filter, MAX_ROWS, ranges.length)})
     select s.seen, s.oldest, b.* from (select count(*) as seen, min(at) as oldest from seen) s
       left join lateral (
         select floor(extract(epoch from r.at) * 1000 / $6::bigint)::bigint as bucket, count(*) as requests,
           count(*) filter (where r.status >= 400) as errors
         from seen r where ${conditions.sql} group by 1
       ) b on true`,
    [...rangeValues(accountId, ranges), bucketMs, ...conditions.values],
  )
  const isTruncated = Number(rows[0]?.seen ?? 0) >= MAX_ROWS || rest !== null
  const found = rows.filter(({ bucket }) => bucket !== null)
  return { buckets: bucketsOf(found, bucketMs), countedFrom: isTruncated ? (rows[0]?.oldest ?? null) : null }
}

/** Counts of requests over time, from the hourly rollups if they have enough detail, otherwise from the newest records. */
export function createCharts(pool: Pool): Charts {
  return {
    count(accountId, filter, from, to, bucketMs) {
      const count = canUseRollups(filter) && bucketMs % HOUR_MS === 0 ? countFromRollups : countFromRecords
      return count(pool, accountId, filter, from, to, bucketMs)
    },
    async firstHour(accountId) {
      const { rows } = await pool.query<{ first: Date | null }>(
        'select min(hour) as first from usage_hour where account_id = $1',
        [accountId],
      )
      return rows[0]?.first ?? null
    },
  }
}
