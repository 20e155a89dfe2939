import type { Settled, Settlement } from '../domain/settlement.ts'

export interface GrowRequest {
  owner: string
  purseId: string
  accountId: string
  /** Null for the account's own wallet. */
  budget: { keyId: string; limit: bigint; monthStart: Date | null } | null
  /** Numbers every change of a lease, so that one whose answer was lost can be asked again. */
  seq: bigint
  need: bigint
  /** What all who wait here would need together. */
  want: bigint
  /** Since when money has been short, by the database's clock; null while it is not. */
  since: Date | null
}

export interface Grown {
  granted: bigint
  /** Credit minus what was spent, leased money included. */
  balance: bigint
  /** Other processes hold some of this purse. */
  elsewhere: boolean
  /** One of them has not given back its idle money since `since`. */
  unheard: boolean
  /** The database's clock. */
  askedAt: Date
}

/** A settlement as the database reads it, and as little of it as can be kept for a while. */
export interface SettlementRow {
  /** Everything that is recorded just as it is. */
  item: Settlement
  /** What its units cost, in nano-dollars; what is charged of it is the database's to say. */
  actual: bigint
  /** JSON. */
  receipt: string
  /** JSON. */
  trace: string
  /** The purses it draws on, its account first, each through a lease or none. */
  draws: { purse: string; lease: string | null }[]
  /** The purses of limits that its key had not when it began. */
  undrawn: string[]
}

/** Rows as they are posted: a few long texts, which cost less to keep than the rows. */
export interface Batch {
  /** Their usage records, a line each, with what they cost. */
  records: string
  /** The purses that each draws on and through which lease, a line each. */
  draws: string
  /** The purses of limits that their keys had not when they began. */
  undrawn: string
  /** Which of them only take a charge back. */
  voids: number[]
  /** What is kept for a repeat with the same Idempotency-Key. */
  answers: string[]
  bytes: number
}

/** What the ledger asks of the database. lib/store/ledger/ledger-store.ts answers. */
export interface LedgerStore {
  /** Puts rows into the form in which they are posted. */
  encode(rows: readonly SettlementRow[]): Batch
  /**
   * Posts a batch in one transaction. A row that is missing from the answer was bad. `again` says that one of them may
   * have been posted before; where that is wrong, the batch fails as a whole (23505) and can be posted again. `rows` is
   * what the batch was made of, null where their answers have gone out: one whose Idempotency-Key went to another request
   * meanwhile is made free, in the batch too.
   */
  settle(batch: Batch, again: boolean, rows: readonly SettlementRow[] | null): Promise<Settled[]>
  /** Null: the process is not registered any more. */
  grow(request: GrowRequest): Promise<Grown | null>
  giveBack(owner: string, purseId: string, seq: bigint, amount: bigint): Promise<void>
  /** `lifeMs` is how long it keeps what it leases when it does not beat. */
  register(owner: string, lifeMs: number): Promise<void>
  /** Null: the process was swept. */
  beat(owner: string): Promise<{ recalled: string[]; timeline: string } | null>
  /** Gives back what one process holds that has not beaten for `lifeMs`; its id, or null when none is dead. */
  sweepOne(lifeMs: number): Promise<string | null>
  release(owner: string): Promise<void>
}

/** Whether an error says "not now" (connection lost, server restarting, deadlock) rather than "never". */
export type IsTransient = (error: unknown) => boolean

export interface LedgerLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** Monotonic milliseconds. */
export type Ticks = () => number
