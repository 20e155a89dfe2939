import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { formatKey, KEY_RANDOM_BYTES, keyHint } from '../domain/api-key.ts'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import type { Rates } from '../domain/price.ts'
import type { Env } from '../env.ts'
import { hmacKey } from '../services/key-hash.ts'
import { createPasswords } from '../services/password.ts'
import { createConsoleStore } from '../store/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { seal } from '../store/seal.ts'
import { DEFAULT_GROUP, hasUsers, lacksModels, type SeedModel, seedGroup, seedVendor } from '../store/seed-store.ts'
import { listModels } from '../vendors/list-models.ts'
import { OPENAI_MODELS } from '../vendors/openai-models.ts'
import { SANDBOX_MODELS } from '../vendors/sandbox.ts'
import type { Secrets } from './secrets.ts'

/** What the first start made, to be shown once. */
export interface FirstStart {
  email: string
  password: string
  apiKey: string
}

const OPERATOR_EMAIL = 'operator@localhost.localdomain'
/** The operator's own account starts with this, so that the first call works. */
const FIRST_CREDIT_NANO = 100_000_000_000n
const FREE: Rates = { input: 0n, cached_input: 0n, output: 0n }

const id = (prefix: string): string => newId(prefix, Date.now(), randomBytes(ID_RANDOM_BYTES))

/** Fills an empty gateway, and adds the vendors that the environment names. Repeats change nothing. */
export async function seed(pool: pg.Pool, env: Env, secrets: Secrets, say: (line: string) => void): Promise<FirstStart | null> {
  await seedGroup(pool)
  const sandbox = { id: 'con_sandbox', name: 'sandbox', kind: 'sandbox', baseUrl: null, secretSealed: null }
  if (await lacksModels(pool, sandbox.id)) await seedVendor(pool, sandbox, sandboxModels(), id)
  if (env.OPENAI_API_KEY) await seedOpenAi(pool, env, env.OPENAI_API_KEY, secrets, say)
  if (env.OPENAI_COMPATIBLE_BASE_URL) await seedCompatible(pool, env, env.OPENAI_COMPATIBLE_BASE_URL, secrets, say)
  return (await hasUsers(pool)) ? null : await seedOperator(pool, secrets)
}

const sandboxModels = (): SeedModel[] =>
  SANDBOX_MODELS.map((model) => ({
    ...model,
    capabilities: [...model.capabilities],
    ownedBy: 'sandbox',
    vendorRates: FREE,
    note: 'A simulation; its prices are made up.',
  }))

async function seedOpenAi(pool: pg.Pool, env: Env, key: string, secrets: Secrets, say: (line: string) => void): Promise<void> {
  const connection = {
    id: 'con_openai',
    name: 'openai',
    kind: 'openai',
    baseUrl: env.OPENAI_BASE_URL,
    secretSealed: seal(secrets.sealing, key),
  }
  if (!(await lacksModels(pool, connection.id))) return
  const offered = await listModels(env.OPENAI_BASE_URL, key).catch((error: unknown) => {
    say(`OpenAI could not be asked for its models: ${(error as Error).message}. The known ones are offered.`)
    return null
  })
  const models = OPENAI_MODELS.filter((model) => offered === null || offered.includes(model.name)).map(
    ({ name, ...model }): SeedModel => ({
      ...model,
      id: `openai/${name}`,
      upstreamModel: name,
      ownedBy: 'openai',
      vendorRates: model.rates,
      note: "OpenAI's list price.",
    }),
  )
  await seedVendor(pool, connection, models, id)
  say(`OpenAI is connected with ${models.length} models.`)
}

async function seedCompatible(
  pool: pg.Pool,
  env: Env,
  baseUrl: string,
  secrets: Secrets,
  say: (line: string) => void,
): Promise<void> {
  const name = env.OPENAI_COMPATIBLE_NAME
  const key = env.OPENAI_COMPATIBLE_API_KEY ?? null
  const connection = {
    id: `con_${name}`,
    name,
    kind: 'openai-compatible',
    baseUrl,
    secretSealed: key === null ? null : seal(secrets.sealing, key),
  }
  if (!(await lacksModels(pool, connection.id))) return
  let offered: string[]
  try {
    offered = await listModels(baseUrl, key)
  } catch (error) {
    return say(`${name} is not connected yet: ${(error as Error).message}. The next start tries again.`)
  }
  const models = offered.map((model): SeedModel => compatibleModel(name, model))
  await seedVendor(pool, connection, models, id)
  const unpriced = models.filter((model) => model.rates === FREE).length
  say(
    `${name} is connected with ${models.length} models${unpriced > 0 ? `, ${unpriced} of them at a price of 0 because none is known` : ''}.`,
  )
}

/** A known model keeps its price wherever it runs; for others nothing is known but that they answer. */
function compatibleModel(vendor: string, model: string): SeedModel {
  const known = OPENAI_MODELS.find((item) => item.name === model)
  return {
    id: `${vendor}/${model}`,
    upstreamModel: model,
    ownedBy: vendor,
    contextWindow: known?.contextWindow ?? 131_072,
    maxOutput: known?.maxOutput ?? 32_768,
    imageTokens: known?.imageTokens ?? 16_384,
    capabilities: known?.capabilities ?? [],
    rates: known?.rates ?? FREE,
    vendorRates: known?.rates ?? FREE,
    note: known ? 'The list price of the same model at OpenAI.' : 'No price is known; set one before others use it.',
  }
}

async function seedOperator(pool: pg.Pool, secrets: Secrets): Promise<FirstStart | null> {
  const store = createConsoleStore({ pool, prisma: createPrisma(pool), onDamagedHistory: () => undefined })
  const password = randomBytes(12).toString('base64url')
  const [accountId, keyId, at] = [id('acc'), id('key'), new Date()]
  const outcome = await store.accounts.create({
    accountId,
    userId: id('usr'),
    name: 'Operator',
    email: OPERATOR_EMAIL,
    passwordHash: await createPasswords().hash(password),
    role: 'owner',
    at,
    creditNano: FIRST_CREDIT_NANO,
  })
  if (outcome !== 'created') return null
  const apiKey = formatKey(randomBytes(KEY_RANDOM_BYTES))
  await store.keys.create({
    id: keyId,
    name: 'First key',
    hint: keyHint(apiKey),
    createdAt: at,
    expiresAt: null,
    limitTotalNano: null,
    limitMonthNano: null,
    modelAllow: [],
    addressAllow: [],
    rpm: null,
    tpm: null,
    historyEnabled: true,
    accountId,
    groupId: DEFAULT_GROUP,
    secretHmac: hmacKey(secrets.pepper, apiKey),
  })
  return { email: OPERATOR_EMAIL, password, apiKey }
}
