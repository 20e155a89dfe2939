/**
 * Makes a page of a list that is read by key, from one row more than the page shows; that row says whether there is a next page.
 * `next` is the place of the last row shown: the `before` of the next page.
 */
export function pageOf<Row, View>(
  records: readonly Row[],
  limit: number,
  view: (row: Row) => View,
  cursorOf: (row: Row) => string,
): { rows: View[]; next: string | null } {
  const shown = records.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown.map(view), next: records.length > limit && last !== undefined ? cursorOf(last) : null }
}

/** The place of a row in a list ordered by id. */
export const idOf = ({ id }: { id: string }): string => id
