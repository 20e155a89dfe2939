import type { RequestChart, RequestFilters } from '#lib/contracts/history'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time-units.ts'
import type { Ctx } from '../ports.ts'
import { requestFilter } from './request-filter.ts'

/**
 * Bar widths that read well. The smallest that needs at most MAX_BARS bars is used. Usage is added up by day: ranges over two
 * weeks are shown in days and read from the daily sums.
 */
const BUCKET_WIDTHS_MS = [
  ...[1, 5, 15].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15].map((minutes) => minutes * MINUTE_MS),
  // Wider bars are whole days, which are already added up.
  ...[1, 3, 6].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 30, 90].map((days) => days * DAY_MS),
]
const MAX_BARS = 62
const DEFAULT_RANGE_MS = 30 * DAY_MS
const MIN_BAR_MS = HOUR_MS
/** Longer ago than any request, and as many bars as can be drawn at the greatest width. */
const MAX_SPAN_MS = MAX_BARS * 90 * DAY_MS

const floorTo = (ms: number, step: number): number => Math.floor(ms / step) * step
const ceilTo = (ms: number, step: number): number => Math.ceil(ms / step) * step
const bucketWidthOf = (lengthMs: number): number => BUCKET_WIDTHS_MS.find((width) => lengthMs / width <= MAX_BARS) ?? 90 * DAY_MS

/**
 * Counts the account's requests that match the filters over time, and how many of them failed. Without a range, covers the last
 * thirty days, or the time since the first request if that is shorter. The first and last bars are complete, even if the range
 * begins or ends inside them.
 * Errors: `invalid_input` (to, model).
 */
export async function chartRequests({
  ctx,
  input,
}: {
  ctx: Ctx<'charts' | 'clock'>
  input: RequestFilters
}): Promise<RequestChart> {
  const { accountId } = ctx.user
  const now = ctx.clock.now()
  const filter = requestFilter(input, now)
  const end = Math.min(filter.to?.getTime() ?? Number.POSITIVE_INFINITY, Math.max(now.getTime(), filter.from?.getTime() ?? 0) + 1)
  const defaultStart = async () => {
    const first = (await ctx.charts.firstHour(accountId))?.getTime() ?? end
    return Math.min(Math.max(first, end - DEFAULT_RANGE_MS), end - MIN_BAR_MS)
  }
  const start = Math.max(filter.from?.getTime() ?? (await defaultStart()), end - MAX_SPAN_MS)
  const bucketMs = bucketWidthOf(end - start)
  const [from, to] = [new Date(floorTo(start, bucketMs)), new Date(ceilTo(end, bucketMs))]
  const { buckets, countedFrom } = await ctx.charts.count(accountId, filter, from, to, bucketMs)
  const found = new Map(buckets.map((bucket) => [bucket.at.getTime(), bucket]))
  const count = Math.round((to.getTime() - from.getTime()) / bucketMs)
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    bucketMs,
    countedFrom: countedFrom?.toISOString() ?? null,
    buckets: Array.from({ length: count }, (_, index) => {
      const at = from.getTime() + index * bucketMs
      const { requests = 0, errors = 0 } = found.get(at) ?? {}
      return { at: new Date(at).toISOString(), requests, errors }
    }),
  }
}
