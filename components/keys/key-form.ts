import { type CreateKeyInput, createKeyInput, type KeyRow, type UpdateKeyInput } from '#lib/contracts/keys'
import { formatDecimal } from '#lib/domain/money'
import { readAmount, withoutGroups } from '../read-amount.ts'

/** What stands in the fields of the form, as it was typed. */
export interface KeyForm {
  name: string
  groupId: string
  /** A day as a date field gives it, `YYYY-MM-DD`. */
  expires: string
  limitTotal: string
  limitMonth: string
  models: string[]
  addresses: string
  rpm: string
  tpm: string
  history: boolean
}

/** The form's fields that can be wrong, under the names the contract has for them. */
export type KeyField = keyof CreateKeyInput
/** What is wrong with a field: the name of a text. */
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

/** A moment's day in the reader's own zone, as a date field takes it. */
function localDay(iso: string): string {
  const at = new Date(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

const amountOf = (nano: string | null): string => (nano === null ? '' : formatDecimal(BigInt(nano)))

/** The form of a key that exists. */
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

/** What of a key's settings the form changes. */
export function changesOf(key: KeyRow, input: CreateKeyInput): Omit<UpdateKeyInput, 'id'> {
  const { groupId: _, ...settings } = input
  const changed = Object.entries(settings).filter(([name, value]) => {
    const before = key[name as keyof typeof settings]
    // A day stands for its last moment; the key may have been given another one of it.
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

/** The last moment of a day in the reader's own zone. One that has passed may only stay as it was. */
function readExpiry(day: string, now: Date, before: string | undefined): Read<string | null> {
  if (day === '') return { value: null }
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) || (end <= now && day !== before) ? { fault: 'expiry' } : { value: end.toISOString() }
}

/** The models that can be ticked: the group's, and those that were chosen before they left it, which can be unticked. */
export const modelChoices = (ofGroup: readonly string[], chosen: readonly string[]): string[] => [
  ...new Set([...ofGroup, ...chosen]),
]

const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((address) => address !== '')

const faultOf: Partial<Record<KeyField, KeyFault>> = {
  name: 'name',
  groupId: 'group',
  addressAllow: 'address',
  rpm: 'rate',
  tpm: 'rate',
}

export type ReadKeyForm = { input: CreateKeyInput; faults: null } | { input: null; faults: Partial<Record<KeyField, KeyFault>> }

/**
 * Turns what was typed into what the API takes, or says which fields are at fault and how. `expiresBefore` is the day that
 * stood there at first.
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
    faults[field] ??= faultOf[field] ?? 'amount'
  }
  if (parsed.success && Object.keys(faults).length === 0) return { input: parsed.data, faults: null }
  return { input: null, faults }
}
