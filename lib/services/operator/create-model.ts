import type { ChangeResult, CreateModelInput } from '#lib/contracts/operator'
import type { ModelFacts } from '../../domain/catalog.ts'
import type { Rates } from '../../domain/price.ts'
import type { Ctx } from '../ports.ts'
import { applyChanges } from './apply-changes.ts'
import { checkSizes, validateRates } from './model-values.ts'
import type { CatalogChange } from './operator-ports.ts'

/**
 * Adds a model with its first price to the named groups. Nothing runs it until it has a deployment.
 * Errors: `invalid_input` (id, maxOutput, rates), `not_found` for a group.
 */
export async function createModel({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites' | 'ids'>
  input: CreateModelInput
}): Promise<ChangeResult> {
  const { id, groupIds, rates: rateTexts, facts, ...fields } = input
  checkSizes(fields)
  const rates = validateRates(fields.modality, rateTexts)
  const changes: CatalogChange[] = [
    { do: 'add', target: 'model', id, value: { ...fields, facts: facts as ModelFacts } },
    firstPrice(ctx.ids.create('prc'), id, rates),
    ...groupIds.map((group) => addModelsToGroup(group, [id])),
  ]
  const [version] = await applyChanges(ctx, changes)
  return { id, version: version ?? 1 }
}

/** A price from now on. The vendor's price is assumed to be the same until it is set. */
const firstPrice = (id: string, modelId: string, rates: Rates): CatalogChange => ({
  do: 'add',
  target: 'price',
  id,
  value: { modelId, startsAt: null, rates, vendorRates: rates, note: '' },
})

/** Adds models to a group, regardless of concurrent changes to it. */
export const addModelsToGroup = (id: string, addModels: string[]): CatalogChange => ({
  do: 'set',
  target: 'group',
  id,
  version: null,
  value: {},
  moves: { addModels, removeModels: [], addAccounts: [], removeAccounts: [] },
})
