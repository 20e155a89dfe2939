import type { ChangeResult, UpdateModelInput } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { applyChange } from './apply-changes.ts'
import { checkSizes } from './model-values.ts'
import type { ModelValues } from './operator-ports.ts'
import { omitUndefined } from './update-connection.ts'

/** Changes the named values of a model. Errors: `not_found`, `conflict`, `invalid_input` (maxOutput). */
export async function updateModel({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'catalogWrites' | 'clock'>
  input: UpdateModelInput
}): Promise<ChangeResult> {
  const { id, version, archived, ...fields } = input
  const found = await ctx.catalogReads.model(id, ctx.clock.now())
  if (!found) throw new ServiceError('not_found', 'There is no such model.')
  checkSizes({ ...found, ...omitUndefined(fields) })
  const value = { ...(omitUndefined(fields) as Partial<ModelValues>), ...(archived === undefined ? {} : { archived }) }
  return applyChange(ctx, { do: 'set', target: 'model', id, version, value })
}
