import type { Pool } from 'pg'
import { firstIdAt, timeOfId } from '../domain/ids.ts'
import { HOUR_MS } from '../domain/time-units.ts'
import type { RequestFilter } from '../services/history/history-ports.ts'

/** How much the time in an id may differ from that of its request, because the two are read at slightly different moments. */
export const SKEW_MS = 60_000
/** Later than any request will be. A year has four digits. */
const MAX_TIME_MS = Date.UTC(9999, 0)
const ID_DIGITS = 26
/** The most hours with use of a model or key that are searched together. */
const MAX_HOURS = 400

/**
 * Ids from `low` to below `high`, and the times that lead to their partitions. Ranges are sorted newest first and do not
 * overlap.
 */
export interface IdRange {
  low: string
  high: string
  from: Date
  to: Date
}

export interface Ranges {
  ranges: IdRange[]
  /** There may be more below this id. Null if the ranges are complete. */
  rest: string | null
}

/** The lowest id that a request of this time or later can have. */
export const lowestIdAt = (time: Date): string => firstIdAt('req', Math.max(0, time.getTime() - SKEW_MS))

/** An id above those of all requests up to this time. */
export const idAbove = (time: Date): string => firstIdAt('req', time.getTime() + SKEW_MS)

function rangeOf(fromMs: number, toMs: number): IdRange {
  const [low, high] = [Math.max(0, fromMs - SKEW_MS), Math.min(MAX_TIME_MS, toMs + SKEW_MS)]
  return { low: firstIdAt('req', low), high: firstIdAt('req', high), from: new Date(low - SKEW_MS), to: new Date(high + SKEW_MS) }
}

/** The ids that begin with a text. */
function rangeOfPrefix(start: string): IdRange {
  const digits = start.slice('req_'.length)
  const low = `req_${digits.padEnd(ID_DIGITS, '0')}`
  // One more digit than an id has makes it sort after all of them.
  const high = `req_${digits.padEnd(ID_DIGITS, 'z')}0`
  const lowMs = Math.min(timeOfId(low).getTime(), MAX_TIME_MS)
  const highMs = Math.min(timeOfId(high).getTime(), MAX_TIME_MS)
  return { low, high, from: new Date(lowMs - SKEW_MS), to: new Date(highMs + SKEW_MS) }
}

const minString = (a: string, b: string): string => (a < b ? a : b)
const maxString = (a: string, b: string): string => (a > b ? a : b)

/** The intersection of two ranges, or null if it is empty. */
function intersect(one: IdRange, other: IdRange): IdRange | null {
  const range = {
    low: maxString(one.low, other.low),
    high: minString(one.high, other.high),
    from: new Date(Math.max(one.from.getTime(), other.from.getTime())),
    to: new Date(Math.min(one.to.getTime(), other.to.getTime())),
  }
  return range.low < range.high && range.from < range.to ? range : null
}

/** Joins hours that are adjacent, or nearly, into one range. */
function joinHours(hours: Date[]): IdRange[] {
  const spans: { fromMs: number; toMs: number }[] = []
  for (const hour of hours) {
    const newer = spans.at(-1)
    if (newer !== undefined && newer.fromMs <= hour.getTime() + HOUR_MS) newer.fromMs = hour.getTime()
    else spans.push({ fromMs: hour.getTime(), toMs: hour.getTime() + HOUR_MS })
  }
  return spans.map(({ fromMs, toMs }) => rangeOf(fromMs, toMs))
}

// The hours of the rollups in which a model or key was used, and failed if that is asked for. No other hour has to be searched.
const HOURS = `
  select distinct hour from usage_hour
  where account_id = $1 and hour >= $2 and hour <= $3
    and (cardinality($4::text[]) = 0 or model_id = any($4)) and ($5::text is null or key_id = $5)
    and case $6::text when 'error' then errors > 0 when 'ok' then requests > errors else true end
  order by hour desc limit ${MAX_HOURS}`

/** Where matching requests below `before` can be, according to indexes and rollups. */
export async function rangesOf(pool: Pool, accountId: string, filter: RequestFilter, before: string | null): Promise<Ranges> {
  let bounds: IdRange | null = rangeOf(filter.from?.getTime() ?? 0, filter.to?.getTime() ?? MAX_TIME_MS)
  if (filter.search?.in === 'id') bounds = intersect(bounds, rangeOfPrefix(filter.search.text))
  if (before !== null && bounds !== null) {
    const until = Math.min(timeOfId(before).getTime() + SKEW_MS, MAX_TIME_MS)
    bounds = intersect(bounds, { low: '', high: before, from: new Date(0), to: new Date(until) })
  }
  if (bounds === null) return { ranges: [], rest: null }
  if (filter.models.length === 0 && filter.keyId === null) return { ranges: [bounds], rest: null }
  const from = new Date(Math.floor(Math.max(0, bounds.from.getTime()) / HOUR_MS) * HOUR_MS)
  const { rows } = await pool.query<{ hour: Date }>(HOURS, [
    accountId,
    from,
    bounds.to,
    filter.models,
    filter.keyId,
    filter.status,
  ])
  const limits = bounds
  const ranges = joinHours(rows.map(({ hour }) => hour)).flatMap((range) => intersect(range, limits) ?? [])
  return { ranges, rest: rows.length < MAX_HOURS ? null : (ranges.at(-1)?.low ?? null) }
}
