import type pg from 'pg'
import { BUCKETS, bucketOf, packBuckets } from '#lib/domain/histogram'
import { COUNTS, type Count, type Grain, type Span } from '#lib/domain/traffic'
import { addTraffic, type TrafficRow } from '#lib/store/traffic-writes'

const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Count, number>

/** Counts of times in milliseconds per bucket, in the form that a row stores. */
export function packTimes(times: readonly number[]): number[] {
  const counts = new Uint32Array(BUCKETS)
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
  return packBuckets(counts)
}

/** A row of traffic with nothing counted except the given values. */
export const trafficRow = (values: Partial<TrafficRow> & { span: Span; grain: Grain; at: Date }): TrafficRow => ({
  id: '',
  ...NO_COUNTS,
  first_buckets: [],
  took_buckets: [],
  ...values,
})

let batches = 0

/** Writes rows as a process does. */
export const writeTraffic = (pool: pg.Pool, rows: readonly TrafficRow[]): Promise<void> =>
  addTraffic(pool, 'proc_test', ++batches, rows)
