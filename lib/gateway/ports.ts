import type { Caller, Catalog, Connection, Deployment } from '../domain/catalog.ts'
import type { Upload } from '../domain/form.ts'
import type { AttemptResult, Outcome, Settled, Settlement } from '../domain/settlement.ts'
import type { Soon } from '../domain/soon.ts'
import type { ResponseShelf } from '../domain/stored-response.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { FilePort } from '../wire/answer.ts'
import type { IncomingRequest } from './answer.ts'
import type { Breakers } from './breaker.ts'
import type { Busy } from './busy.ts'
import type { LimiterPort, RatesPort } from './limits/ports.ts'
import type { Room } from './room.ts'
import type { TaskPort } from './tasks/ports.ts'
import type { UnderWay } from './under-way.ts'

export interface HoldPort {
  readonly amount: bigint
  readonly leaseId: string
  readonly budgets: string[]
  readonly budgetLeases: string[]
  end(spent: bigint): void
}

export type HoldRefusal = { refused: 'balance' | 'key_limit' | 'held' | 'key_share' | 'not_in_touch' }

/** Whose money it is, and the key's limits on it. */
export interface Spender {
  accountId: string
  keyId: string
  budgets: readonly { purseId: string; limit: bigint; monthStart: Date | null }[]
}

export interface WalletPort {
  /** Remembers what the database said of a balance when it settled. */
  noteBalance(accountId: string, balance: bigint): void
  /** Another process wants this purse's idle money. */
  recall(purseId: string): void
  /** What a key can spend within its account and its limits, in nano-dollars, as far as this process knows. */
  freeMoney(of: Spender): Soon<bigint>
  hold(request: Spender & { amount: bigint; inTasks?: bigint }): Soon<HoldPort | HoldRefusal>
}

/** Turns requests down before anything is done for them, where this process has too much to do. */
export interface ShedPort {
  /** Throws 503 where the process has too much to do. What entered must leave, once. */
  enter(kind: 'read' | 'paid'): void
  leave(): void
}

export type IdempotencyClaim =
  | { kind: 'claimed' }
  | { kind: 'running' }
  | { kind: 'other' }
  | { kind: 'answered'; requestId: string; status: number; headers: Record<string, string>; body: Uint8Array }

export interface IdempotencyPort {
  claim(request: { accountId: string; key: string; keyId: string; hash: Buffer; requestId: string }): Promise<IdempotencyClaim>
  release(accountId: string, key: string, requestId: string): Promise<void>
}

export interface HistoryPort {
  /** Keeps what was said, in a while. `said` writes it as JSON later, away from the request; `bytes` is about what it holds in memory. */
  keep(requestId: string, at: Date, accountId: string, bytes: number, said: () => string): void
}

/** A file that is there for as long as its request. Whatever the disk refuses is a Refusal. */
export interface SpoolFile {
  readonly path: string
  /** Throws 429 or 503 where there is no room for so much, and writes nothing then. */
  write(pieces: readonly Uint8Array[]): Promise<void>
  /** Nothing more will be written. */
  close(): Promise<void>
  /** What was written; may be read several times, once it is closed. */
  read(): AsyncIterable<Uint8Array>
  /** Gives back its room; harmless when repeated. */
  remove(): Promise<void>
}

/** Where uploads lie that are too large for memory. */
export interface SpoolPort {
  /** Throws 429 or 503 where there is no room now for so many bytes more of an account. */
  expect(accountId: string, bytes: number): void
  create(accountId: string): Promise<SpoolFile>
}

