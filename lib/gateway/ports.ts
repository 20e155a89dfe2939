import type { Caller, Catalog, Connection, Deployment } from '../domain/catalog.ts'
import type { Upload } from '../domain/form.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { AttemptResult, Outcome, Settlement, SettlementResult } from '../domain/settlement.ts'
import type { ResponseStore } from '../domain/stored-response.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { FilePort } from '../wire/answer.ts'
import type { IncomingRequest } from './answer.ts'
import type { Breakers } from './breaker.ts'
import type { ByteCapacity } from './byte-capacity.ts'
import type { CallSlots } from './call-slots.ts'
import type { InFlight } from './in-flight.ts'
import type { LimiterPort, RatesPort } from './limits/ports.ts'
import type { TaskPort, UndeliveredTask } from './tasks/ports.ts'

export interface HoldPort {
  readonly amount: bigint
  readonly leaseId: string
  readonly budgets: string[]
  readonly budgetLeases: string[]
  end(spent: bigint): void
}

export type HoldRefusal = { refused: 'balance' | 'key_limit' | 'held' | 'key_share' | 'not_in_touch' }

/** The account and key that pay for a request, and the key's spending limits. */
export interface Spender {
  accountId: string
  keyId: string
  budgets: readonly { purseId: string; limit: bigint; monthStart: Date | null }[]
}

export interface WalletPort {
  /** Remembers the balance that the database reported when it settled. */
  recordBalance(accountId: string, balance: bigint): void
  /** Called when another process wants this purse's idle money. */
  recall(purseId: string): void
  /** What a key can spend within its account's balance and its own limits, in nano-dollars, as far as this process knows. */
  spendableNano(of: Spender): MaybePromise<bigint>
  hold(request: Spender & { amount: bigint; inTasks?: bigint }): MaybePromise<HoldPort | HoldRefusal>
}

/** Refuses requests before any work is done for them when this process is overloaded. */
export interface ShedPort {
  /** Throws 503 if the process is overloaded. Every request that entered must leave, once. */
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
  /**
   * Keeps a request and its answer a little later. `toJson` writes them as JSON outside the request; `bytes` is roughly what it
   * holds in memory.
   */
  save(requestId: string, at: Date, accountId: string, bytes: number, toJson: () => string): void
}

/** A file that exists for as long as its request. If the disk refuses an operation, a Refusal is thrown. */
export interface SpoolFile {
  readonly path: string
  /** Throws 429 or 503 if there is no room for this much, and then writes nothing. */
  write(pieces: readonly Uint8Array[]): Promise<void>
  /** Called when nothing more will be written. */
  close(): Promise<void>
  /** Reads what was written. Can be called several times once the file is closed. */
  read(): AsyncIterable<Uint8Array>
  /** Frees its room. Calling it again does no harm. */
  remove(): Promise<void>
}

/** Stores uploads that are too large for memory. */
export interface SpoolPort {
  /** Throws 429 or 503 if there is no room now for this many more bytes of an account. */
  ensureCapacity(accountId: string, bytes: number): void
  create(accountId: string): Promise<SpoolFile>
}

