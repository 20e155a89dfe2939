/** The interfaces that operators' verbs need. `ports.ts` has those of the account holder's. */
import type { ProbeReason } from '#lib/contracts/operator-connections'
import type { Connection, ModelFacts } from '../../domain/catalog.ts'
import type { ListedModel } from '../../domain/listed-model.ts'
import type { Rates } from '../../domain/price.ts'
import type { StoredText } from '../../domain/stored-text.ts'
import type { TrafficReads } from './traffic-ports.ts'

/**
 * The author of changes from the command line, in place of a user's id. Whoever runs commands has the database itself, so they may
 * do what owners may.
 */
export const COMMAND_LINE_ID = 'command line'

/** The author of a change: an operator, or the command line. */
export interface Actor {
  userId: string
  email: string
}

export interface ConnectionValues {
  name: string
  kind: string
  baseUrl: string | null
  secretSealed: Uint8Array | null
  /** Sealed JSON of names and values. */
  headersSealed: Uint8Array | null
  proxySealed: Uint8Array | null
  connectTimeoutMs: number
  headersTimeoutMs: number
  idleTimeoutMs: number
  concurrency: number | null
}

export interface ModelValues {
  ownedBy: string
  modality: string
  contextWindow: number
  maxOutput: number
  imageTokens: number
  capabilities: string[]
  facts: ModelFacts
  enabled: boolean
}

export interface PriceValues {
  modelId: string
  /** Null means the time at which it is written. */
  startsAt: Date | null
  rates: Rates
  vendorRates: Rates
  note: string
}

export interface DeploymentValues {
  modelId: string
  connectionId: string
  upstreamModel: string
  weight: number
  priority: number
  concurrency: number | null
  requestsPerMinute: number | null
  tokensPerMinute: number | null
  enabled: boolean
}

export interface GroupValues {
  name: string
  description: string
  multiplierBp: number
  rpm: number | null
  tpm: number | null
  isDefault: boolean
  open: boolean
}

/** The models and accounts to add to a group, and those to remove. */
export interface GroupMoves {
  addModels: string[]
  removeModels: string[]
  addAccounts: string[]
  removeAccounts: string[]
}

type Archivable<T> = Partial<T> & { archived?: boolean }

/** One step of a change. `version` is the version that its author has seen; null accepts any. */
export type CatalogChange =
  | { do: 'add'; target: 'connection'; id: string; value: ConnectionValues }
  | { do: 'add'; target: 'model'; id: string; value: ModelValues }
  /** `seen`: the newest version that the author knows; if another one is newest, the change is stale. Undefined: not checked. */
  | { do: 'add'; target: 'price'; id: string; value: PriceValues; seen?: string | null | undefined }
  | { do: 'add'; target: 'deployment'; id: string; value: DeploymentValues }
  | { do: 'add'; target: 'group'; id: string; value: GroupValues }
  /** Only for a price that has not begun. For one that has, the outcome is `stale`. */
  | { do: 'withdraw'; target: 'price'; id: string }
  | { do: 'set'; target: 'connection'; id: string; version: number | null; value: Archivable<ConnectionValues> }
  | { do: 'set'; target: 'model'; id: string; version: number | null; value: Archivable<ModelValues> }
  | { do: 'set'; target: 'deployment'; id: string; version: number | null; value: Archivable<DeploymentValues> }
  | { do: 'set'; target: 'group'; id: string; version: number | null; value: Archivable<GroupValues>; moves?: GroupMoves }

export type CatalogTarget = CatalogChange['target']

/** `stale`: somebody else changed it first. `taken`: the name already exists. */
export type ChangeOutcome =
  | { outcome: 'done'; versions: number[] }
  | { outcome: 'stale' | 'taken' | 'missing'; target: CatalogTarget; id: string }

export interface CatalogWrites {
  /**
   * Makes all changes in one transaction, with their lines in the log, and notifies every process; or makes none of them.
   * Concurrent changes to the catalog wait for each other.
   */
  apply(actor: Actor, changes: readonly CatalogChange[]): Promise<ChangeOutcome>
}

export interface ListFilter {
  search: string | null
  /** The last name of the previous page. */
  after: string | null
  archived: boolean
}

export interface ConnectionRecord extends ConnectionValues {
  id: string
  /** Headers stored before headers were sealed. */
  headers: Record<string, string>
  version: number
  archivedAt: Date | null
  createdAt: Date
  deployments: number
  failing: number
}

export interface OperatorModelRecord extends ModelValues {
  id: string
  version: number
  archivedAt: Date | null
  createdAt: Date
  rates: Record<string, string> | null
  deployments: number
  failing: number
  groups: number
}

