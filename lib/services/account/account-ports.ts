/** The interfaces for what an account holder can do with the whole account. Money is bigint nano-dollars. */
import type { EmailPreferences } from '#lib/contracts/account'

export interface EmailPreferenceStore {
  /** All true if the holder never chose. */
  find(accountId: string): Promise<EmailPreferences>
  /** Changes only the named ones. */
  set(accountId: string, preferences: Partial<EmailPreferences>): Promise<void>
}

export interface ClosingFacts {
  balanceNano: bigint
  owedNano: bigint
  /** A payment is in progress. */
  paying: boolean
  keys: number
}

export interface CloseRequest {
  accountId: string
  userId: string
  /** The amount that the holder gives up. Must equal the balance. */
  forfeitNano: bigint
  /** Marks the account's address, if it had sign-up credit. */
  creditMark: Uint8Array
  /** A stored hash that no password matches. */
  passwordHash: string
  at: Date
}

/**
 * What prevents an account from being closed. `busy`: requests or videos still hold money. `paying`: a payment is in progress.
 * `owed`: a debt is open. `balance`: the balance is not the amount given up.
 */
export type Obstacle = 'busy' | 'paying' | 'owed' | 'balance'

export type CloseOutcome = { outcome: 'closed' | Obstacle }

export interface Closings {
  facts(accountId: string): Promise<ClosingFacts>
  /**
   * Closes an account permanently, in one transaction: keys are revoked, sessions end, and the holder's identity is erased. The
   * content of its requests still has to be deleted afterward. Money records stay.
   */
  close(request: CloseRequest): Promise<CloseOutcome>
  /** Closed accounts that may have request content left to delete. */
  listUnerased(): Promise<string[]>
  /**
   * Deletes the request content of a closed account, a few requests at a time: first their files, through `remove`, which returns
   * how many it could not remove, then the rows that name them. If the process dies midway, the next call continues. Ends early
   * after `untilMs` of performance.now(), or if a file cannot be removed.
   */
  eraseContent(accountId: string, remove: (files: string[]) => Promise<number>, untilMs: number): Promise<void>
}
