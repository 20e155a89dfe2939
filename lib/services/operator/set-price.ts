import type { ChangeResult, SetPriceInput } from '#lib/contracts/operator'
import { parseRates } from '../../domain/price.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { applyChange } from './apply-changes.ts'
import { validateRates } from './model-values.ts'

/**
 * Adds a version of a model's price, in force from its start. Versions are never changed, and a charge keeps the version it was
 * admitted with. Errors: `not_found`, `invalid_input` (startsAt, rates), `conflict` if somebody else has set one since.
 */
export async function setPrice({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'catalogWrites' | 'clock' | 'ids'>
  input: SetPriceInput
}): Promise<ChangeResult> {
  const now = ctx.clock.now()
  const model = await ctx.catalogReads.model(input.modelId, now)
  if (!model) throw new ServiceError('not_found', 'There is no such model.')
  const startsAt = input.startsAt === null ? null : new Date(input.startsAt)
  if (startsAt && startsAt <= now)
    throw invalidField('startsAt', 'A price cannot start in the past, because past charges do not change. Choose a later time.')
  const rates = validateRates(model.modality, input.rates)
  // The vendor's price stays as it was unless it is given.
  const [last] = (await ctx.catalogReads.prices(model.id)).filter((price) => price.startsAt <= (startsAt ?? now))
  const vendorRates = input.vendorRates ? parseRates(input.vendorRates) : last ? parseRates(last.vendorRates) : rates
  const value = { modelId: model.id, startsAt, rates, vendorRates, note: input.note }
  return applyChange(ctx, { do: 'add', target: 'price', id: ctx.ids.create('prc'), value, seen: input.seen })
}
