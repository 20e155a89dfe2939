import { SETTINGS, type SettingName, type SettingValues } from '#lib/contracts/settings'
import type { LiveSettings, SettingRecord } from './settings-ports.ts'

const isName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

/** What holds: `usual`, and over it what operators have set. What cannot be used is left out, and `unusable` hears its name. */
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
 * The settings of a process: `usual`, and over them what operators have set, once it was loaded. What cannot be used (of
 * another version of this program, say) is left out, and `unusable` hears its name.
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
      // One after the other: an older reading may not come after a newer one.
      loading = loading.catch(() => undefined).then(read)
      return loading
    },
  }
}
