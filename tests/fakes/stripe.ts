import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { createFakeCards, type FakeCards } from './stripe-cards.ts'
import {
  chargeObject,
  type FakeIntent,
  type FakeSession,
  invoiceObject,
  type SessionPlan,
  setupIntentObject,
} from './stripe-objects.ts'
import { checkSessionForm, metadataOf, StripeApiError } from './stripe-params.ts'

export const STRIPE_KEY = 'sk_test_for_tests_only'
export const STRIPE_WEBHOOK_SECRET = 'whsec_for_tests_only'

/** An event as it is delivered: the bytes and the header that signs them. */
export interface Delivery {
  body: string
  signature: string
}

/** A fake of Stripe's API and its payment page. */
export interface FakeStripe {
  readonly url: string
  readonly sessions: Map<string, FakeSession>
  readonly plans: Map<string, SessionPlan>
  readonly refunds: Map<string, object[]>
  readonly cards: FakeCards
  /** Every request to the API: its method, path, Idempotency-Key and form. */
  readonly asked: { method: string; path: string; key: string | null; form: Map<string, string> }[]
  /** While true, every call fails as in an outage. */
  down: boolean
  /** While true, the key is refused. */
  revoked: boolean
  /** While true, payments are made but their answers are lost. */
  mute: boolean
  /** The events that the API lists, newest first. Events that were signed for delivery are not added automatically. */
  readonly events: { id: string; type: string; created: number }[]
  /** Where events are sent when somebody pays on the page. */
  webhook: string | null
  /** Marks a session as paid, as its page does. Returns the session. */
  pay(sessionId: string): FakeSession
  close(): Promise<void>
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' }).end(JSON.stringify(body))
}

function checkHeaders({ headers, method }: IncomingMessage): void {
  if (headers.authorization !== `Bearer ${STRIPE_KEY}`) throw new StripeApiError(401, 'Invalid API Key provided')
  if (!/^\d{4}-\d{2}-\d{2}/.test(String(headers['stripe-version']))) throw new StripeApiError(400, 'Invalid Stripe-Version')
  if (method === 'POST' && !String(headers['content-type']).startsWith('application/x-www-form-urlencoded'))
    throw new StripeApiError(400, 'Send a form')
}

