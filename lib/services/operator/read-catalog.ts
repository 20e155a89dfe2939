import type { Ctx } from '../ports.ts'
import type {
  CatalogChange,
  ConnectionRecord,
  DeploymentRecord,
  OperatorGroupRecord,
  OperatorModelRecord,
} from './operator-ports.ts'

/** One step toward what a file says, and the line that describes it. */
export interface PlanStep {
  change: CatalogChange
  line: string
}

/** A model with its deployments and its vendor's price. */
export interface FullModel extends OperatorModelRecord {
  vendorRates: Record<string, string>
  runs: DeploymentRecord[]
}

export interface FullGroup extends OperatorGroupRecord {
  modelIds: string[]
}

/** Everything in the catalog, including archived rows, by name. */
export interface FullCatalog {
  connections: Map<string, ConnectionRecord>
  models: Map<string, FullModel>
  groups: Map<string, FullGroup>
}

/** Whether a row exists and is not archived. */
export const isActive = (row: { archivedAt: Date | null } | undefined): boolean => row?.archivedAt === null

/** More than any catalog has. */
const MAX_ROWS = 100_000

/** Reads the whole catalog, for the commands that export it and compare it. */
export async function readCatalog({ catalogReads: reads, clock }: Ctx<'catalogReads' | 'clock'>): Promise<FullCatalog> {
  const filter = { search: null, after: null, archived: true }
  const now = clock.now()
  const connections = await reads.connections(filter, MAX_ROWS)
  const runs = Map.groupBy(await reads.deployments({}), ({ modelId }) => modelId)
  const models: FullModel[] = []
  for (const model of await reads.models(filter, now, MAX_ROWS)) {
    const currentPrice = (await reads.prices(model.id)).find(({ startsAt }) => startsAt <= now)
    models.push({ ...model, vendorRates: currentPrice?.vendorRates ?? {}, runs: runs.get(model.id) ?? [] })
  }
  const groups: FullGroup[] = []
  for (const group of await reads.groups(filter, MAX_ROWS)) groups.push({ ...group, modelIds: await reads.groupModels(group.id) })
  return {
    connections: new Map(connections.map((row) => [row.name, row])),
    models: new Map(models.map((row) => [row.id, row])),
    groups: new Map(groups.map((row) => [row.name, row])),
  }
}
