import type { DeploymentRow } from '#lib/contracts/operator'
import { withoutGroups } from '../../read-amount.ts'

/** What a deployment may take; without a number there is no limit. */
export const DEPLOYMENT_LIMITS = ['concurrency', 'requestsPerMinute', 'tokensPerMinute'] as const
export const DEPLOYMENT_NUMBERS = ['weight', 'priority', ...DEPLOYMENT_LIMITS] as const

type NumberName = (typeof DEPLOYMENT_NUMBERS)[number]
/** What stands in the fields of a deployment's form, as it was typed. */
export type DeploymentNumbers = Record<NumberName, string>

/** The fields of a deployment; null for those of a new one. */
export function deploymentNumbers(row: Pick<DeploymentRow, NumberName> | null): DeploymentNumbers {
  const typed = (value: number | null) => (value === null ? '' : String(value))
  return {
    weight: String(row?.weight ?? 1),
    priority: String(row?.priority ?? 0),
    concurrency: typed(row?.concurrency ?? null),
    requestsPerMinute: typed(row?.requestsPerMinute ?? null),
    tokensPerMinute: typed(row?.tokensPerMinute ?? null),
  }
}

type DeploymentFault = 'whole' | 'rate'
type Read =
  | { values: Record<NumberName, number | null>; faults: null }
  | { values: null; faults: Partial<Record<NumberName, DeploymentFault>> }

const isLimit = (name: NumberName): boolean => DEPLOYMENT_LIMITS.some((limit) => limit === name)

/** What the API takes of the fields, or which of them are at fault. What is too large it says itself. */
export function readDeploymentNumbers(numbers: DeploymentNumbers): Read {
  const faults: Partial<Record<NumberName, DeploymentFault>> = {}
  const read = (name: NumberName): number | null => {
    const text = withoutGroups(numbers[name])
    if (isLimit(name) && text === '') return null
    if (!(isLimit(name) ? /^[1-9]\d{0,9}$/ : /^-?\d{1,7}$/).test(text)) faults[name] = isLimit(name) ? 'rate' : 'whole'
    return Number(text)
  }
  const values = Object.fromEntries(DEPLOYMENT_NUMBERS.map((name) => [name, read(name)])) as Record<NumberName, number | null>
  return Object.keys(faults).length > 0 ? { values: null, faults } : { values, faults: null }
}
