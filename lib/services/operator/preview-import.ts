import { createHash } from 'node:crypto'
import type { Offer, Offers } from '#lib/contracts/operator-import'
import { type ListedModel, withListedImageRate, withListedSizes } from '../../domain/listed-model.ts'
import { formatRates } from '../../domain/price.ts'
import { parseStoredText } from '../../domain/stored-text.ts'
import { VENDOR_FAULTS } from '../../domain/vendor-faults.ts'
import { type MessageValue, messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { findConnection } from './get-connection.ts'
import { pricesEqual } from './model-values.ts'
import type { ConnectionRecord, DeploymentRecord, KnownFacts, PriceRecord } from './operator-ports.ts'
import { unsealConnection } from './test-connection.ts'

/** More than any vendor lists. Further models can be added manually. */
const MAX_MODELS = 1000

/** A name that cannot be written in Latin letters, as a short one that is the same each time and differs from the others. */
const nameOfHash = (name: string): string => `model-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`

/**
 * The catalog name for a model from a connection: prefixed once with the connection's name. If none of its letters can be in a
 * catalog name, it gets one that is made from its hash.
 */
export function suggestModelId(connection: Pick<ConnectionRecord, 'name'>, upstreamModel: string): string {
  const prefix =
    connection.name
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[._-]+|[._-]+$/g, '') || 'vendor'
  const allowed = upstreamModel.replace(/[^A-Za-z0-9._:@/+-]+/g, '-')
  const bare = /\p{L}/u.test(upstreamModel) && !/[A-Za-z]/.test(allowed) ? nameOfHash(upstreamModel) : allowed
  return bare.startsWith(`${prefix}/`) ? bare : `${prefix}/${bare}`
}

const currentPriceOf = (prices: readonly PriceRecord[], at: Date): PriceRecord | undefined =>
  prices.find((price) => price.startsAt <= at)

/** Why a vendor could not be asked, in words that have a translation. */
function faultOf(message: string): MessageValue {
  const found = parseStoredText(message)
  const fault = found && Object.entries(VENDOR_FAULTS).find(([name]) => name === found.name)?.[1]
  return fault ? { message: fault, values: found.values } : message
}

/** Compares what the vendor offers, or no longer offers, with what the catalog has. */
export function createOffer(
  known: KnownFacts,
  names: { upstreamModel: string; modelId: string },
  current: PriceRecord | null | undefined,
  offered: boolean,
): Offer {
  // The registry has no prices of searches, apart from the maker's own, so one that the catalog has is not taken away.
  const search = current?.vendorRates.web_search ?? current?.rates.web_search
  const withSearch = (rates: Record<string, string>) => (search === undefined ? rates : { web_search: search, ...rates })
  const found = known.rates && withSearch(formatRates(known.rates))
  const { modality, contextWindow, maxOutput, capabilities, facts, note } = known
  const state = (): Offer['state'] => {
    if (!offered) return 'gone'
    if (current === undefined) return 'new'
    return current && found && !pricesEqual(withSearch(current.vendorRates), found) ? 'price' : 'same'
  }
  return {
    ...names,
    state: state(),
    modality,
    contextWindow,
    maxOutput,
    assumed: [...(facts.assumed ?? [])],
    capabilities,
    rates: current?.rates ?? null,
    vendorRates: current?.vendorRates ?? null,
    found,
    note,
  }
}

/**
 * Asks the vendor for its models and reports how the catalog differs. Changes nothing.
 * Errors: `not_found`; `unavailable` if the vendor does not answer.
 */
export async function previewImport({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'sealing' | 'vendorProbe' | 'priceRegistry' | 'clock'>
  input: { id: string }
}): Promise<Offers> {
  const connection = await findConnection(ctx, input.id)
  const probe = await ctx.vendorProbe.probeModels(unsealConnection(connection, ctx.sealing))
  if (!probe.ok)
    throw new ServiceError(
      'unavailable',
      messageWith('{name} could not be queried: {why}.', { name: connection.name, why: faultOf(probe.message) }),
    )
  const now = ctx.clock.now()
  const deployments = await ctx.catalogReads.deployments({ connectionId: connection.id })
  const active = deployments.filter(({ archivedAt }) => archivedAt === null)
  const runs = new Map(active.map((row): [string, DeploymentRecord] => [row.upstreamModel, row]))
  const offered = new Map(probe.models.map((model): [string, ListedModel] => [model.name, model]))
  const all = [...new Set([...offered.keys(), ...runs.keys()])].slice(0, MAX_MODELS)
  const rows = await Promise.all(
    all.map(async (upstreamModel) => {
      const run = runs.get(upstreamModel)
      const listed = offered.get(upstreamModel)
      const modality = listed?.makesImages ? 'chat' : undefined
      const sized = withListedSizes(await ctx.priceRegistry.find(connection, upstreamModel, now, modality), listed)
      const known = { ...sized, rates: sized.rates && withListedImageRate(sized.rates, listed?.imageOutputRate) }
      const current = run && (currentPriceOf(await ctx.catalogReads.prices(run.modelId), now) ?? null)
      const names = { upstreamModel, modelId: run?.modelId ?? suggestModelId(connection, upstreamModel) }
      return createOffer(known, names, current, offered.has(upstreamModel))
    }),
  )
  return { rows, registry: await ctx.priceRegistry.name() }
}
