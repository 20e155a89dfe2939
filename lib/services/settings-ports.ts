/** The interfaces that settings need. */
import type { SettingName, SettingValues } from '#lib/contracts/settings'
import type { Actor } from './operator/operator-ports.ts'

/** A setting changed by an operator. `value` is JSON. `set` is false if the environment's value applies again. */
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
  /** 0 if nobody has ever set it. */
  version: number
  /** Absent if the environment's value is to apply again. */
  to?: { value: unknown }
  /** The value before, and the value without an operator's setting, for the log. */
  before: unknown
  usual: unknown
}

export interface SettingStore {
  list(): Promise<SettingRecord[]>
  /**
   * Writes all changes with their lines in the log and notifies every process. Writes nothing if somebody else changed the
   * returned setting first, or if `check` throws. `check` gets all settings as they are after the changes, while nobody else can
   * change any.
   */
  write(
    actor: Actor,
    changes: readonly SettingChange[],
    check?: (after: readonly SettingRecord[]) => void,
  ): Promise<{ stale: SettingName } | null>
}

/** The settings in force in this process. */
export interface LiveSettings {
  /** Always the same object, so that code holding a reference to it sees the current values. */
  readonly values: SettingValues
  /** The values without operators' settings. */
  readonly defaults: Readonly<SettingValues>
  /** Reads what operators have set. Rejects while the database is unreachable. */
  load(): Promise<void>
}
