import { HOUR_MS } from './time-units.ts'
/**
 * Why a payment that the gateway started by itself was not paid: the bank declined it, the card has insufficient funds, the
 * card has expired, its holder has to be present, Stripe no longer has the card, Stripe refuses the request, or the result
 * could not be found out for a day.
 */
export type TopUpFailure = 'declined' | 'funds' | 'expired' | 'authentication' | 'card_gone' | 'refused' | 'unanswered'

/**
 * Why the gateway switched automatic top-up off: the last failure, the card was removed, an automatic payment was refunded, or
 * the holder disputes a payment.
 */
export type OffReason = TopUpFailure | 'card_removed' | 'refunded' | 'disputed'

/** How long to wait after the first failure in a row, and after the second. */
const RETRY_DELAYS_MS = [HOUR_MS, 12 * HOUR_MS]

/** Failures that another try with the same card would only repeat. */
const NON_RETRYABLE: ReadonlySet<TopUpFailure> = new Set(['expired', 'authentication', 'card_gone', 'refused'])

/**
 * What follows a failure after `previousFailures` others in a row: the milliseconds until the next try, or null if automatic top-up is
 * switched off.
 */
export function planRetry(reason: TopUpFailure, previousFailures: number): { failures: number; waitMs: number | null } {
  const failures = previousFailures + 1
  return { failures, waitMs: NON_RETRYABLE.has(reason) ? null : (RETRY_DELAYS_MS[previousFailures] ?? null) }
}

/** How many payments of this amount still fit below a ceiling. */
export const paymentsLeft = (amountNano: bigint, ceilingNano: bigint, usedNano: bigint): bigint =>
  usedNano >= ceilingNano ? 0n : (ceilingNano - usedNano) / amountNano
