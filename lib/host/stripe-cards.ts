import { createHash } from 'node:crypto'
import type StripeClient from 'stripe'
import type { AutoPayment, CardPageRequest, CardSource, PayOutcome, StripeCards } from '../services/billing/card-ports.ts'
import { readCard } from '../services/billing/stripe-card-changes.ts'
import { failureOf } from '../services/billing/stripe-failure.ts'
import { ACCOUNT_MARK, PAYMENT_MARK, SAVE_MARK } from '../services/billing/stripe-marks.ts'

/** Asks Stripe: `ask` makes a ServiceError `unavailable` of what fails, but for what Stripe has not. `raw` makes nothing of it. */
export interface Asking {
  ask<T>(call: (stripe: StripeClient) => Promise<T>): Promise<T>
  raw<T>(call: (stripe: StripeClient) => Promise<T>): Promise<T>
  /** Tells the log of an error, without Stripe's text. */
  warn(error: unknown, message: string): void
}

const HOUR_S = 3600
const MOST_INTENTS = 100

interface Failure {
  type?: string
  code?: string
  param?: string
  decline_code?: string
  statusCode?: number
  payment_intent?: { id?: string }
}

/** Stripe has not, or no longer, what is asked about. */
export const isMissing = (error: unknown, ...params: string[]): boolean => {
  const { code, param } = (error ?? {}) as Failure
  return code === 'resource_missing' && (params.length === 0 || params.includes(param ?? ''))
}

/** What an idempotency key says of what is asked with it. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** A new customer for an account. The same account asked again is the same customer, unless that one is gone or its address changed. */
export const makeCustomer = (
  { ask }: Asking,
  { accountId, email, gone }: { accountId: string; email: string; gone: string | null },
): Promise<string> =>
  ask(async ({ customers }) => {
    const idempotencyKey = `customer-${accountId}-${digestOf(email)}${gone === null ? '' : `-after-${gone}`}`
    return (await customers.create({ email, metadata: { [ACCOUNT_MARK]: accountId } }, { idempotencyKey })).id
  })

async function createPage({ ask }: Asking, request: CardPageRequest, customerId: string): Promise<string> {
  const marks = { [ACCOUNT_MARK]: request.accountId, [SAVE_MARK]: 'yes' }
  const { url } = await ask(({ checkout }) =>
    checkout.sessions.create({
      mode: 'setup',
      customer: customerId,
      client_reference_id: request.accountId,
      allowed_payment_method_types: ['card'],
      success_url: request.successUrl,
      cancel_url: request.cancelUrl,
      metadata: marks,
      setup_intent_data: { metadata: marks },
    }),
  )
  if (url === null) throw new Error('the session has no page')
  return url
}

async function methodOf(stripe: StripeClient, from: CardSource): Promise<unknown> {
  const expand = { expand: ['payment_method'] }
  if ('methodId' in from) return stripe.paymentMethods.retrieve(from.methodId)
  if ('intentId' in from) return (await stripe.paymentIntents.retrieve(from.intentId, expand)).payment_method
  return (await stripe.setupIntents.retrieve(from.setupIntentId, expand)).payment_method
}

const paymentOf = (payment: AutoPayment): StripeClient.PaymentIntentCreateParams => ({
  amount: Number(payment.amountMinor),
  currency: payment.currency,
  customer: payment.customerId,
  payment_method: payment.methodId,
  // Nobody is there to be led anywhere, and no address to come back to is asked for.
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  confirm: true,
  off_session: true,
  description: 'Tollgate credit, automatic top-up',
  metadata: { [PAYMENT_MARK]: payment.id, [ACCOUNT_MARK]: payment.accountId },
})

/** How an intent stands. One that waits for a person will wait for ever: nobody is there. */
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

/** What a refused payment means; whatever is not certain is unknown, and is asked for again. */
function refusalOf(error: unknown): PayOutcome {
  const failure = (error ?? {}) as Failure
  const intentId = failure.payment_intent?.id ?? null
  if (failure.type === 'StripeCardError') return { outcome: 'failed', intentId, reason: failureOf(failure) }
  if (failure.type !== 'StripeInvalidRequestError' || failure.statusCode === 409) return { outcome: 'unknown' }
  if (isMissing(error)) return { outcome: 'failed', intentId, reason: 'card_gone' }
  const reason = failureOf(failure)
  return { outcome: 'failed', intentId, reason: reason === 'declined' ? 'refused' : reason }
}

/** Cards and payments without their holders, by Stripe's library. */
export function createStripeCards(asking: Asking): StripeCards {
  const { ask, raw, warn } = asking
  return {
    async createCardPage(request) {
      const made = (gone: string | null) => makeCustomer(asking, { ...request, gone })
      const customerId = request.customerId ?? (await made(null))
      try {
        return { url: await createPage(asking, request, customerId), customerId }
      } catch (error) {
        if (!isMissing(error, 'customer')) throw error
        const other = await made(customerId)
        return { url: await createPage(asking, request, other), customerId: other }
      }
    },
    cardOf: (from) =>
      ask(async (stripe) => {
        try {
          const method = await methodOf(stripe, from)
          return typeof method === 'object' && method !== null ? readCard(method) : null
        } catch (error) {
          if (isMissing(error)) return null
          throw error
        }
      }),
    detach: (methodId) =>
      ask(async ({ paymentMethods }) => {
        try {
          await paymentMethods.detach(methodId)
        } catch (error) {
          const { type, statusCode } = (error ?? {}) as Failure
          // Gone, or attached to nobody.
          if (!isMissing(error) && !(type === 'StripeInvalidRequestError' && statusCode === 400)) throw error
        }
      }),
    deleteCustomer: (customerId) =>
      ask(async ({ customers }) => {
        try {
          await customers.del(customerId)
        } catch (error) {
          if (!isMissing(error)) throw error
        }
      }),
    async payAway(payment) {
      try {
        return outcomeOf(
          await raw(({ paymentIntents }) => paymentIntents.create(paymentOf(payment), { idempotencyKey: payment.id })),
        )
      } catch (error) {
        const outcome = refusalOf(error)
        if (outcome.outcome === 'unknown') warn(error, 'what became of an automatic payment is not known yet')
        return outcome
      }
    },
    findPaidAway: ({ id, customerId, createdAt }) =>
      ask(async ({ paymentIntents }) => {
        const gte = Math.floor(createdAt.getTime() / 1000) - HOUR_S
        try {
          const { data } = await paymentIntents.list({ customer: customerId, created: { gte }, limit: MOST_INTENTS })
          const intent = data.find(({ metadata }) => metadata[PAYMENT_MARK] === id)
          return intent ? outcomeOf(intent) : null
        } catch (error) {
          if (isMissing(error)) return { outcome: 'failed', intentId: null, reason: 'card_gone' }
          throw error
        }
      }),
  }
}
