import { SETTINGS, type SettingArea, type SettingName, type SettingRow, settingNames } from '#lib/contracts/settings'
import { withoutGroups } from '../../read-amount.ts'

/** Settings that are form fields. The switch and the notice have their own cards. */
export type FieldName = {
  [Name in SettingName]: (typeof SETTINGS)[Name]['kind'] extends 'switch' | 'notice' ? never : Name
}[SettingName]
export type FieldArea = Exclude<SettingArea, 'house'>

export const areas = ['accounts', 'payments', 'limits', 'calls'] as const satisfies readonly FieldArea[]

export const fieldsOf = (area: FieldArea): FieldName[] =>
  settingNames.filter((name) => SETTINGS[name].area === area) as FieldName[]

/** The field text of a value. Durations are in seconds. */
export const textOf = (name: FieldName, value: SettingRow['value']): string =>
  SETTINGS[name].kind === 'span' ? String(Number(value) / 1000) : String(value)

/** The texts that differ from the current values, each with the version of its setting when the edit began. */
export type SettingEdits = Partial<Record<FieldName, { text: string; version: number }>>

/** The typed texts after one more edit. A text that equals the current value is removed. */
export function withEdit(
  edits: SettingEdits,
  name: FieldName,
  row: Pick<SettingRow, 'value' | 'version'>,
  text: string,
): SettingEdits {
  const { [name]: before, ...others } = edits
  return text === textOf(name, row.value) ? others : { ...others, [name]: { text, version: before?.version ?? row.version } }
}

type Fault = 'whole' | 'seconds' | 'amount' | 'bounds'

const INTEGER_PATTERN = /^\d{1,12}$/
const SECONDS_PATTERN = /^\d{1,6}(\.\d{1,3})?$/

/** Reads the typed text as the API expects it. */
export function readField(name: FieldName, text: string): { value: string | number } | { fault: Fault } {
  const setting = SETTINGS[name]
  const typed = withoutGroups(text)
  if (setting.kind === 'choice') return { value: typed }
  if (setting.kind === 'amount') return setting.type.safeParse(typed).success ? { value: typed } : { fault: 'amount' }
  const seconds = setting.kind === 'span'
  if (!(seconds ? SECONDS_PATTERN : INTEGER_PATTERN).test(typed)) return { fault: seconds ? 'seconds' : 'whole' }
  const value = seconds ? Math.round(Number(typed) * 1000) : Number(typed)
  return value < setting.least || value > setting.most ? { fault: 'bounds' } : { value }
}

/** The smallest and the largest value of a field, in its typed unit. Null if it has no bounds. */
export function boundsOf(name: FieldName): { least: number; most: number } | null {
  const setting = SETTINGS[name]
  if (setting.kind !== 'whole' && setting.kind !== 'span') return null
  const unit = setting.kind === 'span' ? 1000 : 1
  return { least: setting.least / unit, most: setting.most / unit }
}
