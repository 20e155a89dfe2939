import type { RequestPage } from '#lib/contracts/requests'

/** The rows that are on the page, and where the list goes on; null at its end. */
export type Listed = RequestPage

/** Down to when a page has everything that fits; null is the beginning of time. */
const reachOf = ({ rows, next, lookedTo }: Listed): string | null =>
  next === null ? null : (lookedTo ?? rows.at(-1)?.at ?? null)

/**
 * Puts a fresh first page over what is listed. What was loaded or looked through further down stays, unless so much came in
 * since that there would be a gap between the two: then the list starts again from the page.
 */
export function mergeFirstPage(listed: Listed | null, fresh: Listed): Listed {
  const { next } = fresh
  const reach = reachOf(fresh)
  if (listed === null || next === null || reach === null || Date.parse(reach) > Date.parse(listed.asOf)) return fresh
  if (listed.next !== null && listed.next >= next) return fresh
  return { ...listed, asOf: fresh.asOf, rows: [...fresh.rows, ...listed.rows.filter(({ id }) => id < next)] }
}

/** Adds the page that was read from a place on at the end, if the list still ends there. */
export function appendPage(listed: Listed, from: string, page: Listed): Listed {
  return listed.next === from ? { ...page, asOf: listed.asOf, rows: [...listed.rows, ...page.rows] } : listed
}

/** Whether two readings of a first page are the same but for their time. */
export const samePage = (one: Listed | undefined, other: Listed | undefined): boolean =>
  one === other || JSON.stringify({ ...one, asOf: null }) === JSON.stringify({ ...other, asOf: null })

/** How many rows of a fresh first page came in above what is listed. */
export function countNew(listed: Listed, fresh: Listed): number {
  const newest = listed.rows[0]?.id ?? ''
  return fresh.rows.filter(({ id }) => id > newest).length
}
