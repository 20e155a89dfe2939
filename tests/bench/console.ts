import { readdir, readFile } from 'node:fs/promises'
import type { TestGateway } from '../support/gateway.ts'
import { median } from './measure.ts'
import type { BenchWorld } from './world.ts'

export const PASSWORD = 'correct horse battery'
const EMAIL = 'a-million@example.com'

/** The routes whose reads are measured, and how they are requested. Routes without an entry here are requested as they are. */
export interface MeasuredRoutes<Ids> {
  /** Whether a route is one of them. */
  includes(route: string): boolean
  /** Query strings, by route. */
  queries: Record<string, (ids: Ids) => string[]>
  /** The value of a path's parameter, by route. */
  parameters: Record<string, (ids: Ids) => string>
}

/** Reads of the console that ask nothing about the account, or for which no page waits, such as the export file. */
const LEFT_OUT = ['/api/auth/[...nextauth]', '/api/health', '/api/account/export']
/** The routes of operators. */
const OPERATOR_PREFIX = '/api/operator/'

/** What account holders read. */
export const HOLDER_ROUTES: MeasuredRoutes<Ids> = {
  includes: (route) => !LEFT_OUT.includes(route) && !route.startsWith(OPERATOR_PREFIX),
  queries: {
    '/api/overview': () => ['?days=1', '?days=7', '?days=30', '?days=90'],
    '/api/usage': (ids) => [
      ...['range=24h', 'range=7d', 'range=30d', 'range=90d', ids.year].map((period) => `?${period}`),
      ...['key', 'modality'].map((by) => `?range=90d&by=${by}`),
      `?range=90d&model=${encodeURIComponent(ids.model)}&measure=tokens`,
      `?range=90d&key=${ids.key}`,
      '?range=90d&modality=image&by=key',
    ],
    '/api/usage/export': () => ['?range=90d', '?range=90d&rows=requests'],
    '/api/playground/figures': (ids) => [`?request=${ids.request}`],
    '/api/requests/chart': (ids) => [
      '',
      '?range=7d',
      `?model=${encodeURIComponent(ids.model)}&status=error`,
      '?endpoint=embeddings',
    ],
    '/api/requests': (ids) => [
      '',
      `?model=${encodeURIComponent(ids.model)}`,
      `?key=${ids.key}`,
      '?status=error',
      `?model=${encodeURIComponent(ids.model)}&key=${ids.key}&status=error`,
      '?model=none',
    ],
  },
  parameters: {
    '/api/requests/[id]': (ids) => ids.request,
    '/api/keys/[id]': (ids) => ids.key,
    '/api/billing/payments/[id]': (ids) => ids.payment,
    '/api/webhooks/[id]/deliveries': (ids) => ids.webhook,
  },
}

export interface Ids {
  model: string
  key: string
  request: string
  payment: string
  webhook: string
  /** A year, as a query string. */
  year: string
}

/** All routes of the console that can be read, found by their folders. */
async function listReadableRoutes(): Promise<string[]> {
  const files = (await readdir('app/api', { recursive: true })).filter((file) => file.endsWith('route.ts'))
  const routes = []
  for (const file of files.sort()) {
    const text = await readFile(`app/api/${file}`, 'utf8')
    // A catch-all for unknown paths is not an address.
    if (/\bGET\b/.test(text) && !file.startsWith('[[')) routes.push(`/api/${file.replace(/\/route\.ts$/, '')}`)
  }
  return routes
}

/** The addresses to request for each route. `unknown` lists routes with a parameter for which there is no value. */
export async function urlsOf<T>(
  { includes, queries, parameters }: MeasuredRoutes<T>,
  ids: T,
): Promise<{ addresses: string[]; unknown: string[] }> {
  const [addresses, unknown]: [string[], string[]] = [[], []]
  for (const route of (await listReadableRoutes()).filter(includes)) {
    const parameter = parameters[route]?.(ids)
    if (route.includes('[') && parameter === undefined) unknown.push(route)
    else for (const query of queries[route]?.(ids) ?? ['']) addresses.push(route.replace(/\[\w+\]/, parameter ?? '') + query)
  }
  return { addresses, unknown }
}

const headersOf = (url: string, cookies: string[]): Record<string, string> => ({
  origin: url,
  cookie: cookies.join('; '),
})

const cookiesOf = (answer: Response): string[] => answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')

