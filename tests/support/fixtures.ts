import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { SettingName } from '#lib/contracts/settings'
import { formatKey, KEY_RANDOM_BYTES } from '#lib/domain/api-key'
import { ID_RANDOM_BYTES, newId } from '#lib/domain/ids'
import { hmacKey } from '#lib/services/keys/key-hash'
import { deriveSecrets } from '#lib/setup/secrets'
import { seal } from '#lib/store/seal'

export const TEST_SECRET_KEY = '5'.repeat(64)
const secrets = deriveSecrets(TEST_SECRET_KEY)

const id = (prefix: string): string => newId(prefix, Date.now(), randomBytes(ID_RANDOM_BYTES))

const notifyChange = async (pool: pg.Pool, topic: string, ref: string): Promise<void> => {
  await pool.query('INSERT INTO change (topic, ref) VALUES ($1, $2)', [topic, ref])
  await pool.query(`SELECT pg_notify('tollgate_change', $1)`, [`${topic}:${ref}`])
}

/** Creates an account with a balance in nano-dollars, with matching books. */
export async function addAccount(pool: pg.Pool, balanceNano: bigint): Promise<string> {
  const accountId = id('acc')
  await pool.query('INSERT INTO account (id, name) VALUES ($1, $1)', [accountId])
  await pool.query(`INSERT INTO purse (id, kind, account_id, credit) VALUES ($1, 'account', $1, $2)`, [accountId, balanceNano])
  if (balanceNano > 0n)
    await pool.query(
      `INSERT INTO entry (id, account_id, kind, amount_nano, reason, actor) VALUES ($1, $2, 'grant', $3, 'test', 'test')`,
      [id('ent'), accountId, balanceNano],
    )
  return accountId
}

/** Adds to an account's balance, as a payment does. `number` distinguishes one such payment from the others. */
export async function addCredit(pool: pg.Pool, account: string, amount: bigint, number: number): Promise<void> {
  await pool.query(
    `WITH paid AS (INSERT INTO entry (id, account_id, kind, amount_nano, reason, actor)
                   VALUES ($1, $2, 'grant', $3, 'test', 'test') RETURNING amount_nano)
     UPDATE purse SET credit = credit + paid.amount_nano FROM paid WHERE purse.id = $2`,
    [`ent_${account}_${number}`, account, amount],
  )
}

/** Sets an operator's settings. Undefined resets one to the environment's. With `notify` false, no process is notified. */
export async function setSettings(pool: pg.Pool, values: Partial<Record<SettingName, unknown>>, notify = true): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await pool.query(
      `INSERT INTO setting (name, value, set, version, changed_by) VALUES ($1, $2, $3, 1, 'test')
       ON CONFLICT (name) DO UPDATE SET value = excluded.value, set = excluded.set, version = setting.version + 1`,
      [name, value === undefined ? null : JSON.stringify(value), value !== undefined],
    )
    if (notify) await notifyChange(pool, 'setting', name)
    else await pool.query(`INSERT INTO change (topic, ref) VALUES ('setting', $1)`, [name])
  }
}

export interface KeyOptions {
  id?: string
  groupId?: string
  expiresAt?: Date
  revokedAt?: Date
  limitTotalNano?: bigint
  limitMonthNano?: bigint
  modelAllow?: string[]
  addressAllow?: string[]
  rpm?: number
  tpm?: number
  historyEnabled?: boolean
}