export interface PriceRecord {
  id: string
  modelId: string
  startsAt: Date
  createdAt: Date
  rates: Record<string, string>
  vendorRates: Record<string, string>
  note: string
}

export interface DeploymentRecord extends DeploymentValues {
  id: string
  connectionName: string
  health: 'well' | 'trying' | 'failing'
  held: boolean
  isFull: boolean
  connectionArchived: boolean
  version: number
  archivedAt: Date | null
}

export interface OperatorGroupRecord extends GroupValues {
  id: string
  version: number
  archivedAt: Date | null
  createdAt: Date
  models: number
}

export interface GroupAccountRecord {
  id: string
  name: string
  /** The email of one of its users; empty if there is none. */
  email: string
}

export interface AuditRecord {
  id: string
  at: Date
  actor: string
  verb: string
  target: string
  targetId: string
  /** As in the contract. */
  name: string | null
  modelId: string | null
  before: unknown
  after: unknown
}

export interface AuditFilter {
  before: string | null
  target: string | null
  targetId: string | null
}

export interface CatalogReads {
  connections(filter: ListFilter, rows: number): Promise<ConnectionRecord[]>
  connection(id: string): Promise<ConnectionRecord | null>
  /** The models that are called at this connection and at no other. */
  soleModels(connectionId: string): Promise<string[]>
  models(filter: ListFilter, at: Date, rows: number): Promise<OperatorModelRecord[]>
  model(id: string, at: Date): Promise<OperatorModelRecord | null>
  /** Ordered by start, newest first. */
  prices(modelId: string): Promise<PriceRecord[]>
  /** The deployments of a model, of a connection, or all, including archived ones. */
  deployments(filter: { modelId?: string; connectionId?: string }): Promise<DeploymentRecord[]>
  groups(filter: ListFilter, rows: number): Promise<OperatorGroupRecord[]>
  group(id: string): Promise<OperatorGroupRecord | null>
  groupModels(id: string): Promise<string[]>
  /** The accounts that may choose the group, by id, starting below `before`. */
  groupAccounts(id: string, before: string | null, rows: number): Promise<GroupAccountRecord[]>
  groupsOf(modelId: string): Promise<{ id: string; name: string }[]>
  /** Finds accounts by id or by a user's address. Those that are not found are omitted. */
  accountIds(names: readonly string[]): Promise<Map<string, string>>
  audit(filter: AuditFilter, rows: number): Promise<AuditRecord[]>
}

export interface Sealing {
  seal(text: string): Uint8Array
  /** Throws if the key is a different one. */
  open(sealed: Uint8Array): string
}

export type ProbeResult =
  | { ok: true; tookMs: number; models: ListedModel[] }
  | { ok: false; tookMs: number; reason: ProbeReason; message: StoredText }

export interface VendorProbe {
  /** Asks a vendor for its models, which costs nothing, and reports what went wrong. */
  probeModels(connection: Connection): Promise<ProbeResult>
  /** Asks a model for one token, which costs next to nothing, if there is no list to request. */
  probeChat(connection: Connection, upstreamModel: string): Promise<ProbeResult>
}

/** What is known about a model before it has been set up. */
export interface KnownFacts {
  modality: string
  contextWindow: number
  maxOutput: number
  imageTokens: number
  capabilities: string[]
  facts: ModelFacts
  /** Null if no price is known. */
  rates: Rates | null
  /** Where the price comes from: the vendor's own price, the lowest of its price steps, or what the model's maker charges. */
  basis: 'vendor' | 'stepped' | 'maker' | null
  note: StoredText | ''
}

export interface PriceRegistry {
  /** The name of the package, and its version. */
  name(): Promise<string>
  /** `modality` is what the model is for, if that is known better than from its name. */
  find(
    connection: { kind: string; baseUrl: string | null },
    upstreamModel: string,
    at: Date,
    modality?: string,
  ): Promise<KnownFacts>
}

export interface BreakerSwitch {
  /**
   * Sets the mode of a deployment's breakers, in every process, with its line in the log. Returns false if there is no such
   * deployment, or it is archived.
   */
  set(actor: Actor, logId: string, deploymentId: string, mode: 'automatic' | 'held' | 'reset'): Promise<boolean>
}

export interface OperatorPorts {
  catalogWrites: CatalogWrites
  catalogReads: CatalogReads
  sealing: Sealing
  vendorProbe: VendorProbe
  priceRegistry: PriceRegistry
  traffic: TrafficReads
  breakerSwitch: BreakerSwitch
}
