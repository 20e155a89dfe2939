import type { RequestRow } from '#lib/contracts/requests'

/** The rows that are on the page, and where the list goes on; null at its end. */
export interface Listed {
  rows: RequestRow[]
  next: string | null
}

/**
 * Puts a fresh first page over what is listed. Older rows that were loaded before stay, unless so much
 * came in since that there would be a gap between the two: then the list starts again from the page.
 */
export function mergeFirstPage(listed: Listed | null, fresh: Listed): Listed {
  if (listed === null || listed.rows.length === 0) return fresh
  const ids = new Set(fresh.rows.map((row) => row.id))
  const overlap = listed.rows.some((row) => ids.has(row.id))
  if (!overlap && fresh.next !== null) return fresh
  const lastShared = listed.rows.findLastIndex((row) => ids.has(row.id))
  const older = listed.rows.slice(lastShared + 1)
  return older.length === 0 ? fresh : { rows: [...fresh.rows, ...older], next: listed.next }
}

/** Adds the next page at the end. */
export function appendPage(listed: Listed, page: Listed): Listed {
  const ids = new Set(listed.rows.map((row) => row.id))
  return { rows: [...listed.rows, ...page.rows.filter((row) => !ids.has(row.id))], next: page.next }
}

/** How many requests began in each of `count` equal stretches of time, oldest first, and how many of them failed. */
export interface Stretch {
  from: number
  all: number
  failed: number
}

/** Spreads rows over time for the strip above the list. Empty where there is no stretch of time to spread over. */
export function stretches(rows: RequestRow[], count: number): Stretch[] {
  const times = rows.map((row) => Date.parse(row.at))
  const start = Math.min(...times)
  const length = (Math.max(...times) - start) / count
  if (rows.length < 2 || !(length > 0)) return []
  const result = Array.from({ length: count }, (_, index) => ({ from: start + index * length, all: 0, failed: 0 }))
  for (const row of rows) {
    const stretch = result[stretchOf(row, result)]
    if (stretch === undefined) continue
    stretch.all += 1
    if (row.status >= 400) stretch.failed += 1
  }
  return result
}

/** In which stretch a row is. */
export function stretchOf(row: RequestRow, all: Stretch[]): number {
  const at = Date.parse(row.at)
  return Math.max(
    0,
    all.findLastIndex((stretch) => stretch.from <= at),
  )
}
