/** What settings need from the world. */
import type { SettingName, SettingValues } from '#lib/contracts/settings'
import type { Actor } from './operator/operator-ports.ts'

/** What an operator has set. `value` is JSON; `set` is false where the environment's holds again. */
export interface SettingRecord {
  name: string
  value: unknown
  set: boolean
  version: number
  changedAt: Date
  changedBy: string
}

export interface SettingChange {
  name: SettingName
  /** 0 where nobody has ever set it. */
  version: number
  /** Absent where the environment's is to hold again. */
  to?: { value: unknown }
  /** What it was, and is without an operator's, for the log. */
  before: unknown
  usual: unknown
}

export interface SettingStore {
  list(): Promise<SettingRecord[]>
  /**
   * All changes with their lines in the log, told to every process; or none, where somebody was first with the one named, or
   * where `check` throws. It gets all settings as they are after the changes, while nobody else can change any.
   */
  write(
    actor: Actor,
    changes: readonly SettingChange[],
    check?: (after: readonly SettingRecord[]) => void,
  ): Promise<{ stale: SettingName } | null>
}

/** The settings in force in this process. */
export interface LiveSettings {
  /** One object, always the same, so that who reads it by reference has what holds now. */
  readonly values: SettingValues
  /** What holds without an operator's. */
  readonly usual: Readonly<SettingValues>
  /** Reads what operators have set. Rejects while the database does not answer. */
  load(): Promise<void>
}
