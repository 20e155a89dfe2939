import { SETTINGS, type SettingName, type SettingValues } from '#lib/contracts/settings'
import type { LiveSettings, SettingRecord } from './settings-ports.ts'

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

/**
 * The settings in force: `defaults`, overridden by what operators have set. Unusable values are left out and reported to `onInvalid`
 * by name.
 */
export function resolveSettings(
  defaults: SettingValues,
  records: readonly Pick<SettingRecord, 'name' | 'value' | 'set'>[],
  onInvalid: (name: string) => void = () => undefined,
): SettingValues {
  const overrides: Partial<Record<SettingName, unknown>> = {}
  for (const { name, value, set: isSet } of records) {
    if (!isSet) continue
    const parsed = isSettingName(name) ? SETTINGS[name].type.safeParse(value) : null
    if (parsed?.success) overrides[name as SettingName] = parsed.data
    else onInvalid(name)
  }
  return Object.assign({ ...defaults }, overrides)
}

/**
 * Creates the settings of a process: `defaults`, overridden by what operators have set once that has been loaded. Unusable values
 * (from another version of this program, for example) are left out and reported to `onInvalid` by name.
 */
export function createLiveSettings(
  defaults: SettingValues,
  list: () => Promise<SettingRecord[]>,
  onInvalid: (name: string) => void = () => undefined,
): LiveSettings {
  const values: SettingValues = { ...defaults }
  let loading: Promise<void> = Promise.resolve()
  const reload = async () => {
    Object.assign(values, resolveSettings(defaults, await list(), onInvalid))
  }
  return {
    values,
    defaults,
    load() {
      // One after the other: an older reading must not be applied after a newer one.
      loading = loading.catch(() => undefined).then(reload)
      return loading
    },
  }
}
