import type StripeClient from 'stripe'
import type { Env } from '../env.ts'
import type { CheckoutRequest, Stripe, StripeEvent } from '../services/billing/billing-ports.ts'
import { PAYMENT_MARK, SAVE_MARK } from '../services/billing/stripe-marks.ts'
import { ServiceError } from '../services/service-error.ts'
import { createStripeCards, digestOf, isMissing, makeCustomer } from './stripe-cards.ts'

const TIMEOUT_MS = 20_000
/** A signature older than this is stale, as Stripe advises. */
const TOLERANCE_S = 300
const MOST_REFUNDS = 100
/** Kinds of events that can be asked for at once, and how many come with one answer. */
const MOST_TYPES = 20
const PAGE = 100

type Settings = Pick<Env, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>

interface Log {
  warn(fields: object, message: string): void
}

/** What is told of an error: Stripe's own codes and its request's id. Its text can quote what we sent. */
const about = (error: unknown): object => {
  const { type, code, param, statusCode, requestId } = (error ?? {}) as Record<string, unknown>
  return { type, code, param, statusCode, requestId }
}

function checkoutOf(request: CheckoutRequest): StripeClient.Checkout.SessionCreateParams {
  const { payment, email, customerId, title, successUrl, cancelUrl } = request
  const metadata = { [PAYMENT_MARK]: payment.id }
  const { saveCard } = payment
  return {
    mode: 'payment',
    client_reference_id: payment.accountId,
    ...(customerId === null ? { customer_email: email } : { customer: customerId }),
    line_items: [
      {
        quantity: 1,
        price_data: { currency: payment.currency, unit_amount: Number(payment.amountMinor), product_data: { name: title } },
      },
    ],
    success_url: successUrl,
    cancel_url: cancelUrl,
    metadata: { ...metadata, ...(saveCard ? { [SAVE_MARK]: 'yes' } : {}) },
    // Charges inherit it, so that a receipt finds its payment before the session's own event has come.
    payment_intent_data: { metadata, ...(saveCard ? { setup_future_usage: 'off_session' as const } : {}) },
    ...(saveCard ? { allowed_payment_method_types: ['card' as const] } : {}),
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    // What is paid is what was asked for, in the currency that balances are kept in.
    adaptive_pricing: { enabled: false },
  }
}

/** Stripe by its own library, which is loaded when it is first needed; nothing of it without its keys. */
export function createStripe(env: Settings, log: Log): Stripe {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret } = env
  let client: Promise<StripeClient> | null = null
  const open = (): Promise<StripeClient> => {
    client ??= connect(key ?? '', env.STRIPE_API_BASE)
    return client
  }
  const warn = (error: unknown, message: string) => log.warn(about(error), message)
  async function ask<T>(call: (stripe: StripeClient) => Promise<T>): Promise<T> {
    if (key === undefined) throw new ServiceError('unavailable', 'Payments are not set up.')
    try {
      return await call(await open())
    } catch (error) {
      if (isMissing(error)) throw error
      warn(error, 'Stripe could not be asked')
      throw new ServiceError('unavailable', 'Stripe cannot be reached right now. Nothing was paid. Try again in a minute.')
    }
  }
  const asking = { ask, warn, raw: async <T>(call: (stripe: StripeClient) => Promise<T>) => call(await open()) }
  const create = (request: CheckoutRequest) =>
    ask(async ({ checkout }) => {
      const session = checkoutOf(request)
      // Stripe refuses a key that comes again with anything else: one that was made for another customer, say.
      const idempotencyKey = `${request.payment.id}-${digestOf(JSON.stringify(session))}`
      const { id, url } = await checkout.sessions.create(session, { idempotencyKey })
      if (url === null) throw new Error('the session has no page')
      return { sessionId: id, url, customerId: request.customerId }
    })
  return {
    configured: key !== undefined && webhookSecret !== undefined,
    ...createStripeCards(asking),
    async createCheckout(request) {
      const { accountId, saveCard } = request.payment
      // A card is kept for somebody; a payment alone makes its own customer.
      const customerFor = async (gone: string | null) =>
        saveCard ? makeCustomer(asking, { accountId, email: request.email, gone }) : null
      const customerId = request.customerId ?? (await customerFor(null))
      try {
        return await create({ ...request, customerId })
      } catch (error) {
        // Deleted at Stripe since the last payment: it makes a new one.
        if (!isMissing(error, 'customer')) throw error
        return await create({ ...request, customerId: await customerFor(customerId) })
      }
    },
    async findCheckout(sessionId) {
      try {
        return await ask(async ({ checkout }) => (await checkout.sessions.retrieve(sessionId)).url)
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async verify(body, signature) {
      if (signature === null || webhookSecret === undefined) return null
      const { webhooks } = await open()
      try {
        const event = webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_S)
        return eventOf(event)
      } catch {
        return null
      }
    },
    async paymentOfIntent(intentId) {
      try {
        return await ask(async ({ paymentIntents }) => (await paymentIntents.retrieve(intentId)).metadata[PAYMENT_MARK] ?? null)
      } catch (error) {
        if (isMissing(error, 'intent')) return null
        throw error
      }
    },
    async eventsSince(since, types) {
      const found: StripeEvent[] = []
      const created = { gte: Math.floor(since.getTime() / 1000) }
      for (let first = 0; first < types.length; first += MOST_TYPES) {
        const some = types.slice(first, first + MOST_TYPES)
        await ask(async ({ events }) => {
          for await (const event of events.list({ created, types: some, limit: PAGE })) found.push(eventOf(event))
        })
      }
      // Stripe has the newest first, also of those in one second.
      return found.reverse().sort((a, b) => a.at.getTime() - b.at.getTime())
    },
    refundsOfIntent: (intentId) =>
      ask(async ({ refunds }) => (await refunds.list({ payment_intent: intentId, limit: MOST_REFUNDS })).data),
  }
}

async function connect(key: string, base: string): Promise<StripeClient> {
  const { default: Client } = await import('stripe')
  const { hostname, port, protocol } = new URL(base)
  return new Client(key, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port === '' ? {} : { port }),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 2,
    telemetry: false,
  })
}

function eventOf(event: { id: string; type: string; created: number; data: { object: unknown } }): StripeEvent {
  return { id: event.id, type: event.type, at: new Date(event.created * 1000), object: event.data.object }
}
