import type { Settlement, SettlementResult } from '../domain/settlement.ts'

export interface GrowRequest {
  owner: string
  purseId: string
  accountId: string
  /** Null for the account's own wallet. */
  budget: { keyId: string; limit: bigint; monthStart: Date | null } | null
  /** Numbers every change of a lease, so that a change whose answer was lost can be retried. */
  seq: bigint
  need: bigint
  /** What all requests waiting for this purse need together. */
  want: bigint
  /** When money became short, by the database's clock; null while it is not short. */
  since: Date | null
}

export interface GrowResult {
  granted: bigint
  /** Credit minus what was spent. Leased money is included. */
  balance: bigint
  /** Whether other processes hold some of this purse. */
  elsewhere: boolean
  /** Whether one of them has not returned its idle money since `since`. */
  unheard: boolean
  /** The database's clock. */
  askedAt: Date
}

/** A settlement in the form the database reads, kept as small as possible because it may have to be kept for a while. */
export interface SettlementRow {
  /** Everything that is recorded unchanged. */
  item: Settlement
  /** What its units cost, in nano-dollars. The database decides how much of it is charged. */
  actual: bigint
  /** JSON. */
  receipt: string
  /** JSON. */
  trace: string
  /** The purses it draws on, its account first, each with the lease it draws through, or null. */
  draws: { purse: string; lease: string | null }[]
  /** The purses of limits that its key did not have when the request began. */
  undrawn: string[]
}

/** Rows in the form in which they are posted: a few long texts, which take less memory than the rows. */
export interface Batch {
  /** The usage records, one a line, with their cost. */
  records: string
  /** The purses that each row draws on and the leases it draws through, one a line. */
  draws: string
  /** The purses of limits that their keys did not have when the requests began. */
  undrawn: string
  /** The rows that only take back a charge. */
  voids: number[]
  /** Answers kept for a repeat with the same Idempotency-Key. */
  answers: string[]
  bytes: number
}

/** What the ledger asks of the database. Implemented in lib/store/ledger/ledger-store.ts. */
export interface LedgerStore {
  /** Encodes rows in the form in which they are posted. */
  encode(rows: readonly SettlementRow[]): Batch
  /**
   * Posts a batch in one transaction. A row that is missing from the answer was bad. `mayBePosted` says that some rows may have been
   * posted before; if it is false and one has been, the whole batch fails (23505) and can be posted again. `rows` are the rows
   * the batch was made of, or null if their answers have already gone out. A row whose Idempotency-Key went to another request
   * in the meantime is made free of charge, in the batch too.
   */
  settle(batch: Batch, mayBePosted: boolean, rows: readonly SettlementRow[] | null): Promise<SettlementResult[]>
  /** Returns null if the process is no longer registered. */
  grow(request: GrowRequest): Promise<GrowResult | null>
  returnMoney(owner: string, purseId: string, seq: bigint, amount: bigint): Promise<void>
  /** Registers a process. `lifetimeMs` is how long it keeps its leases without a heartbeat. */
  register(owner: string, lifetimeMs: number): Promise<void>
  /** Returns null if the process was swept. */
  heartbeat(owner: string): Promise<{ recalled: string[]; timeline: string } | null>
  /** Releases what one process holds that has not beaten for `lifetimeMs`. Returns its id, or null if no process is dead. */
  sweepDeadProcess(lifetimeMs: number): Promise<string | null>
  release(owner: string): Promise<void>
}

/** Tells whether an error means "not now" (connection lost, server restarting, deadlock) rather than "never". */
export type IsTransient = (error: unknown) => boolean

export interface LedgerLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** Monotonic milliseconds. */
export type Ticks = () => number
