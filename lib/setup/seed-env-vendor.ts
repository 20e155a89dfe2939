import type pg from 'pg'
import { type ListedModel, withListedImageRate, withListedSizes } from '../domain/listed-model.ts'
import { formatRates } from '../domain/price.ts'
import { vendorKind } from '../domain/vendor-kind-list.ts'
import type { VendorKind, VendorModality } from '../domain/vendor-kinds.ts'
import type { EnvVendor } from '../env.ts'
import { createPriceRegistry } from '../host/price-registry.ts'
import { validateRates } from '../services/operator/model-values.ts'
import type { KnownFacts } from '../services/operator/operator-ports.ts'
import { suggestModelId } from '../services/operator/preview-import.ts'
import { asServiceError } from '../services/service-error.ts'
import { type SeedModel, seedVendor } from '../store/seed-store.ts'
import { listModels, VendorQueryFailure } from '../vendors/list-models.ts'
import { connectionStatusOf, type SeedContext, seedId } from './seed-context.ts'

/** Whether a model can be sold without review: at the vendor's own price, if there is a single, complete one. */
function isSellable({ modality, basis, rates }: KnownFacts, { modalities }: VendorKind, { makesImages }: ListedModel): boolean {
  if (basis !== 'vendor' || rates === null || !modalities.includes(modality as VendorModality)) return false
  // Images would be sold at the price of text.
  if (makesImages && rates.image_output === undefined) return false
  try {
    validateRates(modality, formatRates(rates))
    return true
  } catch (error) {
    if (asServiceError(error)) return false
    throw error
  }
}

/** The offered models whose prices the registry has. */
async function sellableModelsOf(kind: VendorKind, offered: readonly ListedModel[]): Promise<SeedModel[]> {
  const registry = createPriceRegistry()
  const now = new Date()
  const known = await Promise.all(
    offered.map(async (listed) => {
      const modality = listed.makesImages ? 'chat' : undefined
      const found = await registry.find({ kind: kind.id, baseUrl: kind.baseUrl }, listed.name, now, modality)
      const rates = found.rates && withListedImageRate(found.rates, listed.imageOutputRate)
      return { listed, facts: withListedSizes({ ...found, rates }, listed) }
    }),
  )
  return known.flatMap(({ listed, facts }) => {
    const { name } = listed
    const { rates, basis: _, ...shape } = facts
    if (!isSellable(facts, kind, listed) || rates === null) return []
    return [
      { ...shape, id: suggestModelId({ name: kind.id }, name), upstreamModel: name, ownedBy: kind.id, rates, vendorRates: rates },
    ]
  })
}

/**
 * Connects a vendor whose key is in the environment, with those of its models whose price is known. Prints what it did, and how
 * to import the other models. Runs only once: an existing connection stays as an operator has changed it.
 */
export async function seedEnvVendor(pool: pg.Pool, vendor: EnvVendor, { secrets, printLine }: SeedContext): Promise<void> {
  const kind = vendorKind(vendor.kind)
  if (!kind) return
  const connection = { id: `con_${kind.id}`, name: kind.id, kind: kind.id }
  if ((await connectionStatusOf(pool, connection, kind.label, printLine)) !== 'new') return
  const baseUrl = vendor.baseUrl ?? kind.baseUrl ?? ''
  const offered = await listModels(baseUrl, vendor.key, kind.id).catch((error: unknown) => {
    if (error instanceof VendorQueryFailure) return error
    throw error
  })
  if (offered instanceof VendorQueryFailure && offered.fault !== 'unlisted')
    return printLine(`${kind.label} is not connected yet: ${offered.message}. The next start tries again.`)
  const listed = offered instanceof VendorQueryFailure ? [] : offered
  const models = await sellableModelsOf(kind, listed)
  await seedVendor(pool, { ...connection, baseUrl, secretSealed: secrets.credentials.seal(vendor.key) }, models, seedId)
  const page = `/operator/connections/${connection.id}`
  if (offered instanceof VendorQueryFailure)
    return printLine(`${kind.label} is connected. It does not list its models. Add the ones that you want at ${page}.`)
  const unpricedCount = listed.length - models.length
  printLine(
    `${kind.label} is connected with ${models.length} models${unpricedCount > 0 ? `; ${unpricedCount} more have no known price. Import them at ${page}` : ''}.`,
  )
}
