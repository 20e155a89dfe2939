/** What the verbs of money need from the world: credit, and what is left. Money is bigint nano-dollars. */

import type { Soon } from '../../domain/soon.ts'
import type { Actor } from '../operator/operator-ports.ts'

export interface NewCredit {
  /** Unique; the same credit given twice counts once. */
  id: string
  accountId: string
  kind: 'grant' | 'top_up' | 'code'
  amountNano: bigint
  reason: string
  actor: string
  at: Date
}

/** `repeated`: this very credit was there already. `conflict`: the id belongs to another one. */
export type CreditOutcome =
  | { outcome: 'credited' | 'repeated'; paidOwedNano: bigint }
  | { outcome: 'no_account' | 'conflict' | 'too_much' | 'closed' }

/** `not_free`: that much is not there, or requests under way hold it. */
export type DeductOutcome = { outcome: 'deducted' | 'no_account' } | { outcome: 'not_free'; freeNano: bigint } | CreditOutcome

export interface PurseSums {
  balanceNano: bigint
  owedNano: bigint
}

export interface Purses {
  /**
   * Pays what is owed first and adds the rest to the balance, in one transaction with its entry. Where that pays all of
   * it, the suspension that the debt was the reason of ends. With an actor it is written in the log too, and a closed
   * account is given nothing.
   */
  credit(credit: NewCredit, by?: Actor): Promise<CreditOutcome>
  /**
   * Takes away what is free, all of the amount or nothing, in one transaction with its entry and its line in the log. What
   * gateways hold without using it is asked back first.
   */
  deduct(deduction: Omit<NewCredit, 'kind'>, by: Actor): Promise<DeductOutcome>
  sums(accountId: string): Promise<PurseSums>
  /** Whether an account can be credited so much more: what it was credited in all its life is bounded. */
  hasRoom(accountId: string, amountNano: bigint): Promise<boolean>
}

interface Held {
  nano: bigint
  requests: number
}

export interface Wallet {
  /** What requests under way in the gateway's processes of this machine hold of an account's balance. */
  held(accountId: string): Soon<Held>
}