/** Creates an API key of an account. Returns its secret. */
export async function addKey(
  pool: pg.Pool,
  accountId: string,
  options: KeyOptions = {},
): Promise<{ keyId: string; secret: string }> {
  const [keyId, secret] = [options.id ?? id('key'), formatKey(randomBytes(KEY_RANDOM_BYTES))]
  // The group does not exist yet if nothing was seeded.
  if (!options.groupId)
    await pool.query(
      "INSERT INTO model_group (id, name, is_default) VALUES ('grp_default', 'default', true) ON CONFLICT DO NOTHING",
    )
  await pool.query(
    `INSERT INTO api_key (id, account_id, group_id, name, secret_hmac, hint, expires_at, revoked_at, limit_total_nano,
                          limit_month_nano, model_allow, address_allow, rpm, tpm, history_enabled)
     VALUES ($1, $2, $3, $1, $4, 'test', $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      keyId,
      accountId,
      options.groupId ?? 'grp_default',
      hmacKey(secrets.pepper, secret),
      options.expiresAt ?? null,
      options.revokedAt ?? null,
      options.limitTotalNano === undefined ? null : String(options.limitTotalNano),
      options.limitMonthNano === undefined ? null : String(options.limitMonthNano),
      options.modelAllow ?? [],
      options.addressAllow ?? [],
      options.rpm ?? null,
      options.tpm ?? null,
      options.historyEnabled ?? true,
    ],
  )
  return { keyId, secret }
}

/** Revokes a key as the console does. */
export async function revokeKey(pool: pg.Pool, keyId: string): Promise<void> {
  await pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])
  await notifyChange(pool, 'key', keyId)
}

export interface DeploymentOptions {
  /** The vendor's base URL, for example `http://127.0.0.1:1234/v1`. */
  baseUrl: string
  upstreamModel?: string
  kind?: string
  secret?: string
  connectTimeoutMs?: number
  headersTimeoutMs?: number
  idleTimeoutMs?: number
  weight?: number
  priority?: number
  requestsPerMinute?: number
  tokensPerMinute?: number
}

export interface ModelOptions extends DeploymentOptions {
  /** The id that clients use, for example `fake/chat`. */
  id: string
  /** Nano-dollars per million units, as decimal strings. */
  units?: Record<string, string>
  modality?: string
  facts?: object
  contextWindow?: number
  maxOutput?: number
  capabilities?: string[]
  groupId?: string
}

export const TEST_UNITS = { input: '2500000000', cached_input: '1250000000', output: '10000000000' }

/** Creates a model with its own connection and deployment, for sale in the default group. */
export async function addModel(pool: pg.Pool, options: ModelOptions): Promise<void> {
  await pool.query(
    `INSERT INTO model (id, owned_by, modality, context_window, max_output, capabilities, facts)
     VALUES ($1, 'fake', $2, $3, $4, $5, $6)`,
    [
      options.id,
      options.modality ?? 'chat',
      options.contextWindow ?? 128_000,
      options.maxOutput ?? 16_384,
      options.capabilities ?? [],
      options.facts ?? {},
    ],
  )
  const units = options.units ?? TEST_UNITS
  await pool.query(`INSERT INTO price (id, model_id, starts_at, units, vendor_units) VALUES ($1, $2, '2020-01-01', $3, $3)`, [
    id('prc'),
    options.id,
    units,
  ])
  await pool.query('INSERT INTO group_model (group_id, model_id) VALUES ($1, $2)', [options.groupId ?? 'grp_default', options.id])
  await addDeployment(pool, options.id, options)
}

/** Adds a deployment with its own connection to a model. Returns the deployment's id. */
export async function addDeployment(pool: pg.Pool, modelId: string, options: DeploymentOptions): Promise<string> {
  const [connectionId, deploymentId] = [id('con'), id('dep')]
  await pool.query(
    `INSERT INTO connection (id, name, kind, base_url, secret_sealed, connect_timeout_ms, headers_timeout_ms, idle_timeout_ms)
     VALUES ($1, $1, $2, $3, $4, $5, $6, $7)`,
    [
      connectionId,
      options.kind ?? 'openai-compatible',
      options.baseUrl,
      options.secret === undefined ? null : seal(secrets.sealing, options.secret),
      options.connectTimeoutMs ?? 5000,
      options.headersTimeoutMs ?? 5000,
      options.idleTimeoutMs ?? 5000,
    ],
  )
  await pool.query(
    `INSERT INTO deployment (id, model_id, connection_id, upstream_model, weight, priority, requests_per_minute, tokens_per_minute)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[deploymentId, modelId, connectionId, options.upstreamModel ?? modelId, options.weight ?? 1, options.priority ?? 0],
      ...[options.requestsPerMinute ?? null, options.tokensPerMinute ?? null],
    ],
  )
  await notifyChange(pool, 'catalog', modelId)
  return deploymentId
}

/** Creates several things in one commit, so that no process ever sees only a part of them. */
export async function inOneTransaction(pool: pg.Pool, make: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await make(client as unknown as pg.Pool)
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Creates a group without models. */
export async function addGroup(pool: pg.Pool, name: string, multiplierBp = 10_000): Promise<string> {
  const groupId = id('grp')
  await pool.query('INSERT INTO model_group (id, name, multiplier_bp) VALUES ($1, $2, $3)', [groupId, name, multiplierBp])
  await notifyChange(pool, 'group', groupId)
  return groupId
}

export interface Balance {
  balance: bigint
  leased: bigint
  owed: bigint
}

/** The account's balance in the books, in nano-dollars. */
export async function balanceOf(pool: pg.Pool, accountId: string): Promise<Balance> {
  const result = await pool.query<{ balance: string; leased: string; owed: string }>(
    'SELECT credit - spent AS balance, leased, owed FROM purse WHERE id = $1',
    [accountId],
  )
  const [row] = result.rows
  if (!row) throw new Error(`no purse ${accountId}`)
  return { balance: BigInt(row.balance), leased: BigInt(row.leased), owed: BigInt(row.owed) }
}
