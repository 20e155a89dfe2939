/**
 * Why a payment that the gateway made by itself was not paid: the bank declined it, there is too little on the card, the
 * card has run out, its holder must be there, Stripe has it no longer, Stripe refuses the request, or nobody could find
 * out for a day.
 */
export type TopUpFailure = 'declined' | 'funds' | 'expired' | 'authentication' | 'card_gone' | 'refused' | 'unanswered'

/**
 * Why automatic top-up was switched off by the gateway: the last failure, that the card was removed, that an automatic
 * payment was given back, or that its holder disputes a payment.
 */
export type OffReason = TopUpFailure | 'card_removed' | 'refunded' | 'disputed'

const HOUR_MS = 3_600_000

/** How long is waited after the first failure in a row, and after the second. */
const PAUSES_MS = [HOUR_MS, 12 * HOUR_MS]

/** Trying again with the same card would come to the same. */
const FINAL: ReadonlySet<TopUpFailure> = new Set(['expired', 'authentication', 'card_gone', 'refused'])

/**
 * What follows from a failure after `before` others in a row: when it is tried again, in milliseconds from now, or null
 * where automatic top-up is switched off.
 */
export function afterFailure(reason: TopUpFailure, before: number): { failures: number; waitMs: number | null } {
  const failures = before + 1
  return { failures, waitMs: FINAL.has(reason) ? null : (PAUSES_MS[before] ?? null) }
}

/** How often amounts of this size can still be paid below a ceiling. */
export const paymentsLeft = (amountNano: bigint, ceilingNano: bigint, usedNano: bigint): bigint =>
  usedNano >= ceilingNano ? 0n : (ceilingNano - usedNano) / amountNano
