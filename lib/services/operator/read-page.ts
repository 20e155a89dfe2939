import type { OperatorQuery } from '#lib/contracts/operator'
import { pageOf } from '../page-of.ts'
import type { ListFilter } from './operator-ports.ts'

/** Reads a page of a list that is ordered by name. */
export async function readPage<Row, View>(
  input: OperatorQuery,
  fetchPage: (filter: ListFilter, rows: number) => Promise<Row[]>,
  view: (row: Row) => View,
  cursorOf: (row: Row) => string,
): Promise<{ rows: View[]; next: string | null }> {
  const filter = { search: input.search ?? null, after: input.before ?? null, archived: input.archived === 'yes' }
  return pageOf(await fetchPage(filter, input.limit + 1), input.limit, view, cursorOf)
}
