import type { OperatorQuery } from '#lib/contracts/operator'
import type { ConnectionRow } from '#lib/contracts/operator-connections'
import type { Ctx } from '../ports.ts'
import { connectionView } from './catalog-views.ts'
import { readPage } from './read-page.ts'

/** Lists a page of the connections, by name. */
export function listConnections({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'sealing'>
  input: OperatorQuery
}): Promise<{ rows: ConnectionRow[]; next: string | null }> {
  return readPage(
    input,
    ctx.catalogReads.connections,
    (row) => connectionView(row, ctx.sealing),
    ({ name }) => name,
  )
}
