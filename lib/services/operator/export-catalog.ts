import type { CatalogFile } from '#lib/contracts/catalog-file'
import { formatDecimal } from '../../domain/money.ts'
import type { Ctx } from '../ports.ts'
import type { ConnectionRecord, Sealing } from './operator-ports.ts'
import { isLiving, readCatalog, type WholeCatalog, type WholeGroup, type WholeModel } from './read-catalog.ts'
import { headersOf } from './views.ts'

const dollars = (rates: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(rates).map(([unit, rate]) => [unit, formatDecimal(BigInt(rate))]))

/** Whether two prices are the same, in whatever order their units are. */
export const samePrice = (a: Record<string, string>, b: Record<string, string>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([unit, rate]) => b[unit] === rate)

function connectionEntry(row: ConnectionRecord, sealing: Sealing): CatalogFile['connections'][string] {
  const { kind, baseUrl, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, concurrency } = row
  const names = Object.keys(headersOf(row, sealing))
  return {
    ...{ kind, baseUrl, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, concurrency },
    ...(names.length > 0 ? { headers: Object.fromEntries(names.map((name) => [name, null])) } : {}),
  }
}

function modelEntry(row: WholeModel, connections: WholeCatalog['connections']): CatalogFile['models'][string] {
  const { ownedBy, modality, contextWindow, maxOutput, imageTokens, capabilities, facts, enabled, rates, vendorRates, runs } = row
  const fields = { ownedBy, modality, contextWindow, maxOutput, imageTokens, capabilities, facts, enabled }
  return {
    ...(fields as Omit<CatalogFile['models'][string], 'price' | 'deployments'>),
    price: dollars(rates ?? {}),
    ...(samePrice(rates ?? {}, vendorRates) ? {} : { vendorPrice: dollars(vendorRates) }),
    deployments: runs
      .filter((run) => run.archivedAt === null && isLiving(connections.get(run.connectionName)))
      .map(
        ({ connectionName, upstreamModel, weight, priority, concurrency, requestsPerMinute, tokensPerMinute, enabled: on }) => ({
          ...{ connection: connectionName, model: upstreamModel, weight, priority, concurrency },
          ...{ requestsPerMinute, tokensPerMinute, enabled: on },
        }),
      ),
  }
}

function groupEntry(row: WholeGroup, models: WholeCatalog['models']): CatalogFile['groups'][string] {
  const { description, multiplierBp, rpm, tpm, open, isDefault, modelIds } = row
  const inside = modelIds.filter((id) => isLiving(models.get(id)))
  return { description, multiplierBp, rpm, tpm, open, default: isDefault, models: inside }
}

const living = <Row extends { archivedAt: Date | null }, Entry>(rows: Map<string, Row>, entry: (row: Row) => Entry) =>
  Object.fromEntries([...rows].filter(([, row]) => isLiving(row)).map(([name, row]) => [name, entry(row)]))

/**
 * Exports everything in use, as a file that refers to nothing outside it. It contains no secrets and no references to where they
 * are stored.
 */
export async function exportCatalog({ ctx }: { ctx: Ctx<'catalogReads' | 'clock' | 'sealing'> }): Promise<CatalogFile> {
  const { connections, models, groups } = await readCatalog(ctx)
  return {
    connections: living(connections, (row) => connectionEntry(row, ctx.sealing)),
    models: living(models, (row) => modelEntry(row, connections)),
    groups: living(groups, (row) => groupEntry(row, models)),
  }
}
