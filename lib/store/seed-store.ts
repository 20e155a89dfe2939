import type pg from 'pg'
import type { ModelFacts } from '../domain/catalog.ts'
import { formatRates, type Rates } from '../domain/price.ts'
import { STORED_TEXTS, type StoredText } from '../domain/stored-text.ts'
import { notifyChange } from './notify-change.ts'
import { inTransaction } from './transaction.ts'

export interface SeedModel {
  /** The name that clients use. */
  id: string
  upstreamModel: string
  ownedBy: string
  modality: string
  facts: ModelFacts
  contextWindow: number
  maxOutput: number
  imageTokens: number
  capabilities: string[]
  rates: Rates
  vendorRates: Rates
  note: StoredText | ''
}

export interface SeedConnection {
  id: string
  name: string
  kind: string
  baseUrl: string | null
  secretSealed: Buffer | null
}

/** The number of the lock for seeding: any number that no other program uses on this database. */
const SEED_LOCK = 72_707_370

/** Runs work that only one process at a time may do on a database; the others wait. Takes a connection of its own. */
export async function withSeedLock<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [SEED_LOCK])
    return await work()
  } finally {
    // The lock ends with its connection.
    client.release(true)
  }
}

/** The group that is offered first for new keys. */
export const DEFAULT_GROUP = 'grp_default'

/** Creates the default group if there is no group yet. */
export async function seedGroup(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO model_group (id, name, description, is_default)
     SELECT $1, 'default', $2, true WHERE NOT EXISTS (SELECT 1 FROM model_group)`,
    [DEFAULT_GROUP, STORED_TEXTS.everyModel],
  )
}

/** The names that no model has, enabled or not. */
export async function findUnusedNames(pool: pg.Pool, names: readonly string[]): Promise<Set<string>> {
  const result = await pool.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS n (name) WHERE NOT EXISTS (SELECT 1 FROM model WHERE id = name)',
    [names],
  )
  return new Set(result.rows.map(({ name }) => name))
}

/** Whether no connection with this id has a deployment yet. */
export async function hasNoDeployments(pool: pg.Pool, connectionId: string): Promise<boolean> {
  const result = await pool.query('SELECT 1 FROM deployment WHERE connection_id = $1 LIMIT 1', [connectionId])
  return result.rowCount === 0
}

/** The connections with that id or name, archived or not; the one with the id comes first. */
export async function findConnections(
  pool: pg.Pool,
  { id, name }: Pick<SeedConnection, 'id' | 'name'>,
): Promise<Pick<SeedConnection, 'id' | 'name' | 'kind'>[]> {
  const result = await pool.query<Pick<SeedConnection, 'id' | 'name' | 'kind'>>(
    'SELECT id, name, kind FROM connection WHERE id = $1 OR name = $2 ORDER BY id = $1 DESC',
    [id, name],
  )
  return result.rows
}

/**
 * Adds a connection with its models, prices and deployments, and puts the models into the default group. What already exists
 * stays unchanged, because an operator may have edited it.
 */
export async function seedVendor(
  pool: pg.Pool,
  connection: SeedConnection,
  models: SeedModel[],
  newId: (prefix: string) => string,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(
      `INSERT INTO connection (id, name, kind, base_url, secret_sealed) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [connection.id, connection.name, connection.kind, connection.baseUrl, connection.secretSealed],
    )
    for (const model of models) await seedModel(client, connection.id, model, newId)
    await notifyChange(client, 'catalog', connection.id)
  })
}

async function seedModel(
  client: pg.PoolClient,
  connectionId: string,
  model: SeedModel,
  newId: (prefix: string) => string,
): Promise<void> {
  const inserted = await client.query(
    `INSERT INTO model (id, owned_by, modality, context_window, max_output, image_tokens, capabilities, facts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
    [
      model.id,
      model.ownedBy,
      model.modality,
      model.contextWindow,
      model.maxOutput,
      model.imageTokens,
      model.capabilities,
      model.facts,
    ],
  )
  if (inserted.rowCount === 1) {
    await client.query(
      `INSERT INTO price (id, model_id, starts_at, units, vendor_units, note) VALUES ($1, $2, now(), $3, $4, $5)`,
      [newId('prc'), model.id, formatRates(model.rates), formatRates(model.vendorRates), model.note],
    )
    await client.query(
      `INSERT INTO group_model (group_id, model_id) SELECT id, $1 FROM model_group WHERE is_default ON CONFLICT DO NOTHING`,
      [model.id],
    )
  }
  await client.query(
    `INSERT INTO deployment (id, model_id, connection_id, upstream_model) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [newId('dep'), model.id, connectionId, model.upstreamModel],
  )
}

/** Whether anybody can sign in yet. */
export async function hasUsers(pool: pg.Pool): Promise<boolean> {
  const result = await pool.query('SELECT 1 FROM app_user LIMIT 1')
  return result.rowCount === 1
}