/** Creates an account as a person does. */
export async function makeAccount(world: BenchWorld, { url }: TestGateway): Promise<string> {
  const answer = await fetch(`${url}/api/sign-up`, {
    method: 'POST',
    headers: { ...headersOf(url, []), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'A million', email: EMAIL, password: PASSWORD }),
  })
  if (!answer.ok) throw new Error(`signing up: ${answer.status} ${await answer.text()}`)
  const { rows } = await world.pool.query<{ account_id: string }>('select account_id from app_user where email = $1', [EMAIL])
  return rows[0]?.account_id ?? ''
}

/** Signs in as a browser does. Returns the cookies. */
export async function signIn({ url }: TestGateway, email = EMAIL): Promise<string> {
  const token = await fetch(`${url}/api/auth/csrf`)
  const { csrfToken } = (await token.json()) as { csrfToken: string }
  const before = cookiesOf(token)
  const answer = await fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: headersOf(url, before),
    body: new URLSearchParams({ csrfToken, email, password: PASSWORD, json: 'true' }),
  })
  const cookies = [...before, ...cookiesOf(answer)]
  if (!cookies.some((cookie) => cookie.includes('session-token='))) throw new Error(`signing in: ${answer.status}`)
  return cookies.join('; ')
}

/** Milliseconds to the end of an answer or, for a file of any length, to its first bytes. */
async function timeRequest(address: string, cookie: string): Promise<number> {
  const started = performance.now()
  const answer = await fetch(address, { headers: { cookie } })
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
  if (answer.headers.has('content-disposition')) {
    const reader = answer.body?.getReader()
    await reader?.read()
    const took = performance.now() - started
    await reader?.cancel()
    return took
  }
  await answer.arrayBuffer()
  return performance.now() - started
}

export interface Timing {
  address: string
  medianMs: number
  p95Ms: number
  mostMs: number
  /** The same for a trivial read in turn with this one: the time that the machine and the round trip take. */
  besideMs: number
}

/** A read of one row. */
const BASELINE_PATH = '/api/history/settings'

/** Requests every address many times, one at a time, in turn with a trivial read. */
export async function timeRequests(url: string, addresses: string[], cookie: string, times: number): Promise<Timing[]> {
  const timings = []
  for (const address of addresses) {
    for (let n = 0; n < 5; n++) await timeRequest(url + address, cookie)
    const [took, baseline]: [number[], number[]] = [[], []]
    for (let n = 0; n < times; n++) {
      took.push(await timeRequest(url + address, cookie))
      baseline.push(await timeRequest(url + BASELINE_PATH, cookie))
    }
    took.sort((a, b) => a - b)
    const p95Ms = took[Math.ceil(took.length * 0.95) - 1] ?? 0
    timings.push({ address, medianMs: median(took), p95Ms, mostMs: Math.max(...took), besideMs: median(baseline) })
  }
  return timings
}

/** Adds an endpoint with ten thousand finished deliveries. */
async function addDeliveries({ pool }: Pick<BenchWorld, 'pool'>, accountId: string): Promise<string> {
  const id = `hook_${accountId}`
  await pool.query(
    `insert into webhook_endpoint (id, account_id, url, events, enabled, secret_sealed, created_at)
     values ($1, $2, 'https://hooks.example.com/', '{}', true, '', now())`,
    [id, accountId],
  )
  await pool.query(
    `with events as (
       insert into webhook_event (id, account_id, type, body, created_at)
       select 'evt_filled_' || n, $2, 'top_up.succeeded', '{}', now() - make_interval(mins => n) from generate_series(1, 10000) n
       returning id, created_at
     )
     insert into webhook_delivery (id, event_id, endpoint_id, account_id, state, attempts, created_at)
     select 'dlv_' || id, id, $1, $2, 'delivered', 1, created_at from events`,
    [id, accountId],
  )
  return id
}

/** Ids of a filled account, for addresses that need one. */
export async function idsOf(world: Pick<BenchWorld, 'pool'>, accountId: string): Promise<Ids> {
  const { rows } = await world.pool.query<{ id: string }>(
    'select id from usage_record where account_id = $1 order by id desc offset 1000 limit 1',
    [accountId],
  )
  const payment = `pay_${accountId}`
  await world.pool.query(
    `insert into payment (id, account_id, request_id, amount_nano, amount_minor, currency, created_at)
     values ($1, $2, $1, 5000000000, 500, 'usd', now()) on conflict do nothing`,
    [payment, accountId],
  )
  const webhook = await addDeliveries(world, accountId)
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return {
    model: 'filled/model-7',
    key: `${accountId}_key_3`,
    request: rows[0]?.id ?? '',
    payment,
    webhook,
    year: `from=${day(364)}&to=${day(0)}`,
  }
}
