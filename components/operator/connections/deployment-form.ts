import type { DeploymentRow } from '#lib/contracts/operator'
import { withoutGroups } from '../../read-amount.ts'

/** The limits of a deployment. An empty one means no limit. */
export const DEPLOYMENT_LIMITS = ['concurrency', 'requestsPerMinute', 'tokensPerMinute'] as const
export const DEPLOYMENT_NUMBERS = ['weight', 'priority', ...DEPLOYMENT_LIMITS] as const

type NumberName = (typeof DEPLOYMENT_NUMBERS)[number]
/** The number fields of a deployment's form, as typed. */
export type DeploymentNumbers = Record<NumberName, string>

/** The form values of a deployment. Null gives those of a new one. */
export function deploymentNumbers(row: Pick<DeploymentRow, NumberName> | null): DeploymentNumbers {
  const toText = (value: number | null) => (value === null ? '' : String(value))
  return {
    weight: String(row?.weight ?? 1),
    priority: String(row?.priority ?? 0),
    concurrency: toText(row?.concurrency ?? null),
    requestsPerMinute: toText(row?.requestsPerMinute ?? null),
    tokensPerMinute: toText(row?.tokensPerMinute ?? null),
  }
}

type DeploymentFault = 'whole' | 'rate'
type Read =
  | { values: Record<NumberName, number | null>; faults: null }
  | { values: null; faults: Partial<Record<NumberName, DeploymentFault>> }

const isLimit = (name: NumberName): boolean => DEPLOYMENT_LIMITS.some((limit) => limit === name)

/** The API values of the fields, or the invalid fields. The API itself rejects numbers that are too large. */
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
