import type { FakeStripe } from './stripe.ts'
import type { FakeSession } from './stripe-objects.ts'
import { checkSessionForm, metadataOf, StripeApiError } from './stripe-params.ts'

type Sessions = Pick<FakeStripe, 'url' | 'sessions' | 'plans' | 'cards'>

/** Makes a session of Checkout from its form. Throws what Stripe would refuse. */
export function createSession(fake: Sessions, text: string): FakeSession {
  const form = checkSessionForm(new URLSearchParams(text))
  const customer = form.get('customer') ?? null
  if (customer?.startsWith('cus_gone'))
    throw new StripeApiError(400, 'No such customer', { code: 'resource_missing', param: 'customer' })
  const id = `cs_test_${fake.sessions.size + 1}${Math.random().toString(36).slice(2, 10)}`
  const session: FakeSession = {
    id,
    object: 'checkout.session',
    mode: form.get('mode') ?? '',
    status: 'open',
    payment_status: 'unpaid',
    amount_total:
      Number(form.get('line_items[0][price_data][unit_amount]') ?? 0) * Number(form.get('line_items[0][quantity]') ?? 0),
    currency: form.get('line_items[0][price_data][currency]') ?? '',
    client_reference_id: form.get('client_reference_id') ?? null,
    customer,
    customer_email: form.get('customer_email') ?? null,
    invoice: null,
    payment_intent: null,
    setup_intent: null,
    metadata: metadataOf(form, 'metadata'),
    success_url: form.get('success_url') ?? '',
    cancel_url: form.get('cancel_url') ?? null,
    url: `${fake.url}/pay/${id}`,
    created: Math.floor(Date.now() / 1000),
    livemode: false,
  }
  fake.sessions.set(id, session)
  fake.plans.set(id, {
    intentMetadata: metadataOf(form, 'payment_intent_data[metadata]'),
    invoiceMetadata:
      form.get('invoice_creation[enabled]') === 'true' ? metadataOf(form, 'invoice_creation[invoice_data][metadata]') : null,
    savesCard: form.get('payment_intent_data[setup_future_usage]') === 'off_session',
    method: null,
  })
  return session
}

/** Marks a session as paid, as its page does. */
export function paySession(fake: Sessions, sessionId: string): FakeSession {
  const session = fake.sessions.get(sessionId)
  if (!session) throw new Error(`no session ${sessionId}`)
  const customer = session.customer ?? `cus_${sessionId}`
  if (session.mode === 'setup') {
    const method = fake.cards.attach(customer).id
    const setup_intent = `seti_${sessionId}`
    fake.cards.setups.set(setup_intent, { customer, method, metadata: session.metadata })
    return Object.assign(session, { status: 'complete', payment_status: 'no_payment_required', url: null, setup_intent })
  }
  const plan = fake.plans.get(sessionId)
  if (plan?.savesCard) plan.method ??= fake.cards.attach(customer).id
  const paid = {
    status: 'complete',
    payment_status: 'paid',
    url: null,
    payment_intent: `pi_${sessionId}`,
    invoice: `in_${sessionId}`,
  }
  return Object.assign(session, paid, { customer })
}
