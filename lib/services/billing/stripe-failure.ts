import type { TopUpFailure } from '../../domain/auto-top-up.ts'

const INSUFFICIENT_FUNDS_CODES = new Set(['insufficient_funds', 'withdrawal_count_limit_exceeded', 'card_velocity_exceeded'])
const EXPIRED_CODES = new Set(['expired_card', 'expired_payment_method'])
const UNUSABLE_CARD_CODES = new Set([
  'payment_method_unexpected_state',
  'payment_method_invalid_parameter',
  'payment_method_customer_decline',
])

/** Maps Stripe's reason why a card was not charged to ours (https://docs.stripe.com/declines/codes). */
export function failureOf(
  error: { code?: string | null | undefined; decline_code?: string | null | undefined } | null | undefined,
): TopUpFailure {
  const [code, decline] = [error?.code ?? '', error?.decline_code ?? '']
  if (code === 'authentication_required' || decline === 'authentication_required') return 'authentication'
  if (code === 'payment_intent_authentication_failure') return 'authentication'
  if (EXPIRED_CODES.has(code) || decline === 'expired_card') return 'expired'
  if (INSUFFICIENT_FUNDS_CODES.has(decline)) return 'funds'
  return UNUSABLE_CARD_CODES.has(code) ? 'card_gone' : 'declined'
}
