import { MAX_MODELS } from '#lib/contracts/history'
import { formatDecimal } from '#lib/domain/money'
import { readAmount, withoutGroups } from '../read-amount.ts'
import type { Filters } from './filter-params.ts'

/** The fields of the filter dialog, as typed. Times are in the reader's time zone. */
export interface FilterForm {
  models: string[]
  endpoint: string
  stream: string
  code: string
  cost: string
  /** In seconds. */
  took: string
  from: string
  to: string
}
export type FilterFault = 'amount' | 'seconds' | 'order' | 'models'

const pad = (value: number): string => String(value).padStart(2, '0')

/** A time in the format of a `datetime-local` input: `2026-11-20T15:20`. */
export function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

// The input does not show seconds. An unchanged field keeps them.
const fromLocalInput = (text: string, current: string | undefined): string | undefined =>
  text === '' ? undefined : text === toLocalInput(current) ? current : new Date(text).toISOString()

/** The form's initial values for a set of filters. */
export function filterFormOf(filters: Filters): FilterForm {
  return {
    models: (filters.model ?? '').split(',').filter((model) => model !== ''),
    endpoint: filters.endpoint ?? '',
    stream: filters.stream ?? '',
    code: filters.code ?? '',
    cost: filters.cost ?? '',
    took: filters.took === undefined ? '' : String(Number(filters.took) / 1000),
    from: toLocalInput(filters.from),
    to: toLocalInput(filters.to),
  }
}

/** The filters of a form, which keep those that the form does not have; or which of its fields are invalid. */
export function readFilterForm(
  form: FilterForm,
  current: Filters,
): { filters: Filters } | { faults: Partial<Record<keyof FilterForm, FilterFault>> } {
  const faults: Partial<Record<keyof FilterForm, FilterFault>> = {}
  if (form.models.length > MAX_MODELS) faults.models = 'models'
  const amount = readAmount(form.cost)
  if ('fault' in amount) faults.cost = 'amount'
  const seconds = form.took.trim() === '' ? null : Number(withoutGroups(form.took))
  if (seconds !== null && !(seconds >= 0 && seconds < 1_000_000)) faults.took = 'seconds'
  const [from, to] = [fromLocalInput(form.from, current.from), fromLocalInput(form.to, current.to)]
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) faults.to = 'order'
  if (Object.keys(faults).length > 0) return { faults }
  const values = {
    model: form.models.join(','),
    endpoint: form.endpoint,
    stream: form.stream,
    code: form.code.trim(),
    cost: 'value' in amount && amount.value !== null ? formatDecimal(BigInt(amount.value)) : '',
    took: seconds === null ? '' : String(Math.round(seconds * 1000)),
    from: from ?? '',
    to: to ?? '',
    // Start and end times replace a range.
    range: from === undefined && to === undefined ? (current.range ?? '') : '',
  }
  const nonEmpty = Object.entries({ ...current, ...values }).filter(([, value]) => value !== '')
  return { filters: Object.fromEntries(nonEmpty) as Filters }
}
