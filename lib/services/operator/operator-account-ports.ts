/** What the operator's verbs about accounts and codes need from the world. Money is bigint nano-dollars, times are Date. */
import type { AccountPlace, AccountState } from '#lib/contracts/operator-accounts'
import type { Role } from '#lib/contracts/session'
import type { Actor } from './operator-ports.ts'

export interface AccountFilter {
  search: {
    /** The beginning of an address or name, or a whole id. */
    text: string
    /** How a key ends whose last four characters this may be. */
    hint: string | null
  } | null
  state: AccountState | null
  role: Role | null
  after: AccountPlace | null
}

export interface AccountRecord {
  id: string
  name: string
  /** Of who came first; empty where nobody is there. */
  email: string
  role: Role
  state: AccountState
  balanceNano: bigint
  createdAt: Date
  place: AccountPlace
}

export interface AccountWhole {
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
  /** Whether a code is asked for when they sign in. */
  secondStep: boolean
  /** Sessions that are not over, and when the last of them was in use. */
  sessions: number
  lastSeenAt: Date | null
  createdAt: Date
}

/** `closed`: for good. `already`: it is so. `owes`: the debt keeps it suspended. `own`, `owners`: not for who asks. */
export type SuspendOutcome = 'done' | 'not_found' | 'closed' | 'already' | 'own' | 'owners'
export type ResumeOutcome = SuspendOutcome | 'owes'
/** `unproved`: nobody has shown yet that the address is theirs. `stale`: the role is another one than was seen. */
export type RoleOutcome = 'done' | 'not_found' | 'not_owner' | 'own' | 'unproved' | 'stale'

export interface RoleChange {
  personId: string
  from: Role
  to: Role
}

/** Every write is one transaction with its line in the log. */
export interface OperatorAccounts {
  page(filter: AccountFilter, rows: number): Promise<AccountRecord[]>
  /** What accounts were charged since a time, by account; those without usage are not in it. */
  spentSince(accountIds: readonly string[], from: Date): Promise<Map<string, bigint>>
  find(accountId: string): Promise<AccountWhole | null>
  people(accountId: string, at: Date): Promise<PersonRecord[]>
  /** Refuses calls with the account's keys, in every process. Nobody suspends their own, and only an owner an owner's. */
  suspend(actor: Actor, accountId: string, reason: string, at: Date): Promise<SuspendOutcome>
  /**
   * Ends a suspension that an operator made. Where money is owed the debt goes on with it: `owes`. Nobody ends their own, and
   * only an owner an owner's.
   */
  resume(actor: Actor, accountId: string): Promise<ResumeOutcome>
  /** Gives somebody another role, and ends their sessions. Decided by what the database says of both at that moment. */
  setRole(actor: Actor, change: RoleChange, at: Date): Promise<RoleOutcome>
  /** Ends all sessions of somebody; answers how many, or null where there is no such person. Only an owner ends an owner's. */
  signOut(actor: Actor, personId: string, at: Date): Promise<number | 'owners' | null>
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
  /** Whose account it went to. */
  redeemedBy: { id: string; name: string; email: string } | null
  /** Others that were minted together with it are still to be redeemed. */
  hasOthers: boolean
}

export interface CodeFilter {
  /** Of those that are open the expired ones are left out. */
  state: Exclude<CodeState, 'expired'> | null
  after: string | null
  at: Date
}
