import { type CreateKeyInput, createKeyInput, type KeyRow, type UpdateKeyInput } from '#lib/contracts/keys'
import { formatDecimal } from '#lib/domain/money'
import { readAmount, withoutGroups } from '../read-amount.ts'

/** The fields of the form, as typed. */
export interface KeyForm {
  name: string
  groupId: string
  /** A day in the format of a date input, `YYYY-MM-DD`. */
  expires: string
  limitTotal: string
  limitMonth: string
  models: string[]
  addresses: string
  rpm: string
  tpm: string
  history: boolean
}

/** The form fields that can be invalid, by their names in the contract. */
export type KeyField = keyof CreateKeyInput
/** Why a field is invalid: the name of a text. */
export type KeyFault = 'name' | 'group' | 'expiry' | 'amount' | 'address' | 'rate'

export const emptyKeyForm = (groupId: string): KeyForm => ({
  name: '',
  groupId,
  expires: '',
  limitTotal: '',
  limitMonth: '',
  models: [],
  addresses: '',
  rpm: '',
  tpm: '',
  history: true,
})

/** The day of a time in the reader's time zone, in the format of a date input. */
function localDay(iso: string): string {
  const at = new Date(iso)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

const amountOf = (nano: string | null): string => (nano === null ? '' : formatDecimal(BigInt(nano)))

/** The form of an existing key. */
export const formOfKey = (key: KeyRow): KeyForm => ({
  name: key.name,
  groupId: key.groupId,
  expires: key.expiresAt === null ? '' : localDay(key.expiresAt),
  limitTotal: amountOf(key.limitTotalNano),
  limitMonth: amountOf(key.limitMonthNano),
  models: key.modelAllow,
  addresses: key.addressAllow.join('\n'),
  rpm: key.rpm === null ? '' : String(key.rpm),
  tpm: key.tpm === null ? '' : String(key.tpm),
  history: key.historyEnabled,
})

/** The settings of a key that the form changes. */
export function changesOf(key: KeyRow, input: CreateKeyInput): Omit<UpdateKeyInput, 'id'> {
  const { groupId: _, ...settings } = input
  const changed = Object.entries(settings).filter(([name, value]) => {
    const before = key[name as keyof typeof settings]
    // A day means its last moment. The key may have been given a different time on the same day, which then stays.
    if (name === 'expiresAt' && value !== null && before !== null) return localDay(String(value)) !== localDay(String(before))
    return JSON.stringify(value) !== JSON.stringify(before)
  })
  return Object.fromEntries(changed)
}

type Read<T> = { value: T } | { fault: KeyFault }

function readRate(text: string): Read<number | null> {
  const bare = withoutGroups(text.replaceAll(/\s/g, ''))
  if (bare === '') return { value: null }
  return /^[1-9]\d{0,8}$/.test(bare) ? { value: Number(bare) } : { fault: 'rate' }
}

/** The last moment of a day in the reader's time zone. A past day is only valid if it is unchanged. */
function readExpiry(day: string, now: Date, before: string | undefined): Read<string | null> {
  if (day === '') return { value: null }
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) || (end <= now && day !== before) ? { fault: 'expiry' } : { value: end.toISOString() }
}

/** The models that can be selected: those of the group, and selected ones that have left it, which can be deselected. */
export const modelChoices = (ofGroup: readonly string[], chosen: readonly string[]): string[] => [
  ...new Set([...ofGroup, ...chosen]),
]

const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((address) => address !== '')

const FAULT_BY_FIELD: Partial<Record<KeyField, KeyFault>> = {
  name: 'name',
  groupId: 'group',
  addressAllow: 'address',
  rpm: 'rate',
  tpm: 'rate',
}

export type ReadKeyForm = { input: CreateKeyInput; faults: null } | { input: null; faults: Partial<Record<KeyField, KeyFault>> }

/**
 * Converts the typed fields to the API's input, or says which are invalid and why. `expiresBefore` is the day that the form
 * started with.
 */
export function readKeyForm(form: KeyForm, now: Date, expiresBefore?: string): ReadKeyForm {
  const read = {
    expiresAt: readExpiry(form.expires, now, expiresBefore),
    limitTotalNano: readAmount(form.limitTotal),
    limitMonthNano: readAmount(form.limitMonth),
    rpm: readRate(form.rpm),
    tpm: readRate(form.tpm),
  }
  const faults: Partial<Record<KeyField, KeyFault>> = {}
  const values: Record<string, unknown> = {
    name: form.name,
    groupId: form.groupId,
    modelAllow: form.models,
    addressAllow: addressesOf(form.addresses),
    historyEnabled: form.history,
  }
  for (const [field, result] of Object.entries(read)) {
    if ('fault' in result) faults[field as KeyField] = result.fault
    else values[field] = result.value
  }
  const parsed = createKeyInput.safeParse(values)
  for (const issue of parsed.error?.issues ?? []) {
    const field = issue.path[0] as KeyField
    faults[field] ??= FAULT_BY_FIELD[field] ?? 'amount'
  }
  if (parsed.success && Object.keys(faults).length === 0) return { input: parsed.data, faults: null }
  return { input: null, faults }
}
