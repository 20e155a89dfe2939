import type pg from 'pg'
import type { Catalog, CatalogModel, Connection, Deployment, Group, ModelFacts } from '../domain/catalog.ts'
import { type ModelPrice, parseRates, withSearchCost } from '../domain/price.ts'
import { inSnapshot } from './transaction.ts'

/** Opens what `seal` closed. Returns null if there is no secret. */
export type Unseal = (sealed: Buffer | null) => string | null

interface Rows {
  models: {
    id: string
    owned_by: string
    modality: string
    context_window: number
    max_output: number
    image_tokens: number
    capabilities: string[]
    facts: ModelFacts
    created_at: Date
  }[]
  prices: { id: string; model_id: string; starts_at: Date; units: Record<string, string>; vendor_units: Record<string, string> }[]
  deployments: {
    id: string
    model_id: string
    connection_id: string
    upstream_model: string
    weight: number
    priority: number
    concurrency: number | null
    requests_per_minute: number | null
    tokens_per_minute: number | null
    held: boolean
    called: boolean
  }[]
  connections: {
    id: string
    name: string
    kind: string
    base_url: string | null
    secret_sealed: Buffer | null
    headers: Record<string, string>
    headers_sealed: Buffer | null
    proxy_sealed: Buffer | null
    archived_at: Date | null
    concurrency: number | null
    connect_timeout_ms: number
    headers_timeout_ms: number
    idle_timeout_ms: number
  }[]
  groups: { id: string; name: string; multiplier_bp: number; rpm: number | null; tpm: number | null }[]
  members: { group_id: string; model_id: string }[]
}

/** Where tasks run that are not over yet, or whose vendor is still to be told to stop. */
const IN_TASKS = `
  SELECT unnest(ARRAY[deployment_id, submitting]) FROM task WHERE finished_at IS NULL OR stop_vendor`

/** Reads everything that is for sale in one transaction, so that prices and models are of the same version. */
export async function loadCatalog(pool: pg.Pool, unseal: Unseal): Promise<Catalog> {
  const rows = await inSnapshot(pool, async (client): Promise<Rows> => {
    const all = async <T>(text: string): Promise<T> => (await client.query(text)).rows as T
    return {
      models: await all('SELECT * FROM model WHERE enabled AND archived_at IS NULL ORDER BY id'),
      prices: await all('SELECT * FROM price ORDER BY starts_at'),
      deployments: await all(
        `SELECT d.*, h.deployment_id IS NOT NULL AS held, d.enabled AND d.archived_at IS NULL AS called
           FROM deployment d LEFT JOIN deployment_hold h ON h.deployment_id = d.id
          WHERE d.archived_at IS NULL OR d.id IN (${IN_TASKS}) ORDER BY d.priority, d.id`,
      ),
      connections: await all(
        `SELECT * FROM connection
          WHERE archived_at IS NULL OR id IN (SELECT connection_id FROM deployment WHERE id IN (${IN_TASKS}))`,
      ),
      groups: await all('SELECT * FROM model_group'),
      members: await all('SELECT * FROM group_model'),
    }
  })
  return build(rows, unseal)
}

function build(rows: Rows, unseal: Unseal): Catalog {
  const connections = new Map(rows.connections.map((row) => [row.id, connectionOf(row, unseal)]))
  const active = new Set(rows.connections.filter((row) => row.archived_at === null).map(({ id }) => id))
  const prices = groupBy(rows.prices, (row) => row.model_id)
  const deployments = new Map(rows.deployments.flatMap((row) => deploymentOf(row, connections)))
  const isCalled = ({ called, connection_id }: Rows['deployments'][number]): boolean => called && active.has(connection_id)
  const calledRows = groupBy(rows.deployments.filter(isCalled), (row) => row.model_id)
  const members = groupBy(rows.members, (row) => row.group_id)
  const models = rows.models.map((row): [string, CatalogModel] => [
    row.id,
    {
      id: row.id,
      ownedBy: row.owned_by,
      modality: row.modality,
      contextWindow: row.context_window,
      maxOutput: row.max_output,
      imageTokens: row.image_tokens,
      capabilities: new Set(row.capabilities),
      facts: row.facts,
      hiddenReasoning: row.capabilities.includes('hidden-reasoning'),
      createdAt: row.created_at,
      prices: (prices.get(row.id) ?? []).map(priceOf),
      deployments: (calledRows.get(row.id) ?? []).flatMap(({ id }) => deployments.get(id) ?? []),
    },
  ])
  const groups = rows.groups.map((row): [string, Group] => [
    row.id,
    {
      id: row.id,
      name: row.name,
      multiplierBp: BigInt(row.multiplier_bp),
      rpm: row.rpm,
      tpm: row.tpm,
      models: new Set((members.get(row.id) ?? []).map((member) => member.model_id)),
    },
  ])
  return { models: new Map(models), groups: new Map(groups), deployments }
}

function groupBy<T>(rows: T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

function priceOf(row: Rows['prices'][number]): ModelPrice {
  const rates = parseRates(row.units)
  return { id: row.id, from: row.starts_at, rates, vendorRates: withSearchCost(parseRates(row.vendor_units), rates) }
}

const headersOf = (text: string | null): Record<string, string> | null =>
  text === null ? null : (JSON.parse(text) as Record<string, string>)

const connectionOf = (row: Rows['connections'][number], unseal: Unseal): Connection => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  baseUrl: row.base_url,
  secret: unseal(row.secret_sealed),
  headers: headersOf(unseal(row.headers_sealed)) ?? row.headers,
  proxy: unseal(row.proxy_sealed),
  concurrency: row.concurrency,
  connectTimeoutMs: row.connect_timeout_ms,
  headersTimeoutMs: row.headers_timeout_ms,
  idleTimeoutMs: row.idle_timeout_ms,
})

function deploymentOf(row: Rows['deployments'][number], connections: Map<string, Connection>): [string, Deployment][] {
  const connection = connections.get(row.connection_id)
  if (!connection) return []
  const { id, upstream_model: upstreamModel, weight, priority, concurrency, held } = row
  const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = row
  return [[id, { id, upstreamModel, weight, priority, concurrency, requestsPerMinute, tokensPerMinute, held, connection }]]
}
