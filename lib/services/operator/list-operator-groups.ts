import type { OperatorQuery } from '#lib/contracts/operator'
import type { OperatorGroupRow } from '#lib/contracts/operator-groups'
import type { Ctx } from '../ports.ts'
import { groupView } from './catalog-views.ts'
import { readPage } from './read-page.ts'

/** Lists a page of the model groups, by name. */
export function listOperatorGroups({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads'>
  input: OperatorQuery
}): Promise<{ rows: OperatorGroupRow[]; next: string | null }> {
  return readPage(input, ctx.catalogReads.groups, groupView, ({ name }) => name)
}
