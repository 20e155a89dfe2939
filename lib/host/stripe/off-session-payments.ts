import type StripeClient from 'stripe'
import type { AutoPayment, PayOutcome, StripeCards } from '../../services/billing/card-ports.ts'
import { failureOf } from '../../services/billing/stripe-failure.ts'
import { ACCOUNT_METADATA_KEY, PAYMENT_METADATA_KEY } from '../../services/billing/stripe-metadata.ts'
import { failureIn, fallbackIfMissing, isMissing, type StripeCaller } from './client.ts'

const HOUR_S = 3600
const MAX_INTENTS = 100

const intentParamsOf = (payment: AutoPayment): StripeClient.PaymentIntentCreateParams => ({
  amount: Number(payment.amountMinor),
  currency: payment.currency,
  customer: payment.customerId,
  payment_method: payment.methodId,
  // No person is present to be redirected, so no return address is needed.
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  confirm: true,
  off_session: true,
  description: 'Tollgate credit, automatic top-up',
  metadata: { [PAYMENT_METADATA_KEY]: payment.id, [ACCOUNT_METADATA_KEY]: payment.accountId },
})

/** The outcome of an intent. One that waits for a person would wait forever, because nobody is present. */
function outcomeOf(intent: StripeClient.PaymentIntent): PayOutcome {
  switch (intent.status) {
    case 'succeeded':
    case 'processing':
      return { outcome: 'taken', intentId: intent.id }
    case 'requires_action':
      return { outcome: 'failed', intentId: intent.id, reason: 'authentication' }
    case 'requires_payment_method':
    case 'canceled':
      return { outcome: 'failed', intentId: intent.id, reason: failureOf(intent.last_payment_error) }
    default:
      return { outcome: 'unknown' }
  }
}

/** What a refused payment means. Whatever is uncertain is `unknown` and is asked about again. */
function refusalOf(error: unknown): PayOutcome {
  const failure = failureIn(error)
  const intentId = failure.payment_intent?.id ?? null
  if (failure.type === 'StripeCardError') return { outcome: 'failed', intentId, reason: failureOf(failure) }
  if (failure.type !== 'StripeInvalidRequestError' || failure.statusCode === 409) return { outcome: 'unknown' }
  if (isMissing(error)) return { outcome: 'failed', intentId, reason: 'card_gone' }
  const reason = failureOf(failure)
  return { outcome: 'failed', intentId, reason: reason === 'declined' ? 'refused' : reason }
}

/** Payments with saved cards while their holders are away. */
export function createOffSessionPayments({
  ask,
  raw,
  warn,
}: StripeCaller): Pick<StripeCards, 'payOffSession' | 'findOffSessionPayment'> {
  return {
    async payOffSession(payment) {
      try {
        return outcomeOf(
          await raw(({ paymentIntents }) => paymentIntents.create(intentParamsOf(payment), { idempotencyKey: payment.id })),
        )
      } catch (error) {
        const outcome = refusalOf(error)
        if (outcome.outcome === 'unknown') warn(error, 'the outcome of an automatic payment is not known yet')
        return outcome
      }
    },
    findOffSessionPayment({ id, customerId, createdAt }) {
      const gte = Math.floor(createdAt.getTime() / 1000) - HOUR_S
      const request = ask(async ({ paymentIntents }) => {
        const { data } = await paymentIntents.list({ customer: customerId, created: { gte }, limit: MAX_INTENTS })
        const intent = data.find(({ metadata }) => metadata[PAYMENT_METADATA_KEY] === id)
        return intent ? outcomeOf(intent) : null
      })
      return fallbackIfMissing<PayOutcome | null, PayOutcome>(request, { outcome: 'failed', intentId: null, reason: 'card_gone' })
    },
  }
}
