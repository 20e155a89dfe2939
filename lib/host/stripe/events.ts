import type StripeClient from 'stripe'
import type { Stripe, StripeEvent } from '../../services/billing/billing-ports.ts'
import { PAYMENT_METADATA_KEY } from '../../services/billing/stripe-metadata.ts'
import { fallbackIfMissing, type StripeCaller } from './client.ts'

/** A signature older than this is stale, as Stripe recommends. */
const TOLERANCE_S = 300
const MAX_REFUNDS = 100
/** How many event types can be requested at once, and how many events one page has. */
const MAX_TYPES = 20
const PAGE_SIZE = 100

function eventOf(event: { id: string; type: string; created: number; data: { object: unknown } }): StripeEvent {
  return { id: event.id, type: event.type, at: new Date(event.created * 1000), object: event.data.object }
}

/** Whether a delivery is signed with the secret, at whatever time. */
function isSigned({ signature }: StripeClient['webhooks'], body: Buffer, header: string, secret: string): boolean {
  try {
    return signature?.verifyHeader(body, header, secret, 0) ?? false
  } catch {
    return false
  }
}

/** Stripe's events, by webhook or on request, and what they leave out. Without a `webhookSecret`, all deliveries are rejected. */
export function createEvents(
  { ask, raw }: StripeCaller,
  webhookSecret: string | undefined,
): Pick<Stripe, 'verify' | 'eventsSince' | 'paymentOfIntent' | 'refundsOfIntent'> {
  return {
    async verify(body, signature) {
      if (signature === null || webhookSecret === undefined) return { rejected: 'wrong_signature' }
      const { webhooks } = await raw(async (stripe) => stripe)
      try {
        return eventOf(webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_S))
      } catch {
        return { rejected: isSigned(webhooks, body, signature, webhookSecret) ? 'too_old' : 'wrong_signature' }
      }
    },
    async eventsSince(since, types) {
      const found: StripeEvent[] = []
      const created = { gte: Math.floor(since.getTime() / 1000) }
      for (let first = 0; first < types.length; first += MAX_TYPES) {
        const typesChunk = types.slice(first, first + MAX_TYPES)
        await ask(async ({ events }) => {
          for await (const event of events.list({ created, types: typesChunk, limit: PAGE_SIZE })) found.push(eventOf(event))
        })
      }
      // Stripe returns the newest first, also within one second.
      return found.reverse().sort((a, b) => a.at.getTime() - b.at.getTime())
    },
    paymentOfIntent: (intentId) =>
      fallbackIfMissing(
        ask(async ({ paymentIntents }) => (await paymentIntents.retrieve(intentId)).metadata[PAYMENT_METADATA_KEY] ?? null),
        null,
        'intent',
      ),
    refundsOfIntent: (intentId) =>
      ask(async ({ refunds }) => (await refunds.list({ payment_intent: intentId, limit: MAX_REFUNDS })).data),
  }
}
