import type { OperatorQuery } from '#lib/contracts/operator'
import type { ListFilter } from './operator-ports.ts'

/**
 * A page of a list in the order of a name, read by key: one row more than was asked for tells whether there is a page
 * after this one. `next` is the `before` of that page.
 */
export async function readPage<Row, View>(
  input: OperatorQuery,
  read: (filter: ListFilter, rows: number) => Promise<Row[]>,
  view: (row: Row) => View,
  nameOf: (row: Row) => string,
): Promise<{ rows: View[]; next: string | null }> {
  const filter = { search: input.search ?? null, after: input.before ?? null, archived: input.archived === 'yes' }
  const found = await read(filter, input.limit + 1)
  const shown = found.slice(0, input.limit)
  const last = shown.at(-1)
  return { rows: shown.map(view), next: found.length > input.limit && last ? nameOf(last) : null }
}
