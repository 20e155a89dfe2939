import { SETTINGS, type SettingName, type SettingValues } from '#lib/contracts/settings'
import type { LiveSettings, SettingRecord } from './settings-ports.ts'

const isName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

/**
 * The settings in force: `usual`, overridden by what operators have set. Unusable values are left out and reported to `unusable`
 * by name.
 */
export function inForce(
  usual: SettingValues,
  records: readonly Pick<SettingRecord, 'name' | 'value' | 'set'>[],
  unusable: (name: string) => void = () => undefined,
): SettingValues {
  const set: Partial<Record<SettingName, unknown>> = {}
  for (const { name, value, set: isSet } of records) {
    if (!isSet) continue
    const parsed = isName(name) ? SETTINGS[name].type.safeParse(value) : null
    if (parsed?.success) set[name as SettingName] = parsed.data
    else unusable(name)
  }
  return Object.assign({ ...usual }, set)
}

/**
 * Creates the settings of a process: `usual`, overridden by what operators have set once that has been loaded. Unusable values
 * (from another version of this program, for example) are left out and reported to `unusable` by name.
 */
export function createLiveSettings(
  usual: SettingValues,
  list: () => Promise<SettingRecord[]>,
  unusable: (name: string) => void = () => undefined,
): LiveSettings {
  const values: SettingValues = { ...usual }
  let loading: Promise<void> = Promise.resolve()
  const read = async () => {
    Object.assign(values, inForce(usual, await list(), unusable))
  }
  return {
    values,
    usual,
    load() {
      // One after the other: an older reading must not be applied after a newer one.
      loading = loading.catch(() => undefined).then(read)
      return loading
    },
  }
}
