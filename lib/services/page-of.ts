/**
 * A page of a list that is read by key, out of one row more than it shows, which tells whether there is a page after it.
 * `next` is the place of the last row that is shown: the `before` of that page.
 */
export function pageOf<Row, View>(
  found: readonly Row[],
  limit: number,
  view: (row: Row) => View,
  placeOf: (row: Row) => string,
): { rows: View[]; next: string | null } {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown.map(view), next: found.length > limit && last !== undefined ? placeOf(last) : null }
}

/** The place of a row in a list in the order of its ids. */
export const idOf = ({ id }: { id: string }): string => id
