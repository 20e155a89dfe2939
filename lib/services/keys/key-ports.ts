/** What the verbs of keys need from the world. Money is bigint nano-dollars, times are Date. */
import type { KeyPlace, KeyState } from '#lib/contracts/keys'
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
  /** Secrets from before a rotation, expired ones too. */
  former: { hint: string; expiresAt: Date }[]
}

export interface NewKey extends Omit<KeyRecord, 'groupName' | 'lastUsedAt' | 'revokedAt' | 'former'> {
  accountId: string
  secretHmac: Uint8Array
}

/** Which keys of an account; null is not asked for. */
export interface KeyFilter {
  /** A part of a name, how a secret ends that is good `at` that time, or an id. Not empty. */
  search: string | null
  /** What a key is `at` that time. */
  state: KeyState | null
  groupId: string | null
  /** The place after which the list goes on. */
  after: KeyPlace | null
  at: Date
}

export interface Keys {
  /** Inserts the key and tells every process, in one transaction. False where the account has `most` unrevoked ones already. */
  create(key: NewKey, most: number): Promise<boolean>
  /** Keys in use first, each part newest first, so many at most; without a filter all, 500 at most. */
  list(accountId: string, filter?: KeyFilter, rows?: number): Promise<KeyRecord[]>
  /**
   * Revokes and tells every process, in one transaction, with a line in the log where an operator does it. False where the
   * account has no such key.
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

/** What is named is changed. */
export type KeySettings = Partial<Pick<KeyRecord, Settings>>

export interface Rotation {
  secretHmac: Uint8Array
  hint: string
  at: Date
  /** Until when the secrets before are good, at most; not after `at` where they end at once. */
  until: Date
  /** How many secrets before may be good at once. */
  mostFormer: number
}

/** `gone`: the key is revoked or expired. `too_many`: as many secrets before are still good as may be. */
export type RotationOutcome = 'rotated' | 'not_found' | 'gone' | 'too_many'

/** Changes of keys that exist. Each tells every process in the transaction that makes it. */
export interface KeyChanges {
  find(accountId: string, keyId: string): Promise<KeyRecord | null>
  /**
   * Changes settings. A spending limit counts what the key has spent so far, and what other processes hold of the old
   * one unused comes back at once.
   */
  update(accountId: string, keyId: string, settings: KeySettings, at: Date): Promise<'updated' | 'not_found' | 'revoked'>
  /** Gives a key a new secret. Everything else stays: the key is the same one. */
  rotate(accountId: string, keyId: string, rotation: Rotation): Promise<RotationOutcome>
  /** Ends all secrets from before rotations. False where the account has no such key. */
  endOverlap(accountId: string, keyId: string): Promise<boolean>
}
