import type pg from 'pg'
import { MODEL_SIZES } from '../domain/catalog.ts'
import { type ListedModel, withListedSizes } from '../domain/listed-model.ts'
import type { Rates } from '../domain/price.ts'
import { formatStoredText } from '../domain/stored-text.ts'
import type { Env } from '../env.ts'
import {
  findUnusedNames,
  hasNoDeployments,
  hasUsers,
  type SeedConnection,
  type SeedModel,
  seedGroup,
  seedVendor,
} from '../store/seed-store.ts'
import { ANTHROPIC_MODELS } from '../vendors/anthropic-models.ts'
import { assumedCapabilities } from '../vendors/assumed-capabilities.ts'
import { withVersion } from '../vendors/base-url.ts'
import { GOOGLE_MODELS } from '../vendors/google-models.ts'
import type { KnownModel } from '../vendors/known-model.ts'
import { listModels } from '../vendors/list-models.ts'
import { OPENAI_MODELS } from '../vendors/openai-models.ts'
import { SANDBOX_MODELS } from '../vendors/sandbox/models.ts'
import { connectionStatusOf, type SeedContext, seedId } from './seed-context.ts'
import { seedEnvVendor } from './seed-env-vendor.ts'
import { type FirstStart, seedOperator } from './seed-operator.ts'

const FREE_RATES: Rates = { input: 0n, cached_input: 0n, output: 0n, audio_second: 0n, character: 0n, image: 0n }

interface FirstSeedContext extends SeedContext {
  /** Stores what the first start creates, so that it can be read later. */
  saveFirstStart(firstStart: FirstStart): Promise<void>
}

/**
 * Fills an empty gateway and adds the vendors that the environment names. A repeated run changes nothing. Only one process may
 * run it at a time: see `inTurn`.
 */
export async function seed(pool: pg.Pool, env: Env, seeding: FirstSeedContext): Promise<FirstStart | null> {
  await seedGroup(pool)
  const sandbox = { id: 'con_sandbox', name: 'sandbox', kind: 'sandbox', baseUrl: null, secretSealed: null }
  if ((await connectionStatusOf(pool, sandbox, 'The sandbox', seeding.printLine)) !== 'taken')
    await seedNewModels(pool, sandbox, sandboxModels())
  for (const vendor of knownVendors(env)) await seedKnownVendor(pool, vendor, seeding)
  for (const vendor of env.VENDORS) await seedEnvVendor(pool, vendor, seeding)
  if (env.OPENAI_COMPATIBLE_BASE_URL) await seedCompatibleVendor(pool, env, env.OPENAI_COMPATIBLE_BASE_URL, seeding)
  return (await hasUsers(pool)) ? null : await seedOperator(pool, seeding.secrets, seeding.saveFirstStart)
}

/** Adds the models that the catalog has never had. An older catalog gets what is new, and changed models stay as they are. */
async function seedNewModels(pool: pg.Pool, connection: SeedConnection, models: SeedModel[]): Promise<number> {
  const names = await findUnusedNames(
    pool,
    models.map((model) => model.id),
  )
  const added = models.filter((model) => names.has(model.id))
  if (added.length > 0) await seedVendor(pool, connection, added, seedId)
  return added.length
}

/** The sandbox is a simulation, so no vendor bills any of its units. */
const zeroRates = (rates: Rates): Rates => Object.fromEntries(Object.keys(rates).map((unit) => [unit, 0n]))

const sandboxModels = (): SeedModel[] =>
  SANDBOX_MODELS.map((model) => ({
    ...model,
    capabilities: [...model.capabilities],
    ownedBy: 'sandbox',
    vendorRates: zeroRates(model.rates),
    note: 'A simulation; its prices are made up.',
  }))

/** A vendor whose models and prices are known. */
interface KnownVendor {
  /** The connection's kind and name, and the first part of its models' names. */
  kind: string
  name: string
  baseUrl: string
  key: string
  models: readonly KnownModel[]
}

/** Adds a vendor with the known models that it offers. A repeated run changes nothing. */
async function seedKnownVendor(pool: pg.Pool, vendor: KnownVendor, { secrets, printLine }: SeedContext): Promise<void> {
  const { kind, name, baseUrl, key } = vendor
  const connection = { id: `con_${kind}`, name: kind, kind, baseUrl, secretSealed: secrets.credentials.seal(key) }
  if ((await connectionStatusOf(pool, connection, name, printLine)) === 'taken') return
  const first = await hasNoDeployments(pool, connection.id)
  const known = vendor.models.map((model) => `${kind}/${model.name}`)
  if (!first && (await findUnusedNames(pool, known)).size === 0) return
  const offered = await listModels(baseUrl, key, kind).catch((error: unknown) => {
    if (first) printLine(`${name} did not list its models: ${(error as Error).message}. The known models are offered.`)
    return first ? null : []
  })
  const models = vendor.models
    .filter((model) => offered === null || offered.some(({ name: id }) => id === model.name || isDatedVersion(id, model.name)))
    .map(({ name: upstreamModel, fees, ...model }): SeedModel => {
      const rates = { ...model.rates, ...fees }
      return {
        modality: 'chat',
        facts: {},
        ...model,
        id: `${kind}/${upstreamModel}`,
        upstreamModel,
        ownedBy: kind,
        rates,
        vendorRates: rates,
        note: formatStoredText('listPrice', { vendor: name }),
      }
    })
  if (models.length === 0 && first) {
    await seedVendor(pool, connection, [], seedId)
    return printLine(
      `${name} is connected. It lists no model that this release has a price of; import its models in the console.`,
    )
  }
  const added = await seedNewModels(pool, connection, models)
  if (first) printLine(`${name} is connected with ${models.length} models.`)
  else if (added > 0) printLine(`${name} has ${added} models more.`)
}

