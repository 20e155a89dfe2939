import { type AlertRule, alertRuleInput } from '#lib/contracts/operator-alerts'
import { formatDecimal, parseDecimal } from '#lib/domain/money'
import { withoutGroups } from '../../read-amount.ts'
import { contractFaults } from '../contract-faults.ts'

/** The fields of a rule's form, as typed. */
export interface AlertForm {
  kind: AlertRule['kind']
  scope: AlertRule['scope']
  /** The name of a model. Empty for any. */
  modelId: string
  /** Empty for any. */
  connectionId: string
  percent: string
  minutes: string
  leastRequests: string
  below: string
  quietMinutes: string
  emails: string
  webhooks: boolean
  enabled: boolean
}

/** The form of a new rule, with common defaults. */
export const newAlertForm = (email: string): AlertForm => ({
  kind: 'breaker',
  scope: 'all',
  modelId: '',
  connectionId: '',
  percent: '5',
  minutes: '5',
  leastRequests: '20',
  below: '10',
  quietMinutes: '15',
  emails: email,
  webhooks: false,
  enabled: true,
})

/** The form of an existing rule. */
export const alertFormOf = (rule: AlertRule): AlertForm => ({
  ...newAlertForm(''),
  kind: rule.kind,
  scope: rule.kind === 'errors' ? rule.scope : 'all',
  modelId: rule.scope === 'model' ? (rule.scopeId ?? '') : '',
  connectionId: rule.scope === 'connection' ? (rule.scopeId ?? '') : '',
  ...(rule.percent === null ? {} : { percent: String(rule.percent) }),
  ...(rule.minutes === null ? {} : { minutes: String(rule.minutes) }),
  ...(rule.leastRequests === null ? {} : { leastRequests: String(rule.leastRequests) }),
  ...(rule.belowNano === null ? {} : { below: formatDecimal(BigInt(rule.belowNano)) }),
  quietMinutes: String(rule.quietMinutes),
  emails: rule.emails.join(', '),
  webhooks: rule.webhooks,
  enabled: rule.enabled,
})

export type AlertFault = 'percent' | 'minutes' | 'count' | 'amount' | 'quiet' | 'told' | 'emails' | 'model'

/** What the contract alone finds. Everything else is found while it is read. */
const FAULT_BY_FIELD = { emails: 'emails', modelId: 'model', scopeId: 'model' } as const

type Read = { values: Record<string, unknown>; faults: null } | { values: null; faults: Record<string, AlertFault> }

const parseInteger = (text: string, min: number, max: number): number | null => {
  const bare = withoutGroups(text)
  const value = /^\d{1,9}$/.test(bare) ? Number(bare) : Number.NaN
  return value >= min && value <= max ? value : null
}

/** The API values of the fields, or all invalid fields. */
export function readAlertForm(form: AlertForm): Read {
  const faults: Record<string, AlertFault> = {}
  const orFault = <T>(field: string, fault: AlertFault, value: T | null): T | null => {
    if (value === null) faults[field] = fault
    return value
  }
  const emails = form.emails.split(/[\s,;]+/).filter((text) => text !== '')
  if (emails.length === 0 && !form.webhooks) faults.emails = 'told'
  const quietMinutes = orFault('quietMinutes', 'quiet', parseInteger(form.quietMinutes, 1, 1440))
  const delivery = { emails, webhooks: form.webhooks, enabled: form.enabled, quietMinutes }
  const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim())
  let condition: Record<string, unknown>
  if (form.kind === 'breaker') condition = { modelId: textOrNull(form.modelId) }
  else if (form.kind === 'errors') {
    const percent = /^\d{1,3}(\.\d{1,2})?$/.test(form.percent.trim()) ? Number(form.percent) : 0
    condition = {
      scope: form.scope,
      scopeId: form.scope === 'all' ? null : textOrNull(form.scope === 'model' ? form.modelId : form.connectionId),
      percent: orFault('percent', 'percent', percent > 0 && percent < 100 ? percent : null),
      minutes: orFault('minutes', 'minutes', parseInteger(form.minutes, 1, 60)),
      leastRequests: orFault('leastRequests', 'count', parseInteger(form.leastRequests, 1, 1_000_000_000)),
    }
  } else {
    const below = parseDecimal(withoutGroups(form.below.trim().replace(/^\$/, '')))
    condition = {
      connectionId: textOrNull(form.connectionId),
      belowNano: orFault('belowNano', 'amount', below !== null && below >= 0n && below < 10n ** 17n ? String(below) : null),
    }
  }
  const values = { kind: form.kind, ...condition, ...delivery }
  const allFaults = { ...contractFaults(alertRuleInput, values, FAULT_BY_FIELD), ...faults }
  return Object.keys(allFaults).length > 0 ? { values: null, faults: allFaults } : { values, faults: null }
}
