import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFakeCards, type FakeCards } from './stripe-cards.ts'
import { deliverIntent, deliverPaid, eventPage, STRIPE_KEY } from './stripe-events.ts'
import type { FakeIntent, FakeSession, SessionPlan } from './stripe-objects.ts'
import { StripeApiError } from './stripe-params.ts'
import { createSession, paySession } from './stripe-sessions.ts'

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

/** Answers of calls by their idempotency key. */
type Repeats = Map<string, { form: string; answer: object }>

/** The earlier answer to an idempotency key, including card errors. An outage leaves no answer behind. */
function replayOrRun(repeats: Repeats, key: string | null, form: string, make: () => object): object {
  const known = key === null ? undefined : repeats.get(key)
  if (known && known.form !== form)
    throw new StripeApiError(400, 'Keys for idempotent requests can only be used with the same parameters.', {
      type: 'idempotency_error',
    })
  if (known?.answer instanceof StripeApiError) throw known.answer
  if (known) return known.answer
  try {
    const answer = make()
    if (key !== null) repeats.set(key, { form, answer })
    return answer
  } catch (error) {
    if (key !== null && error instanceof StripeApiError && error.status === 402) repeats.set(key, { form, answer: error })
    throw error
  }
}

/** A call of the API. */
interface Asking {
  method: string
  path: string
  query: URLSearchParams
  text: string
  key: string | null
}

function answerCall(fake: FakeStripe, repeats: Repeats, asking: Asking): object {
  const { method, path, query, text, key } = asking
  if (method === 'POST' && path === '/v1/checkout/sessions')
    return replayOrRun(repeats, key, text, () => createSession(fake, text))
  const session = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(path)?.[1]
  if (method === 'GET' && session) return findSession(fake, session)
  const ofCards = replayOrRun(repeats, method === 'POST' ? key : null, text, () => fake.cards.answer(asking) ?? {})
  if ('object' in ofCards) return ofCards
  const intent = /^\/v1\/payment_intents\/(\w+)$/.exec(path)?.[1]
  if (method === 'GET' && intent) return findIntent(fake, intent, query.has('expand[0]'))
  if (method === 'GET' && path === '/v1/refunds')
    return {
      object: 'list',
      url: '/v1/refunds',
      has_more: false,
      data: fake.refunds.get(query.get('payment_intent') ?? '') ?? [],
    }
  if (method === 'GET' && path === '/v1/events') return eventPage(fake, query)
  throw new StripeApiError(404, `Unrecognized request URL (${method}: ${path})`)
}

function findSession({ sessions }: FakeStripe, id: string): FakeSession {
  const session = sessions.get(id)
  if (!session) throw new StripeApiError(404, 'No such checkout.session', { code: 'resource_missing', param: 'session' })
  return session
}

function findIntent({ cards, plans }: FakeStripe, id: string, withMethod: boolean): object {
  const made = cards.intents.get(id)
  if (made) return made
  const plan = plans.get(id.slice('pi_'.length))
  if (!plan && !id.startsWith('pi_other'))
    throw new StripeApiError(404, 'No such payment_intent', { code: 'resource_missing', param: 'intent' })
  const method = withMethod ? (cards.methods.get(plan?.method ?? '') ?? null) : (plan?.method ?? null)
  return { id, object: 'payment_intent', metadata: plan?.intentMetadata ?? {}, payment_method: method }
}

function answerApi(fake: FakeStripe, repeats: Repeats, request: IncomingMessage, url: URL, text: string): object {
  const key = (request.headers['idempotency-key'] as string | undefined) ?? null
  const method = request.method ?? ''
  fake.asked.push({ method, path: url.pathname, key, form: new Map(new URLSearchParams(text)) })
  if (fake.down) throw new StripeApiError(500, 'An outage', { type: 'api_error' })
  if (fake.revoked) throw new StripeApiError(401, `Expired API Key provided: ${STRIPE_KEY}`, { code: 'api_key_expired' })
  checkHeaders(request)
  return answerCall(fake, repeats, { method, path: url.pathname, query: url.searchParams, text, key })
}

/** The payment page. Its button pays, delivers the events, and leads back. */
async function answerPage(
  fake: FakeStripe,
  request: IncomingMessage,
  response: ServerResponse,
  sessionId: string,
): Promise<void> {
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

/** Starts the fake on its own port. */
export async function startStripe(port = 0): Promise<FakeStripe> {
  const repeats: Repeats = new Map()
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
    pay: (sessionId) => paySession(fake, sessionId),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  function answer(request: IncomingMessage, response: ServerResponse, url: URL, text: string): void {
    const pays = request.method === 'POST' && url.pathname === '/v1/payment_intents'
    const known = fake.cards.intents.size
    const body = answerApi(fake, repeats, request, url, text)
    if (pays && fake.cards.intents.size > known) void deliverIntent(fake, body as FakeIntent)
    if (pays && fake.mute) response.destroy()
    else json(response, 200, body)
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    const page = /^\/pay\/(\w+)$/.exec(url.pathname)?.[1]
    readBody(request)
      .then((text) => (page ? answerPage(fake, request, response, page) : answer(request, response, url, text)))
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
