import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import type { FakeStripe } from './stripe.ts'
import { chargeObject, type FakeIntent, type FakeSession, invoiceObject, setupIntentObject } from './stripe-objects.ts'
import { StripeApiError } from './stripe-params.ts'

export const STRIPE_KEY = 'sk_test_for_tests_only'
export const STRIPE_WEBHOOK_SECRET = 'whsec_for_tests_only'

/** An event as it is delivered: the bytes and the header that signs them. */
export interface Delivery {
  body: string
  signature: string
}

let events = 0

/** Signs an event with the SDK, as Stripe would deliver it. `more` replaces fields of the envelope. */
export function signEvent(
  type: string,
  object: object,
  { secret = STRIPE_WEBHOOK_SECRET, ageS = 0, ...more }: { secret?: string; ageS?: number; id?: string; created?: number } = {},
): Delivery {
  const now = Math.floor(Date.now() / 1000)
  const event = {
    id: `evt_${++events}_${now}`,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: now,
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object },
    ...more,
  }
  const body = JSON.stringify(event)
  const { webhooks } = new Stripe(STRIPE_KEY)
  return { body, signature: webhooks.generateTestHeaderString({ payload: body, secret, timestamp: now - ageS }) }
}

/** A page of the event list: at most twenty types, newest first. */
export function eventPage({ events }: FakeStripe, asked: URLSearchParams): object {
  const types = [...asked].flatMap(([name, value]) => (/^types\[\d*\]$/.test(name) ? [value] : []))
  if (types.length > 20) throw new StripeApiError(400, 'types: at most 20', { param: 'types' })
  const from = Number(asked.get('created[gte]') ?? 0)
  const all = events.filter(({ type, created }) => types.includes(type) && created >= from)
  const sorted = all.toReversed().sort((a, b) => b.created - a.created)
  const first = sorted.findIndex(({ id }) => id === asked.get('starting_after')) + 1
  const limit = Number(asked.get('limit') ?? 10)
  return { object: 'list', url: '/v1/events', has_more: sorted.length > first + limit, data: sorted.slice(first, first + limit) }
}

/** Like any other payment, one without its payer causes events, after a moment. */
export async function deliverIntent(fake: FakeStripe, intent: FakeIntent): Promise<void> {
  await sleep(300)
  await deliver(fake, [
    signEvent('charge.succeeded', chargeObject(intent.id, intent.amount, intent.metadata)),
    signEvent('payment_intent.succeeded', intent),
  ])
}

/** The events of a session that was paid, or whose card was saved. */
export async function deliverPaid(fake: FakeStripe, session: FakeSession): Promise<void> {
  if (session.mode === 'setup') {
    const setup = fake.cards.setups.get(String(session.setup_intent))
    if (!setup) return
    const intent = setupIntentObject(String(session.setup_intent), setup.customer, setup.method, setup.metadata)
    return deliver(fake, [signEvent('setup_intent.succeeded', intent), signEvent('checkout.session.completed', session)])
  }
  const plan = fake.plans.get(session.id)
  await deliver(fake, [
    signEvent('checkout.session.completed', session),
    signEvent('charge.succeeded', chargeObject(String(session.payment_intent), session.amount_total, plan?.intentMetadata ?? {})),
    ...(plan?.invoiceMetadata ? [signEvent('invoice.paid', invoiceObject(String(session.invoice), plan.invoiceMetadata))] : []),
  ])
}

async function deliver(fake: FakeStripe, deliveries: Delivery[]): Promise<void> {
  for (const { body, signature } of deliveries)
    if (fake.webhook)
      await fetch(fake.webhook, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      })
}
