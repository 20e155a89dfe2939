import type { ImportInput, ImportResult } from '#lib/contracts/operator-import'
import { withAssumed, withListedImageRate, withListedSizes } from '../../domain/listed-model.ts'
import { formatRates, parseRates, type Rates } from '../../domain/price.ts'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { applyChanges } from './apply-changes.ts'
import { addModelsToGroup } from './create-model.ts'
import { findConnection } from './get-connection.ts'
import { checkSizes, validateRates } from './model-values.ts'
import type { CatalogChange, ConnectionRecord, KnownFacts } from './operator-ports.ts'

type Context = Ctx<'catalogReads' | 'catalogWrites' | 'priceRegistry' | 'clock' | 'ids'>
type ImportChoice = ImportInput['take'][number]

/** The state of each chosen model: in the catalog or not, run by this connection or not. */
interface ImportState {
  taken: ImportChoice
  known: KnownFacts
  model: { modality: string } | null
  deployed: boolean
}

async function importStateOf(
  ctx: Context,
  connection: ConnectionRecord,
  taken: ImportChoice,
  deployed: ReadonlySet<string>,
): Promise<ImportState> {
  const now = ctx.clock.now()
  const [known, model] = await Promise.all([
    ctx.priceRegistry.find(connection, taken.upstreamModel, now, taken.modality),
    ctx.catalogReads.model(taken.modelId, now),
  ])
  return { taken, known, model, deployed: deployed.has(`${taken.modelId}\n${taken.upstreamModel}`) }
}

function changesOf({ taken, known, model, deployed }: ImportState, connection: ConnectionRecord, ctx: Context): CatalogChange[] {
  const { modelId, upstreamModel } = taken
  const { rates: found, basis: _, note, ...shape } = known
  const changes: CatalogChange[] = []
  if (!model) {
    const ownedBy = modelId.includes('/') ? modelId.slice(0, modelId.indexOf('/')).slice(0, 60) : connection.name
    const { contextWindow = null, maxOutput = null } = taken
    const sized = withListedSizes(shape, { contextWindow, maxOutput })
    checkSizes(sized)
    const facts = withAssumed(sized.facts, taken.assumed ?? sized.facts.assumed ?? [])
    changes.push({ do: 'add', target: 'model', id: modelId, value: { ...sized, facts, ownedBy, enabled: true } })
  }
  const rates = chosenRates(taken, model?.modality ?? known.modality)
  if (!model && rates === null)
    throw invalidField('take', messageWith('No price is known for "{model}". Enter one.', { model: upstreamModel }))
  if (rates !== null) {
    // What the registry does not know of images was in the vendor's own list, or an operator has entered it.
    const vendorRates = found ? withListedImageRate(found, rates.image_output) : rates
    const value = { modelId, startsAt: null, rates, vendorRates, note }
    changes.push({ do: 'add', target: 'price', id: ctx.ids.create('prc'), value })
  }
  if (!deployed) {
    const value = {
      modelId,
      connectionId: connection.id,
      upstreamModel,
      weight: 1,
      priority: 0,
      concurrency: null,
      requestsPerMinute: null,
      tokensPerMinute: null,
      enabled: true,
    }
    changes.push({ do: 'add', target: 'deployment', id: ctx.ids.create('dep'), value })
  }
  return changes
}

/** The rates are converted through bigint, so that `007` and `7` are the same price. */
const chosenRates = ({ rates }: ImportChoice, modality: string): Rates | null =>
  rates && validateRates(modality, formatRates(parseRates(rates)))

/**
 * Imports models from a connection: new models with their price and into the default group, changed prices from now on, and a
 * deployment for each. All in one transaction.
 * Errors: `not_found`, `conflict`, `invalid_input` (take).
 */
export async function applyImport({ ctx, input }: { ctx: Context; input: ImportInput }): Promise<ImportResult> {
  const connection = await findConnection(ctx, input.id)
  if (connection.archivedAt) throw invalidField('id', 'This connection is archived. Restore it first.')
  const duplicate = input.take.find(({ modelId }, at) => input.take.findIndex((other) => other.modelId === modelId) !== at)
  if (duplicate) throw invalidField('take', messageWith('"{model}" is chosen twice.', { model: duplicate.modelId }))
  const runs = await ctx.catalogReads.deployments({ connectionId: connection.id })
  const deployed = new Set(runs.map(({ modelId, upstreamModel }) => `${modelId}\n${upstreamModel}`))
  const states = await Promise.all(input.take.map((taken) => importStateOf(ctx, connection, taken, deployed)))
  const changes = states.flatMap((standing) => changesOf(standing, connection, ctx))
  const newModelIds = states.filter(({ model }) => !model).map(({ taken }) => taken.modelId)
  const [group] = (await ctx.catalogReads.groups({ search: null, after: null, archived: false }, 1000)).filter(
    ({ isDefault }) => isDefault,
  )
  if (group && newModelIds.length > 0) changes.push(addModelsToGroup(group.id, newModelIds))
  if (changes.length > 0) await applyChanges(ctx, changes)
  const count = (target: CatalogChange['target']) =>
    changes.filter((change) => change.do === 'add' && change.target === target).length
  return { models: count('model'), prices: count('price'), deployments: count('deployment') }
}