/** Anthropic lists models with a date at the end of their name: claude-haiku-4-5-20251001. */
const isDatedVersion = (listed: string, name: string): boolean =>
  listed.startsWith(`${name}-`) && /^\d{8}$/.test(listed.slice(name.length + 1))

/** The vendors that the environment has a key for. These vendors' own tools take base URLs without a version. */
function knownVendors(env: Env): KnownVendor[] {
  const all = [
    { kind: 'openai', name: 'OpenAI', baseUrl: env.OPENAI_BASE_URL, key: env.OPENAI_API_KEY, models: OPENAI_MODELS },
    {
      kind: 'anthropic',
      name: 'Anthropic',
      baseUrl: withVersion(env.ANTHROPIC_BASE_URL, '/v1'),
      key: env.ANTHROPIC_API_KEY,
      models: ANTHROPIC_MODELS,
    },
    {
      kind: 'google',
      name: 'Google',
      baseUrl: withVersion(env.GEMINI_BASE_URL, '/v1beta'),
      key: env.GEMINI_API_KEY,
      models: GOOGLE_MODELS,
    },
  ]
  return all.flatMap((vendor) => (vendor.key === undefined ? [] : [{ ...vendor, key: vendor.key }]))
}

async function seedCompatibleVendor(
  pool: pg.Pool,
  env: Env,
  baseUrl: string,
  { secrets, printLine }: SeedContext,
): Promise<void> {
  const name = env.OPENAI_COMPATIBLE_NAME
  const key = env.OPENAI_COMPATIBLE_API_KEY ?? null
  const connection = {
    id: `con_${name}`,
    name,
    kind: 'openai-compatible',
    baseUrl,
    secretSealed: key === null ? null : secrets.credentials.seal(key),
  }
  const label = `The server of OPENAI_COMPATIBLE_BASE_URL (OPENAI_COMPATIBLE_NAME ${name})`
  if ((await connectionStatusOf(pool, connection, label, printLine)) === 'taken') return
  if (!(await hasNoDeployments(pool, connection.id))) return
  let offered: ListedModel[]
  try {
    offered = await listModels(baseUrl, key)
  } catch (error) {
    return printLine(`${name} is not connected yet: ${(error as Error).message}. The next start tries again.`)
  }
  const models = offered.map((model): SeedModel => compatibleModel(name, model))
  await seedVendor(pool, connection, models, seedId)
  const unpriced = models.filter((model) => model.rates === FREE_RATES).length
  printLine(
    `${name} is connected with ${models.length} models${unpriced > 0 ? `, ${unpriced} of them at a price of 0 because none is known` : ''}.`,
  )
}

/** Model lists do not say what each model is for, but embedding models are recognized by their names. */
const EMBEDDING_PATTERN = /embed|(^|\/)(bge|e5|gte|all-minilm)-/i

/** A known model keeps its price wherever it runs. Of other models, nothing is known except that they exist. */
function compatibleModel(vendor: string, listed: ListedModel): SeedModel {
  const { name: model } = listed
  const known = OPENAI_MODELS.find((item) => item.name === model)
  const modality = known?.modality ?? (EMBEDDING_PATTERN.test(model) ? 'embedding' : 'chat')
  const sizes = { contextWindow: known?.contextWindow ?? 131_072, maxOutput: known?.maxOutput ?? 32_768 }
  return {
    id: `${vendor}/${model}`,
    upstreamModel: model,
    ownedBy: vendor,
    modality,
    ...withListedSizes(known ? { ...sizes, facts: known.facts ?? {} } : { ...sizes, facts: { assumed: MODEL_SIZES } }, listed),
    imageTokens: known?.imageTokens ?? 16_384,
    capabilities: known?.capabilities ?? assumedCapabilities('openai-compatible', modality, model),
    rates: known?.rates ?? FREE_RATES,
    vendorRates: known?.rates ?? FREE_RATES,
    note: known ? 'The list price of the same model at OpenAI.' : 'No price is known; set one before others use it.',
  }
}
