import type { Receipt } from './price.ts'
import type { Usage } from './usage.ts'

/** How a request ended. lib/ledger/README.md has the rule for each outcome. */
export type Outcome = 'finished' | 'refused' | 'vendor_failed' | 'cut' | 'client_gone' | 'timed_out' | 'cancelled' | 'undelivered'

/**
 * How an attempt ended. `limited`: the vendor answered 429. `refused`: the vendor does not accept this request. `failed`: any
 * other status. `broken`: the answer broke off, or is not an answer. `left`: the client disconnected.
 */
export type AttemptResult =
  | 'answered'
  | 'unreachable'
  | 'timed_out'
  | 'limited'
  | 'refused'
  | 'failed'
  | 'broken'
  | 'misconfigured'
  | 'left'

/** Why an attempt failed, in our own words only: how it ended, and the vendor's status if there was one. */
export interface AttemptFailure {
  result: AttemptResult
  status: number | null
}

/** One deployment that was tried. */
export interface Attempt {
  deployment: string
  /** The connection's name. */
  connection: string
  /** The model's name at the vendor. */
  model: string
  status: number | null
  tookMs: number
  result: AttemptResult
  /** What went wrong, for people to read. Never a prompt, a key or an address. */
  detail: string | null
}

/** A finished request, ready to be charged and recorded. */
export interface Settlement {
  id: string
  at: Date
  accountId: string
  keyId: string
  groupId: string
  modelId: string
  endpoint: string
  stream: boolean
  status: number
  outcome: Outcome
  errorCode: string | null
  errorText: string | null
  finishReason: string | null
  usage: Usage
  holdNano: bigint
  /** Null if it costs nothing, such as a refusal. */
  receipt: Receipt | null
  trace: Attempt[]
  ownMs: number
  firstTokenMs: number | null
  tookMs: number
  leaseId: string | null
  budgets: string[]
  budgetLeases: string[]
  /** The answer never reached its reader, so whatever was charged for it is given back. */
  void: boolean
  /** The answer to replay, stored in the same transaction. */
  answer: { key: string; status: number; headers: Record<string, string>; body: Uint8Array } | null
}

/** What the database did with a settlement. */
export interface SettlementResult {
  id: string
  fresh: boolean
  charged: bigint
  shortfall: bigint
  balance: bigint
  /** Whether another process needs this account's idle money. */
  recall: boolean
}
