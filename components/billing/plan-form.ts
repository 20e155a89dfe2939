import type { AutoTopUpView } from '#lib/contracts/auto-top-up'
import { type Billing, MAX_AMOUNT_NANO } from '#lib/contracts/billing'
import { formatDecimal } from '#lib/domain/money'
import { readAmount } from '../read-amount.ts'
import { type PayableFault, readPayable } from './read-payable.ts'

export type PlanField = 'threshold' | 'amount' | 'ceiling'
/** The typed amounts. */
export type PlanTexts = Record<PlanField, string>
/** The amounts in nano-dollars. */
export type Plan = Record<PlanField, bigint>
export type PlanFault = PayableFault | 'ceiling' | 'most'

const NANO_PER_UNIT = 1_000_000_000n
const DEFAULT_PLAN: Plan = { threshold: 5n * NANO_PER_UNIT, amount: 20n * NANO_PER_UNIT, ceiling: 100n * NANO_PER_UNIT }

type Limits = Pick<Billing, 'minNano' | 'maxNano' | 'stepNano'>

/** The initial values: the current settings, or else a proposal within the payment limits. */
export function initialTexts(settings: AutoTopUpView['settings'], { minNano, maxNano }: Limits): PlanTexts {
  if (settings !== null)
    return {
      threshold: formatDecimal(BigInt(settings.thresholdNano)),
      amount: formatDecimal(BigInt(settings.amountNano)),
      ceiling: formatDecimal(BigInt(settings.ceilingNano)),
    }
  const [min, max] = [BigInt(minNano), BigInt(maxNano)]
  const amount = DEFAULT_PLAN.amount < min ? min : DEFAULT_PLAN.amount > max ? max : DEFAULT_PLAN.amount
  const ceiling = DEFAULT_PLAN.ceiling < amount * 5n ? amount * 5n : DEFAULT_PLAN.ceiling
  return { threshold: formatDecimal(DEFAULT_PLAN.threshold), amount: formatDecimal(amount), ceiling: formatDecimal(ceiling) }
}

function readPositiveAmount(text: string): { nano: bigint } | { fault: 'amount' | 'most' } {
  const read = readAmount(text)
  if ('fault' in read || read.value === null) return { fault: 'amount' }
  const nano = BigInt(read.value)
  return nano > MAX_AMOUNT_NANO ? { fault: 'most' } : { nano }
}

/** Reads the typed amounts: a valid plan, or the error of each field. */
export function readPlan(texts: PlanTexts, limits: Limits): { plan: Plan } | { faults: Partial<Record<PlanField, PlanFault>> } {
  const [threshold, amount, ceiling] = [
    readPositiveAmount(texts.threshold),
    readPayable(texts.amount, limits),
    readPositiveAmount(texts.ceiling),
  ]
  if ('nano' in threshold && 'nano' in amount && 'nano' in ceiling)
    return ceiling.nano < amount.nano
      ? { faults: { ceiling: 'ceiling' } }
      : { plan: { threshold: threshold.nano, amount: amount.nano, ceiling: ceiling.nano } }
  const faults: Partial<Record<PlanField, PlanFault>> = {}
  if ('fault' in threshold) faults.threshold = threshold.fault
  if ('fault' in amount) faults.amount = amount.fault
  if ('fault' in ceiling) faults.ceiling = ceiling.fault
  return { faults }
}

/** Whether a plan equals the current settings. */
export const equalsSettings = (plan: Plan, settings: AutoTopUpView['settings']): boolean =>
  settings !== null &&
  plan.threshold === BigInt(settings.thresholdNano) &&
  plan.amount === BigInt(settings.amountNano) &&
  plan.ceiling === BigInt(settings.ceilingNano)
