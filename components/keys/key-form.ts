import { type CreateKeyInput, createKeyInput } from '#lib/contracts/keys'
import { parseDecimal } from '#lib/domain/money'

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

type Read<T> = { value: T } | { fault: KeyFault }

/** An amount as people type it (`5`, `0.25`, `1,000.50`, `$5`) in nano-dollars, digit by digit. */
function readAmount(text: string): Read<string | null> {
  const bare = text
    .trim()
    .replace(/^\$\s*/, '')
    .replace(/,(?=\d{3}(\D|$))/g, '')
  if (bare === '') return { value: null }
  const nano = parseDecimal(bare.startsWith('.') ? `0${bare}` : bare)
  return nano === null || nano <= 0n || nano > 1_000_000_000_000_000_000n ? { fault: 'amount' } : { value: nano.toString() }
}

function readRate(text: string): Read<number | null> {
  const bare = text.trim().replaceAll(/[,\s]/g, '')
  if (bare === '') return { value: null }
  return /^[1-9]\d{0,8}$/.test(bare) ? { value: Number(bare) } : { fault: 'rate' }
}

/** The last moment of a day in the reader's own zone. */
function readExpiry(day: string, now: Date): Read<string | null> {
  if (day === '') return { value: null }
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) || end <= now ? { fault: 'expiry' } : { value: end.toISOString() }
}

const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((address) => address !== '')

const faultOf: Partial<Record<KeyField, KeyFault>> = {
  name: 'name',
  groupId: 'group',
  addressAllow: 'address',
  rpm: 'rate',
  tpm: 'rate',
}

export type ReadKeyForm = { input: CreateKeyInput; faults: null } | { input: null; faults: Partial<Record<KeyField, KeyFault>> }

/** Turns what was typed into what the API takes, or says which fields are at fault and how. */
export function readKeyForm(form: KeyForm, now: Date): ReadKeyForm {
  const read = {
    expiresAt: readExpiry(form.expires, now),
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