export interface LogPort {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A finished request, as metrics see it. */
export interface RequestMetrics {
  endpoint: string
  model: string
  status: number
  outcome: string
  tookMs: number
  ownMs: number
  firstTokenMs: number | null
}

/** A finished request, as traffic statistics see it. */
export interface FinishedRequest {
  /** Empty if there is no such model: names that clients make up are not counted. */
  modelId: string
  /** The deployment that was called last; null if none was called. */
  deployment: Deployment | null
  outcome: Outcome
  status: number
  tokensIn: bigint
  tokensOut: bigint
  chargedNano: bigint
  vendorCostNano: bigint
  shortfallNano: bigint
  /** Measured from the arrival of the request's headers. */
  firstTokenMs: number | null
  tookMs: number
  /** How the last call to a vendor ended; null if there was none. */
  callResult: AttemptResult | null
  /** Measured from the start of the last call to a vendor; null if unknown. */
  callFirstMs: number | null
  callMs: number | null
}

/** Counts traffic. It takes no time and never throws. */
export interface TrafficPort {
  /** A call to a deployment ended. `isRetry`: another call failed before it. */
  recordAttempt(modelId: string, deployment: Deployment, result: AttemptResult, isRetry: boolean): void
  recordFinished(request: FinishedRequest): void
}

/** The calls of a request to vendors. Times are in milliseconds from the arrival of the request's headers. */
export interface VendorCalls {
  /** The deployment that was called last. */
  deployment: Deployment | null
  /** When each call began, in the order of the trace; empty if unknown. */
  startsMs: readonly number[]
  /** When the last call ended; null if it lasts until the request's end. */
  endMs: number | null
}

/** A finished request, as tracing across systems sees it. */
export interface EndedRequest {
  item: Settlement
  /** Null if the database rejected it. */
  settled: SettlementResult | null
  calls: VendorCalls
  /** The request's headers; null if it went on without its sender. */
  headers: IncomingRequest['headers'] | null
}

/** Reports finished requests. It takes no time and never throws. */
export interface SpanPort {
  recordFinished(request: EndedRequest): void
}

export interface VideoSettings {
  /** A video that takes longer is abandoned. */
  timeoutMs: number
  /** A video whose vendor cannot be reached for this long is abandoned too. */
  silenceMs: number
  /** How long a client that asked for a finished video may wait. */
  waitMs: number
  /** Polls of vendors, over all processes that share a database. */
  pollsPerSecond: number
  /** The largest size of a video. */
  maxBytes: number
}

/** Read again for every request, because operators change some of them while the gateway runs. */
export interface GatewaySettings {
  /** Nothing is served except a maintenance message. */
  maintenance: boolean
  maxBodyBytes: number
  /** The largest form, files included. */
  maxUploadBytes: number
  defaultRpm: number
  defaultTpm: number
  requestTimeoutMs: number
  readerTimeoutMs: number
  settleTimeoutMs: number
  /** How long results stay available at their addresses. */
  fileLifetimeMs: number
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
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number
  /** A new id that contains this time. */
  newId(prefix: string, nowMs: number): string
  catalog(): Catalog
  /** Whether the caller who owns a secret is in memory because of a recent call. */
  isKnown(secret: string): boolean
  /** Finds the caller who owns a secret, without a round trip if it is known. */
  findCaller(secret: string): MaybePromise<Caller | null>
  /** The same for somebody who may not cause many round trips: undefined if there were too many. */
  findCallerSparingly(secret: string): MaybePromise<Caller | null> | undefined
  shed: ShedPort
  limiter: LimiterPort
  /**
   * Admits one more request of a key and its account, and returns the function that lets it out. Throws 429 if there is no
   * room.
   */
  enterCaller(caller: Pick<Caller, 'accountId' | 'keyId'>): MaybePromise<() => void>
  wallet: WalletPort
  /** Resolves when the charge is durable. */
  settle(settlement: Settlement): Promise<SettlementResult>
  /** Posts a void. Resolves as soon as it is certain to be posted, whatever happens to this process. */
  postVoid(settlement: Settlement): Promise<void>
  /**
   * Makes sure that a task whose client was refused is ended, which `ending` does. Resolves as soon as that is certain, whatever
   * happens to this process.
   */
  keepUndelivered(task: UndeliveredTask, ending: Promise<unknown>): Promise<void>
  idempotency: IdempotencyPort
  history: HistoryPort
  responses: ResponseStore
  files: FilePort
  vendor(connection: Connection): Vendor | null
  tasks: TaskPort
  breakers: Breakers
  /** Requests in flight. Without it nothing ends them early. */
  inFlight?: Pick<InFlight, 'add'>
  /** Calls in flight, by deployment and connection. Without it they are not limited. */
  callSlots?: CallSlots
  /** Calls in the current minute, by deployment. Without it they are not limited. */
  rates?: RatesPort
  spool: SpoolPort
  /** Room for large bodies in memory. */
  bodies: Pick<ByteCapacity, 'take' | 'release'>
  countTokens(text: string): Promise<number>
  decodeTokens(tokens: readonly number[]): Promise<string | null>
  /** The length of an audio file in seconds; null if it is not audio. */
  audioSeconds(file: Upload): Promise<number | null>
  observe(observed: RequestMetrics): void
  traffic: TrafficPort
  /** Without it nothing is traced. */
  spans?: SpanPort | undefined
  /** Whether an error means that the database cannot answer right now. */
  isTransient(error: unknown): boolean
  log: LogPort
}
