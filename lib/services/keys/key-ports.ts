/** The interfaces that the key verbs need. Money is bigint nano-dollars, times are Date. */
import type { KeyCursor, KeyState } from '#lib/contracts/keys'
import type { Actor } from '../operator/operator-ports.ts'

export interface KeyRecord {
  id: string
  name: string
  hint: string
  groupId: string
  groupName: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
  limitTotalNano: bigint | null
  limitMonthNano: bigint | null
  modelAllow: string[]
  addressAllow: string[]
  rpm: number | null
  tpm: number | null
  historyEnabled: boolean
  /** Secrets from before a rotation, including expired ones. */
  former: { hint: string; expiresAt: Date }[]
}

export interface NewKey extends Omit<KeyRecord, 'groupName' | 'lastUsedAt' | 'revokedAt' | 'former'> {
  accountId: string
  secretHmac: Uint8Array
}

/** Selects keys of an account. Null means no filter. */
export interface KeyFilter {
  /** Part of a name, the end of a secret that is valid at the time `at`, or an id. Not empty. */
  search: string | null
  /** A key's state at the time `at`. */
  state: KeyState | null
  groupId: string | null
  /** The place after which the list continues. */
  after: KeyCursor | null
  at: Date
}

export interface Keys {
  /**
   * Inserts the key and notifies every process, in one transaction. Returns false if the account already has `maxKeys` unrevoked
   * keys.
   */
  create(key: NewKey, maxKeys: number): Promise<boolean>
  /**
   * Lists keys: first those that are not revoked, newest first, then revoked ones, last revoked first. `rows` is 500 by default.
   */
  list(accountId: string, filter?: KeyFilter, rows?: number): Promise<KeyRecord[]>
  /**
   * Revokes the key and notifies every process, in one transaction, with a line in the log if an operator does it. Returns false
   * if the account has no such key.
   */
  revoke(accountId: string, keyId: string, at: Date, by?: Actor): Promise<boolean>
}

type Settings =
  | 'name'
  | 'expiresAt'
  | 'limitTotalNano'
  | 'limitMonthNano'
  | 'modelAllow'
  | 'addressAllow'
  | 'rpm'
  | 'tpm'
  | 'historyEnabled'

/** Only named settings change. */
export type KeySettings = Partial<Pick<KeyRecord, Settings>>

export interface Rotation {
  secretHmac: Uint8Array
  hint: string
  at: Date
  /** Until when previous secrets stay valid, at most. Not later than `at` if they end immediately. */
  until: Date
  /** How many previous secrets may be valid at once. */
  maxFormer: number
}

/** `gone`: the key is revoked or expired. `too_many`: the maximum number of previous secrets is still valid. */
export type RotationOutcome = 'rotated' | 'not_found' | 'gone' | 'too_many'

/** Changes to existing keys. Each notifies every process in the transaction that makes it. */
export interface KeyChanges {
  find(accountId: string, keyId: string): Promise<KeyRecord | null>
  /**
   * Changes settings. A spending limit counts what the key has spent so far. Unused money that other processes hold under the old
   * limit is returned at once.
   */
  update(accountId: string, keyId: string, settings: KeySettings, at: Date): Promise<'updated' | 'not_found' | 'revoked'>
  /** Gives a key a new secret. Everything else stays, and it remains the same key. */
  rotate(accountId: string, keyId: string, rotation: Rotation): Promise<RotationOutcome>
  /** Ends all secrets from before rotations. Returns false if the account has no such key. */
  endOverlap(accountId: string, keyId: string): Promise<boolean>
}
