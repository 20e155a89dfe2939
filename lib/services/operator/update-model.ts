import type { ChangeResult, UpdateModelInput } from '#lib/contracts/operator'
import { withAssumed } from '../../domain/listed-model.ts'
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
  const values = { ...(omitUndefined(fields) as Partial<ModelValues>), ...withoutStated(found, fields as Partial<ModelValues>) }
  const value = { ...values, ...(archived === undefined ? {} : { archived }) }
  return applyChange(ctx, { do: 'set', target: 'model', id, version, value })
}

/** A size that an operator changes is no longer assumed. */
function withoutStated(found: ModelValues, fields: Partial<ModelValues>): Pick<ModelValues, 'facts'> | object {
  const { assumed, ...facts } = fields.facts ?? found.facts
  if (assumed === undefined) return {}
  return {
    facts: withAssumed(
      facts,
      assumed.filter((size) => fields[size] === undefined || fields[size] === found[size]),
    ),
  }
}
