/** The interfaces that operators' verbs about accounts and codes need. Money is bigint nano-dollars, times are Date. */
import type { AccountCursor, AccountState } from '#lib/contracts/operator-accounts'
import type { Role } from '#lib/contracts/session'
import type { Recipient } from '../mail/mail-ports.ts'
import type { Actor } from './operator-ports.ts'

export interface AccountFilter {
  search: {
    /** The beginning of an address or name, or a whole id. */
    text: string
    /** The hint of a key, if the text may be its last four characters. */
    hint: string | null
  } | null
  state: AccountState | null
  role: Role | null
  after: AccountCursor | null
}

export interface AccountRecord {
  id: string
  name: string
  /** The email of the account's first user; empty if there is none. */
  email: string
  role: Role
  state: AccountState
  balanceNano: bigint
  createdAt: Date
  place: AccountCursor
}

export interface AccountDetailRecord {
  id: string
  name: string
  state: AccountState
  suspendedAt: Date | null
  suspendedReason: string | null
  closedAt: Date | null
  createdAt: Date
  balanceNano: bigint
  leasedNano: bigint
  owedNano: bigint
}

export interface PersonRecord {
  id: string
  email: string
  name: string
  role: Role
  emailVerified: boolean
  /** Whether sign-in asks for a second step. */
  secondStep: boolean
  /** Sessions that have not ended, and when one of them was last used. */
  sessions: number
  lastSeenAt: Date | null
  createdAt: Date
}

/** A payment that was started and has not ended. */
export interface WaitingPaymentRecord {
  id: string
  state: 'open' | 'processing'
  amountNano: bigint
  automatic: boolean
  createdAt: Date
}

/**
 * `closed`: permanently. `already`: nothing to change. `owes`: the debt keeps it suspended. `own`, `owners`: not allowed for the
 * caller.
 */
export type SuspendOutcome = 'done' | 'not_found' | 'closed' | 'already' | 'own' | 'owners'
export type ResumeOutcome = SuspendOutcome | 'owes'
/** `unproved`: the address is not confirmed yet. `stale`: the role is no longer the one that the caller saw. */
export type RoleOutcome = 'done' | 'not_found' | 'not_owner' | 'own' | 'unproved' | 'stale'

/** `off`: sign-in asks this person for no second step. `own`: one's own. */
export type SecondStepReset = { outcome: 'done'; person: Recipient } | { outcome: 'not_found' | 'not_owner' | 'own' | 'off' }

export interface RoleChange {
  personId: string
  from: Role
  to: Role
}

/** Every write is one transaction with its line in the log. */
export interface OperatorAccounts {
  page(filter: AccountFilter, rows: number): Promise<AccountRecord[]>
  /** What accounts were charged since a time, by account. Accounts without usage are omitted. */
  spentSince(accountIds: readonly string[], from: Date): Promise<Map<string, bigint>>
  find(accountId: string): Promise<AccountDetailRecord | null>
  people(accountId: string, at: Date): Promise<PersonRecord[]>
  /** Payments that Stripe knows and that have not ended, newest first, at most twenty. */
  waitingPayments(accountId: string): Promise<WaitingPaymentRecord[]>
  /**
   * Refuses calls with the account's keys, in every process. Nobody can suspend their own account, and only an owner an owner's.
   */
  suspend(actor: Actor, accountId: string, reason: string, at: Date): Promise<SuspendOutcome>
  /**
   * Ends a suspension that an operator made. If money is owed, the suspension continues because of the debt: `owes`. Nobody can
   * resume their own account, and only an owner an owner's.
   */
  resume(actor: Actor, accountId: string): Promise<ResumeOutcome>
  /** Gives a user another role and ends their sessions. Decided by what the database says about both users at that moment. */
  setRole(actor: Actor, change: RoleChange, at: Date): Promise<RoleOutcome>
  /** Ends all sessions of a user. Returns how many, or null if there is no such user. Only an owner can end an owner's. */
  signOut(actor: Actor, personId: string, at: Date): Promise<number | 'owners' | null>
  /** Turns off the two-step verification of somebody else, for an owner, and ends their sessions. */
  resetSecondStep(actor: Actor, personId: string, at: Date): Promise<SecondStepReset>
}

export type CodeState = 'open' | 'redeemed' | 'withdrawn' | 'expired'

export interface CodeRecord {
  id: string
  hint: string
  amountNano: bigint
  note: string
  state: CodeState
  createdAt: Date
  redeemedAt: Date | null
  /** The account that redeemed it. */
  redeemedBy: { id: string; name: string; email: string } | null
  /** Others that were minted together with it can still be redeemed. */
  hasOthers: boolean
}

export interface CodeFilter {
  /** Expired codes are left out of the open ones. */
  state: Exclude<CodeState, 'expired'> | null
  after: string | null
  at: Date
}
