/** The interfaces that the money verbs need: credit, and what is left. Money is bigint nano-dollars. */

import type { MaybePromise } from '../../domain/maybe-promise.ts'
import type { Actor } from '../operator/operator-ports.ts'

export interface NewCredit {
  /** Unique. The same credit given twice counts once. */
  id: string
  accountId: string
  kind: 'grant' | 'top_up' | 'code'
  amountNano: bigint
  reason: string
  actor: string
  at: Date
}

/**
 * `repeated`: this credit already existed. `conflict`: the id belongs to another one. `own`, `owners`: not allowed for the caller,
 * who is no owner.
 */
export type CreditOutcome =
  | { outcome: 'credited' | 'repeated'; paidOwedNano: bigint }
  | { outcome: 'no_account' | 'conflict' | 'too_much' | 'closed' | 'own' | 'owners' }

/** `not_free`: the balance is lower, or requests in flight hold part of it. */
export type DeductOutcome = { outcome: 'deducted' | 'no_account' } | { outcome: 'not_free'; freeNano: bigint } | CreditOutcome

export interface PurseSums {
  balanceNano: bigint
  owedNano: bigint
}

export interface Purses {
  /**
   * Pays any debt first and adds the rest to the balance, in one transaction with its entry. If the debt is paid in full, a
   * suspension due to it ends. With an actor, a line is also written to the log, a closed account is not credited, and only an
   * owner can credit their own account or an owner's.
   */
  credit(credit: NewCredit, by?: Actor): Promise<CreditOutcome>
  /**
   * Deducts free money, the whole amount or nothing, in one transaction with its entry and its line in the log. Gateways are
   * first asked to return what they hold but do not use. Only an owner can deduct from their own account or an owner's.
   */
  deduct(deduction: Omit<NewCredit, 'kind'>, by: Actor): Promise<DeductOutcome>
  sums(accountId: string): Promise<PurseSums>
  /** Whether this much more can be credited to an account: its lifetime credit is bounded. */
  canCredit(accountId: string, amountNano: bigint): Promise<boolean>
}

interface HeldTotal {
  nano: bigint
  /** Requests and tasks. */
  requests: number
  /** Only the tasks: work that outlives its request, such as a video. */
  tasks: number
}

export interface Wallet {
  /** How much of an account's balance is held by requests in flight on this machine, and by tasks. */
  held(accountId: string): MaybePromise<HeldTotal>
}
