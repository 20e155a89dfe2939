import type { RequestPage } from '#lib/contracts/requests'

/** The rows on the page, and `next`, where the list continues; null at its end. */
export type LoadedRequests = RequestPage

/** The time down to which a page is complete. Null means that it is complete to the very beginning. */
const completeDownTo = ({ rows, next, lookedTo }: LoadedRequests): string | null =>
  next === null ? null : (lookedTo ?? rows.at(-1)?.at ?? null)

/**
 * Merges a fresh first page into the list. Pages that were loaded or searched further down stay, unless so many rows came in
 * since that there would be a gap between the two. The list then starts again with the fresh page.
 */
export function mergeFirstPage(listed: LoadedRequests | null, fresh: LoadedRequests): LoadedRequests {
  const { next } = fresh
  const completeTime = completeDownTo(fresh)
  if (listed === null || next === null || completeTime === null || Date.parse(completeTime) > Date.parse(listed.asOf))
    return fresh
  if (listed.next !== null && listed.next >= next) return fresh
  return { ...listed, asOf: fresh.asOf, rows: [...fresh.rows, ...listed.rows.filter(({ id }) => id < next)] }
}

/** Appends the page that was read from `from`, if the list still ends there. */
export function appendPage(listed: LoadedRequests, from: string, page: LoadedRequests): LoadedRequests {
  return listed.next === from ? { ...page, asOf: listed.asOf, rows: [...listed.rows, ...page.rows] } : listed
}

/** Whether two responses of the first page differ only in their time. */
export const isSamePage = (one: LoadedRequests | undefined, other: LoadedRequests | undefined): boolean =>
  one === other || JSON.stringify({ ...one, asOf: null }) === JSON.stringify({ ...other, asOf: null })

/** How many rows of a fresh first page are newer than the list. */
export function countNew(listed: LoadedRequests, fresh: LoadedRequests): number {
  const newest = listed.rows[0]?.id ?? ''
  return fresh.rows.filter(({ id }) => id > newest).length
}
