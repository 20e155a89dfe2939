/** What an account's holder can ask for the whole of it. Money is bigint nano-dollars. */
import type { MailWishes } from '#lib/contracts/account'

export interface MailWishStore {
  /** All true where nothing was ever said. */
  of(accountId: string): Promise<MailWishes>
  /** Changes those that are named. */
  set(accountId: string, wishes: Partial<MailWishes>): Promise<void>
}

export interface ClosingFacts {
  balanceNano: bigint
  owedNano: bigint
  /** A payment is under way. */
  paying: boolean
  keys: number
}

export interface CloseRequest {
  accountId: string
  userId: string
  /** What the holder gives up; must be the balance. */
  forfeitNano: bigint
  /** Marks the address of the account, where it had credit for signing up. */
  creditMark: Uint8Array
  /** A stored password that none matches. */
  passwordHash: string
  at: Date
}

/**
 * What keeps an account from being closed. `busy`: requests or videos still hold money. `paying`: a payment is under way.
 * `owed`: a debt is open. `balance`: there is another balance than was given up.
 */
export type Obstacle = 'busy' | 'paying' | 'owed' | 'balance'

export type Closed = { outcome: 'closed' | Obstacle }

export interface Closings {
  facts(accountId: string): Promise<ClosingFacts>
  /**
   * Ends an account for good, in one transaction: keys are revoked, sessions end, and who it was is erased. What it said has then
   * to be forgotten. Money records stay.
   */
  close(request: CloseRequest): Promise<Closed>
  /** Closed accounts of which something may be left that was said. */
  unforgotten(): Promise<string[]>
  /**
   * Deletes what a closed account said, a few requests at a time: first their files, by `remove`, which answers how many it could
   * not remove, and then the rows that name them. Whoever dies over it leaves the rest to the next call. Ends early after
   * `untilMs` of performance.now(), or where a file cannot be removed.
   */
  forget(accountId: string, remove: (files: string[]) => Promise<number>, untilMs: number): Promise<void>
}
