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

/** `files` are the addresses of those that its requests made: they have still to be removed. */
export type Closed = { outcome: 'closed'; files: string[] } | { outcome: Obstacle }

export interface Closings {
  facts(accountId: string): Promise<ClosingFacts>
  /**
   * Ends an account for good, in one transaction: keys are revoked, sessions end, and who it was is erased. Then what was said
   * is deleted. Money records stay.
   */
  close(request: CloseRequest): Promise<Closed>
}