export interface LogPort {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What a finished request was like, for metrics. */
export interface Observed {
  endpoint: string
  model: string
  status: number
  outcome: string
  tookMs: number
  ownMs: number
  firstTokenMs: number | null
}

/** A request that is over, for those who watch traffic. */
export interface FinishedRequest {
  /** Empty where there is no such model: what a client makes up is no name to count by. */
  modelId: string
  /** The last one that was called; null where none was. */
  deployment: Deployment | null
  outcome: Outcome
  status: number
  tokensIn: bigint
  tokensOut: bigint
  chargedNano: bigint
  vendorCostNano: bigint
  shortfallNano: bigint
  /** From the request's headers on. */
  firstTokenMs: number | null
  tookMs: number
  /** How the last call to a vendor ended; null where there was none. */
  callResult: AttemptResult | null
  /** From the last call to a vendor on; null where that is not known. */
  callFirstMs: number | null
  callMs: number | null
}

/** Counts what goes on. It takes no time and never throws. */
export interface TrafficPort {
  /** A call to a deployment is over. `again`: another one failed before it. */
  attempted(modelId: string, deployment: Deployment, result: AttemptResult, again: boolean): void
  finished(request: FinishedRequest): void
}

/** The calls of a request to vendors. Times are milliseconds from the request's headers on. */
export interface VendorCalls {
  /** The last one that was called. */
  deployment: Deployment | null
  /** When each was called, in the order of the trace; none where that is not known. */
  startsMs: readonly number[]
  /** The end of the last one; null where it goes on until the request's end. */
  endMs: number | null
}

/** A request that is over, for those who follow it across systems. */
export interface EndedRequest {
  item: Settlement
  /** Null where the database would not take it. */
  settled: Settled | null
  calls: VendorCalls
  /** The headers that it came with; null where it went on without its sender. */
  headers: IncomingRequest['headers'] | null
}

/** Tells of requests that are over. It takes no time and never throws. */
export interface SpanPort {
  finished(request: EndedRequest): void
}

export interface VideoSettings {
  /** A video that takes longer is given up. */
  timeoutMs: number
  /** So is one whose vendor cannot be asked for so long. */
  silenceMs: number
  /** How long a client may wait that asked for a finished video. */
  waitMs: number
  /** Polls of vendors, over all processes of a database. */
  pollsPerSecond: number
  /** The largest video. */
  maxBytes: number
}

/** Read anew for every request: operators change some of them while the gateway runs. */
export interface GatewaySettings {
  /** Nothing is served but a word that says so. */
  maintenance: boolean
  maxBodyBytes: number
  /** The largest form, with its files. */
  maxUploadBytes: number
  defaultRpm: number
  defaultTpm: number
  requestTimeoutMs: number
  readerTimeoutMs: number
  settleTimeoutMs: number
  /** How long results are kept under their addresses. */
  fileLifeMs: number
  /** How many deployments one request may try. */
  hops: number
  videos: VideoSettings
  trustedProxies: readonly string[]
}

/** Everything that the gateway takes from outside. Built once per process by lib/runtime.ts. */
export interface GatewayPorts {
  settings: GatewaySettings
  /** Wall clock in milliseconds since 1970. */
  now(): number
  /** Monotonic milliseconds. */
  ticks(): number
  /** A number from 0 to below 1. */
  random(): number
  /** A new id with this time inside. */
  newId(prefix: string, nowMs: number): string
  catalog(): Catalog
  /** Whether the caller of a secret is in memory, having called lately. */
  isKnown(secret: string): boolean
  /** Finds the caller of a secret, without a round trip where it is known. */
  findCaller(secret: string): Soon<Caller | null>
  shed: ShedPort
  limiter: LimiterPort
  /** Lets one more request of a key and its account in; answers what lets it out. Throws 429 where there is no room. */
  enterCaller(caller: Pick<Caller, 'accountId' | 'keyId'>): Soon<() => void>
  wallet: WalletPort
  /** Resolves when the charge is durable. */
  settle(settlement: Settlement): Promise<Settled>
  /** Posts a void. Resolves as soon as it is sure to be posted, whatever becomes of this process. */
  undeliver(settlement: Settlement): Promise<void>
  idempotency: IdempotencyPort
  history: HistoryPort
  responses: ResponseShelf
  files: FilePort
  vendor(connection: Connection): Vendor | null
  tasks: TaskPort
  breakers: Breakers
  /** Requests under way; without it nothing ends them before their time. */
  underWay?: Pick<UnderWay, 'add'>
  /** Calls under way, by deployment and connection; without it they have no limits. */
  busy?: Busy
  /** Calls of this minute, by deployment; without it they have no limits. */
  rates?: RatesPort
  spool: SpoolPort
  /** Room for large bodies in memory. */
  bodies: Pick<Room, 'take' | 'give'>
  countTokens(text: string): Promise<number>
  decodeTokens(tokens: readonly number[]): Promise<string | null>
  /** How long a sound is, in seconds; null where it is none. */
  audioSeconds(file: Upload): Promise<number | null>
  observe(observed: Observed): void
  traffic: TrafficPort
  /** Without it nothing is traced. */
  spans?: SpanPort | undefined
  /** Whether an error says that the database cannot answer just now. */
  isTransient(error: unknown): boolean
  log: LogPort
}
