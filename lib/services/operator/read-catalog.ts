import type { Ctx } from '../ports.ts'
import type {
  CatalogChange,
  ConnectionRecord,
  DeploymentRecord,
  OperatorGroupRecord,
  OperatorModelRecord,
} from './operator-ports.ts'

/** One step toward what a file says, and the line that describes it. */
export interface Step {
  change: CatalogChange
  line: string
}

/** A model with its deployments and its vendor's price. */
export interface WholeModel extends OperatorModelRecord {
  vendorRates: Record<string, string>
  runs: DeploymentRecord[]
}

export interface WholeGroup extends OperatorGroupRecord {
  modelIds: string[]
}

/** Everything in the catalog, including archived rows, by name. */
export interface WholeCatalog {
  connections: Map<string, ConnectionRecord>
  models: Map<string, WholeModel>
  groups: Map<string, WholeGroup>
}

/** Whether a row exists and is not archived. */
export const isLiving = (row: { archivedAt: Date | null } | undefined): boolean => row?.archivedAt === null

/** More than any catalog has. */
const ALL = 100_000

/** Reads the whole catalog, for the commands that export it and compare it. */
export async function readCatalog({ catalogReads: reads, clock }: Ctx<'catalogReads' | 'clock'>): Promise<WholeCatalog> {
  const every = { search: null, after: null, archived: true }
  const now = clock.now()
  const connections = await reads.connections(every, ALL)
  const runs = Map.groupBy(await reads.deployments({}), ({ modelId }) => modelId)
  const models: WholeModel[] = []
  for (const model of await reads.models(every, now, ALL)) {
    const inForce = (await reads.prices(model.id)).find(({ startsAt }) => startsAt <= now)
    models.push({ ...model, vendorRates: inForce?.vendorRates ?? {}, runs: runs.get(model.id) ?? [] })
  }
  const groups: WholeGroup[] = []
  for (const group of await reads.groups(every, ALL)) groups.push({ ...group, modelIds: await reads.groupModels(group.id) })
  return {
    connections: new Map(connections.map((row) => [row.name, row])),
    models: new Map(models.map((row) => [row.id, row])),
    groups: new Map(groups.map((row) => [row.name, row])),
  }
}