/** Starts the fake on its own port. */
export async function startStripe(port = 0): Promise<FakeStripe> {
  const byKey = new Map<string, { form: string; answer: object }>()
  const fake: FakeStripe = {
    url: '',
    sessions: new Map(),
    plans: new Map(),
    refunds: new Map(),
    cards: createFakeCards(),
    events: [],
    asked: [],
    down: false,
    revoked: false,
    mute: false,
    webhook: null,
    pay(sessionId) {
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
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  /** The earlier answer to an idempotency key, including card errors. An outage leaves no answer behind. */
  function replayOrRun(key: string | null, form: string, make: () => object): object {
    const known = key === null ? undefined : byKey.get(key)
    if (known && known.form !== form)
      throw new StripeApiError(400, 'Keys for idempotent requests can only be used with the same parameters.', {
        type: 'idempotency_error',
      })
    if (known?.answer instanceof StripeApiError) throw known.answer
    if (known) return known.answer
    try {
      const answer = make()
      if (key !== null) byKey.set(key, { form, answer })
      return answer
    } catch (error) {
      if (key !== null && error instanceof StripeApiError && error.status === 402) byKey.set(key, { form, answer: error })
      throw error
    }
  }

  function createSession(text: string): FakeSession {
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

  function answerApi(request: IncomingMessage, url: URL, text: string): object {
    const key = (request.headers['idempotency-key'] as string | undefined) ?? null
    fake.asked.push({ method: request.method ?? '', path: url.pathname, key, form: new Map(new URLSearchParams(text)) })
    if (fake.down) throw new StripeApiError(500, 'An outage', { type: 'api_error' })
    if (fake.revoked) throw new StripeApiError(401, `Expired API Key provided: ${STRIPE_KEY}`, { code: 'api_key_expired' })
    checkHeaders(request)
    const asking = { method: request.method ?? '', path: url.pathname, query: url.searchParams, text }
    if (request.method === 'POST' && url.pathname === '/v1/checkout/sessions')
      return replayOrRun(key, text, () => createSession(text))
    const page = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(url.pathname)?.[1]
    if (request.method === 'GET' && page) {
      const session = fake.sessions.get(page)
      if (!session) throw new StripeApiError(404, 'No such checkout.session', { code: 'resource_missing', param: 'session' })
      return session
    }
    const ofCards = replayOrRun(request.method === 'POST' ? key : null, text, () => fake.cards.answer(asking) ?? {})
    if ('object' in ofCards) return ofCards
    const intent = /^\/v1\/payment_intents\/(\w+)$/.exec(url.pathname)?.[1]
    if (request.method === 'GET' && intent) {
      const made = fake.cards.intents.get(intent)
      if (made) return made
      const plan = fake.plans.get(intent.slice('pi_'.length))
      if (!plan && !intent.startsWith('pi_other'))
        throw new StripeApiError(404, 'No such payment_intent', { code: 'resource_missing', param: 'intent' })
      const method = url.searchParams.has('expand[0]')
        ? (fake.cards.methods.get(plan?.method ?? '') ?? null)
        : (plan?.method ?? null)
      return { id: intent, object: 'payment_intent', metadata: plan?.intentMetadata ?? {}, payment_method: method }
    }
    if (request.method === 'GET' && url.pathname === '/v1/refunds')
      return {
        object: 'list',
        url: '/v1/refunds',
        has_more: false,
        data: fake.refunds.get(url.searchParams.get('payment_intent') ?? '') ?? [],
      }
    if (request.method === 'GET' && url.pathname === '/v1/events') return eventPage(fake, url.searchParams)
    throw new StripeApiError(404, `Unrecognized request URL (${request.method}: ${url.pathname})`)
  }

  function answer(request: IncomingMessage, response: ServerResponse, url: URL, text: string): void {
    const pays = request.method === 'POST' && url.pathname === '/v1/payment_intents'
    const known = fake.cards.intents.size
    const body = answerApi(request, url, text)
    if (pays && fake.cards.intents.size > known) void deliverIntent(fake, body as FakeIntent)
    if (pays && fake.mute) response.destroy()
    else json(response, 200, body)
  }

  /** The payment page. Its button pays, delivers the events, and leads back. */
  async function answerPage(request: IncomingMessage, response: ServerResponse, sessionId: string): Promise<void> {
    const session = fake.sessions.get(sessionId)
    if (!session) return void response.writeHead(404).end()
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' })
      const setup = session.mode === 'setup'
      const amount = setup ? 'Save a card' : `${session.currency.toUpperCase()} ${(session.amount_total / 100).toFixed(2)}`
      response.end(
        `<!doctype html><html lang="en"><title>Stand-in</title><h1>${amount}</h1><form method="post"><button>${setup ? 'Save' : 'Pay'}</button></form><a href="${session.cancel_url?.replaceAll('&', '&amp;') ?? ''}">Back</a>`,
      )
      return
    }
    fake.pay(sessionId)
    // The payer is back before the event arrives, as often happens. A page that waits for nothing else shows that, even on slow
    // machines.
    response.writeHead(303, { location: session.success_url }).end()
    setTimeout(() => void deliverPaid(fake, session), session.mode === 'setup' ? 4000 : 1500)
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    const page = /^\/pay\/(\w+)$/.exec(url.pathname)?.[1]
    readBody(request)
      .then((text) => (page ? answerPage(request, response, page) : answer(request, response, url, text)))
      .catch((error: unknown) => {
        if (error instanceof StripeApiError) json(response, error.status, error.body)
        else response.writeHead(500).end(String(error))
      })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  Object.assign(fake, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  return fake
}

/** A page of the event list: at most twenty types, newest first. */
function eventPage({ events }: FakeStripe, asked: URLSearchParams): object {
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
async function deliverIntent(fake: FakeStripe, intent: FakeIntent): Promise<void> {
  await sleep(300)
  await deliver(fake, [
    signEvent('charge.succeeded', chargeObject(intent.id, intent.amount, intent.metadata)),
    signEvent('payment_intent.succeeded', intent),
  ])
}

async function deliverPaid(fake: FakeStripe, session: FakeSession): Promise<void> {
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
