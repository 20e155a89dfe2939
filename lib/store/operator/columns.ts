import { createHash } from 'node:crypto'
import { formatRates, type Rates } from '../../domain/price.ts'
import type { CatalogTarget } from '../../services/operator/operator-ports.ts'

interface Column {
  name: string
  /** Converts a value for the driver. */
  encode?: (value: never) => unknown
  /** The log says only whether it is set and whether it changed. */
  secret?: true
}

const json = (value: unknown): string => JSON.stringify(value)
const ratesJson = (rates: Rates): string => JSON.stringify(formatRates(rates))

/** The columns of each table that a change may write, by the names that the verbs use. */
export const TABLES: Record<CatalogTarget, { table: string; columns: Record<string, Column> }> = {
  connection: {
    table: 'connection',
    columns: {
      name: { name: 'name' },
      kind: { name: 'kind' },
      baseUrl: { name: 'base_url' },
      secretSealed: { name: 'secret_sealed', secret: true },
      headersSealed: { name: 'headers_sealed', secret: true },
      proxySealed: { name: 'proxy_sealed', secret: true },
      connectTimeoutMs: { name: 'connect_timeout_ms' },
      headersTimeoutMs: { name: 'headers_timeout_ms' },
      idleTimeoutMs: { name: 'idle_timeout_ms' },
      concurrency: { name: 'concurrency' },
    },
  },
  model: {
    table: 'model',
    columns: {
      ownedBy: { name: 'owned_by' },
      modality: { name: 'modality' },
      contextWindow: { name: 'context_window' },
      maxOutput: { name: 'max_output' },
      imageTokens: { name: 'image_tokens' },
      capabilities: { name: 'capabilities' },
      facts: { name: 'facts', encode: json },
      enabled: { name: 'enabled' },
    },
  },
  price: {
    table: 'price',
    columns: {
      modelId: { name: 'model_id' },
      startsAt: { name: 'starts_at' },
      rates: { name: 'units', encode: ratesJson },
      vendorRates: { name: 'vendor_units', encode: ratesJson },
      note: { name: 'note' },
    },
  },
  deployment: {
    table: 'deployment',
    columns: {
      modelId: { name: 'model_id' },
      connectionId: { name: 'connection_id' },
      upstreamModel: { name: 'upstream_model' },
      weight: { name: 'weight' },
      priority: { name: 'priority' },
      concurrency: { name: 'concurrency' },
      requestsPerMinute: { name: 'requests_per_minute' },
      tokensPerMinute: { name: 'tokens_per_minute' },
      enabled: { name: 'enabled' },
    },
  },
  group: {
    table: 'model_group',
    columns: {
      name: { name: 'name' },
      description: { name: 'description' },
      multiplierBp: { name: 'multiplier_bp' },
      rpm: { name: 'rpm' },
      tpm: { name: 'tpm' },
      isDefault: { name: 'is_default' },
      open: { name: 'open' },
    },
  },
}

/** The columns that a value names, with what to write into each. */
export function columnsOf(target: CatalogTarget, value: object): { name: string; value: unknown }[] {
  const { columns } = TABLES[target]
  return Object.entries(value).flatMap(([key, input]) => {
    const column = columns[key]
    if (column === undefined || input === undefined) return []
    const encode = column.encode as ((value: unknown) => unknown) | undefined
    const bytes = input instanceof Uint8Array ? Buffer.from(input) : input
    return [{ name: column.name, value: encode && input !== null ? encode(input) : bytes }]
  })
}

/** A row as the log may keep it: sealed values are only `set`, with a mark that differs if the sealed bytes do. */
export function toAuditRow(target: CatalogTarget, row: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.values(TABLES[target].columns).map(({ name, secret }): [string, unknown] => {
    const value = row[name]
    if (!secret) return [name, value ?? null]
    return [
      name,
      value
        ? `set (${createHash('sha256')
            .update(value as Buffer)
            .digest('hex')
            .slice(0, 8)})`
        : null,
    ]
  })
  return Object.fromEntries([...shown, ['archived_at', row.archived_at ?? null]])
}

/** The differences between two rows in the form the log keeps. */
export function diffRows(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const pick = (row: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
  return { before: pick(before), after: pick(after) }
}
