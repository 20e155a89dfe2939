import type { CatalogFile } from '#lib/contracts/catalog-file'
import { formatDecimal } from '../../domain/money.ts'
import type { Ctx } from '../ports.ts'
import { headersOf } from './catalog-views.ts'
import { pricesEqual } from './model-values.ts'
import type { ConnectionRecord, Sealing } from './operator-ports.ts'
import { type FullCatalog, type FullGroup, type FullModel, isActive, readCatalog } from './read-catalog.ts'

const toDecimals = (rates: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(rates).map(([unit, rate]) => [unit, formatDecimal(BigInt(rate))]))

function connectionEntry(row: ConnectionRecord, sealing: Sealing): CatalogFile['connections'][string] {
  const { kind, baseUrl, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, concurrency } = row
  const names = Object.keys(headersOf(row, sealing))
  return {
    ...{ kind, baseUrl, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, concurrency },
    ...(names.length > 0 ? { headers: Object.fromEntries(names.map((name) => [name, null])) } : {}),
  }
}

function modelEntry(row: FullModel, connections: FullCatalog['connections']): CatalogFile['models'][string] {
  const { ownedBy, modality, contextWindow, maxOutput, imageTokens, capabilities, facts, enabled, rates, vendorRates, runs } = row
  const fields = { ownedBy, modality, contextWindow, maxOutput, imageTokens, capabilities, facts, enabled }
  return {
    ...(fields as Omit<CatalogFile['models'][string], 'price' | 'deployments'>),
    price: toDecimals(rates ?? {}),
    ...(pricesEqual(rates ?? {}, vendorRates) ? {} : { vendorPrice: toDecimals(vendorRates) }),
    deployments: runs
      .filter((run) => run.archivedAt === null && isActive(connections.get(run.connectionName)))
      .map(
        ({ connectionName, upstreamModel, weight, priority, concurrency, requestsPerMinute, tokensPerMinute, enabled: on }) => ({
          ...{ connection: connectionName, model: upstreamModel, weight, priority, concurrency },
          ...{ requestsPerMinute, tokensPerMinute, enabled: on },
        }),
      ),
  }
}

function groupEntry(row: FullGroup, models: FullCatalog['models']): CatalogFile['groups'][string] {
  const { description, multiplierBp, rpm, tpm, open, isDefault, modelIds } = row
  const activeModelIds = modelIds.filter((id) => isActive(models.get(id)))
  return { description, multiplierBp, rpm, tpm, open, default: isDefault, models: activeModelIds }
}

const exportActive = <Row extends { archivedAt: Date | null }, Entry>(rows: Map<string, Row>, entry: (row: Row) => Entry) =>
  Object.fromEntries([...rows].filter(([, row]) => isActive(row)).map(([name, row]) => [name, entry(row)]))

/**
 * Exports everything in use, as a file that refers to nothing outside it. It contains no secrets and no references to where they
 * are stored.
 */
export async function exportCatalog({ ctx }: { ctx: Ctx<'catalogReads' | 'clock' | 'sealing'> }): Promise<CatalogFile> {
  const { connections, models, groups } = await readCatalog(ctx)
  return {
    connections: exportActive(connections, (row) => connectionEntry(row, ctx.sealing)),
    models: exportActive(models, (row) => modelEntry(row, connections)),
    groups: exportActive(groups, (row) => groupEntry(row, models)),
  }
}
