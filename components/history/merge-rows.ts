import type { RequestRow } from '#lib/contracts/requests'

/** The rows that are on the page, and where the list goes on; null at its end. */
export interface Listed {
  rows: RequestRow[]
  next: string | null
  /** Up to when was looked, where few requests fit and older ones may still do. */
  lookedTo: string | null
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
  return older.length === 0 ? fresh : { ...listed, rows: [...fresh.rows, ...older] }
}

/** Adds the next page at the end. */
export function appendPage(listed: Listed, page: Listed): Listed {
  const ids = new Set(listed.rows.map((row) => row.id))
  return { ...page, rows: [...listed.rows, ...page.rows.filter((row) => !ids.has(row.id))] }
}

/** How many rows of a fresh first page came in above what is listed. */
export function countNew(listed: Listed, fresh: Listed): number {
  const newest = listed.rows[0]?.id ?? ''
  return fresh.rows.filter(({ id }) => id > newest).length
}
