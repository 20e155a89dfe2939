import type { OperatorGroupRow } from '#lib/contracts/operator-groups'
import { formatFactor } from '#lib/domain/format-money'
import { withoutGroups } from '../../read-amount.ts'

/** The fields of a group's form, as typed. */
export interface GroupForm {
  name: string
  description: string
  /** A factor on every price, such as 1.2. */
  multiplier: string
  rpm: string
  tpm: string
  open: boolean
}

export const newGroupForm: GroupForm = { name: '', description: '', multiplier: '1', rpm: '', tpm: '', open: true }

export const groupFormOf = (row: OperatorGroupRow): GroupForm => ({
  name: row.name,
  description: row.description,
  multiplier: formatFactor(row.multiplierBp),
  rpm: row.rpm === null ? '' : String(row.rpm),
  tpm: row.tpm === null ? '' : String(row.tpm),
  open: row.open,
})

export type GroupFault = 'factor' | 'rate'

/** Converts a factor with up to four decimals exactly to basis points. Null if it is invalid. */
export function readFactor(text: string): number | null {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text.trim().replace(/^×\s*/, '')) ?? []
  if (whole === '') return null
  const basisPoints = Number(whole) * 10_000 + Number(fraction.padEnd(4, '0'))
  return basisPoints <= 1_000_000 ? basisPoints : null
}

type Values = Record<string, unknown> & { multiplierBp: number }
type Read = { values: Values; faults: null } | { values: null; faults: Record<string, GroupFault> }

/** The API values of the fields, or the invalid fields. */
export function readGroupForm(form: GroupForm): Read {
  const faults: Record<string, GroupFault> = {}
  const rate = (name: 'rpm' | 'tpm') => {
    const bare = withoutGroups(form[name].replaceAll(/\s/g, ''))
    if (bare === '') return null
    if (!/^[1-9]\d{0,8}$/.test(bare)) faults[name] = 'rate'
    return Number(bare)
  }
  const multiplierBp = readFactor(form.multiplier)
  if (multiplierBp === null) faults.multiplierBp = 'factor'
  const { open } = form
  const values = {
    name: form.name.trim(),
    description: form.description.trim(),
    multiplierBp: multiplierBp ?? 0,
    rpm: rate('rpm'),
    tpm: rate('tpm'),
    open,
  }
  return Object.keys(faults).length > 0 ? { values: null, faults } : { values, faults: null }
}
