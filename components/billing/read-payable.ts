import type { Billing } from '#lib/contracts/billing'
import { readAmount } from '../read-amount.ts'

export type PayableFault = 'amount' | 'range' | 'step'

/** Converts typed text to nano-dollars that can be paid, or says what is wrong with it. */
export function readPayable(
  text: string,
  { minNano, maxNano, stepNano }: Pick<Billing, 'minNano' | 'maxNano' | 'stepNano'>,
): { nano: bigint } | { fault: PayableFault } {
  const read = readAmount(text)
  if ('fault' in read || read.value === null) return { fault: 'amount' }
  const nano = BigInt(read.value)
  if (nano < BigInt(minNano) || nano > BigInt(maxNano)) return { fault: 'range' }
  return nano % BigInt(stepNano) === 0n ? { nano } : { fault: 'step' }
}
