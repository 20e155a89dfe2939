import type { PlainMessage } from '../../messages/message.ts'
import { invalidField, ServiceError } from '../service-error.ts'

/**
 * Why Stripe did not do what it was asked: the amount is outside of what it accepts, it does not allow this gateway's requests
 * (such as with a revoked key), or it cannot be reached or fails.
 */
export type StripeProblem = 'amount_too_small' | 'amount_too_large' | 'refused' | 'unreachable'

const MESSAGES = {
  amount_too_small: 'This amount is below what Stripe accepts. Enter more.',
  amount_too_large: 'This amount is above what Stripe accepts. Enter less.',
  refused: 'Payments are not available, because Stripe refuses them. Nothing was paid. Tell the operator of this gateway.',
  unreachable: 'Stripe cannot be reached right now. Nothing was paid. Try again in a minute.',
} as const satisfies Record<StripeProblem, PlainMessage>

/** The error for a holder: `invalid_input` (amountNano) for an amount, else `unavailable`. */
export function createStripeError(problem: StripeProblem): ServiceError {
  const isAmount = problem === 'amount_too_small' || problem === 'amount_too_large'
  const error = isAmount ? invalidField('amountNano', MESSAGES[problem]) : new ServiceError('unavailable', MESSAGES[problem])
  return Object.assign(error, { stripeProblem: problem })
}

/** The problem that an error of createStripeError() is about; null for any other error. */
export const stripeProblemIn = (error: unknown): StripeProblem | null =>
  (error as { stripeProblem?: StripeProblem } | null)?.stripeProblem ?? null
