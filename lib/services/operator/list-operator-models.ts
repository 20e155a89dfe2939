import type { OperatorModelRow, OperatorQuery } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { modelView } from './catalog-views.ts'
import { readPage } from './read-page.ts'

/** Lists a page of all models, by name, with the price in force. */
export function listOperatorModels({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'clock'>
  input: OperatorQuery
}): Promise<{ rows: OperatorModelRow[]; next: string | null }> {
  const at = ctx.clock.now()
  return readPage(
    input,
    (filter, rows) => ctx.catalogReads.models(filter, at, rows),
    modelView,
    ({ id }) => id,
  )
}
