import type pg from 'pg'
import pino from 'pino'
import { fulfillsWithin } from './console/fulfills-within.ts'
import { buildConsole, type Console } from './console/runtime.ts'
import { type Env, publicUrl, readEnv } from './env.ts'
import { type Answer, toResponse } from './gateway/answer.ts'
import { answerPreflight, withCorsHeaders } from './gateway/cors.ts'
import type { GatewayPorts } from './gateway/ports.ts'
import type { HostContext } from './gateway/receive.ts'
import { handle, refuseMethod, refusePath } from './gateway/serve.ts'
import { startAlertUpkeep } from './host/alert-upkeep.ts'
import { startBillingUpkeep } from './host/billing-upkeep.ts'
import { buildGateway, type GatewayRuntime } from './host/build-gateway.ts'
import { createMedia, type Files, openStore } from './host/files.ts'
import { JOB_RUNNERS } from './host/job-runner.ts'
import { createMailer } from './host/mailer.ts'
import { createMetrics, type Metrics } from './host/metrics.ts'
import { createPriceRegistry } from './host/price-registry.ts'
import { connectToPrimary, type HeldTotals, type Primary } from './host/primary.ts'
import { openSettings, type RuntimeSettings, subscribeToSettings } from './host/settings.ts'
import { createStripe } from './host/stripe.ts'
import { createVendorBalance, createVendorProbe } from './host/vendor-probe.ts'
import { secretsOf } from './setup/secrets.ts'
import { assertWritable } from './store/check-database.ts'
import { openPool } from './store/open-pool.ts'
import { createPrisma } from './store/prisma.ts'
import { PgTaskStore } from './store/task-store.ts'
import type { Endpoint } from './wire/endpoint.ts'
import { describeApi } from './wire/openapi.ts'

/** Everything in this process that serves requests. */
export interface Runtime {
  env: Env
  log: pino.Logger
  pool: pg.Pool
  settings: RuntimeSettings
  /** Throws if this process serves only the console. */
  readonly gateway: GatewayPorts
  /** Throws if this process serves only the console. */
  readonly files: Files
  console: Console
  metrics: Metrics
  /** The process that started this one as a worker; null if there is none. */
  primary: Primary | null
  /** Whether the database answers within a second, and takes writes. */
  ping(): Promise<boolean>
  /** How many charges the database has not confirmed yet. */
  readonly unsettled: number
  /** Breaks off the requests in progress, which nothing waits for any longer. */
  breakOff(): void
  /** Stops admitting requests, settles those in progress, returns leases, and closes connections. */
  stop(): Promise<void>
}

interface RuntimeSlots {
  [key: symbol]: Promise<Runtime> | undefined
}

const RUNTIME_KEY = Symbol.for('tollgate.runtime')

/**
 * The runtime of this process, built on the first call. There is only one, although Next and Node each load their own copy of
 * this module.
 */
export function runtime(): Promise<Runtime> {
  // A build would join the gateways of the configured database, take their jobs, and disappear without warning.
  if (process.env.NEXT_PHASE === 'phase-production-build') throw new Error('A build must not open what a request needs.')
  const slots = globalThis as unknown as RuntimeSlots
  slots[RUNTIME_KEY] ??= build().catch((error: unknown) => {
    delete slots[RUNTIME_KEY]
    throw error
  })
  return slots[RUNTIME_KEY]
}

/** Returns a Response for Next. The lane, which says so in the context, gets the plain answer instead. */
type Handler = (request: Request, context: HostContext) => Promise<Response>
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
const METHODS: Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const forEachMethod = (make: (method: Method) => Handler) =>
  Object.fromEntries(METHODS.map((method) => [method, make(method)])) as Record<Method, Handler>

type AnswerHandler = (request: Request, context: HostContext, parts: Runtime) => Promise<Answer>

/** The handlers of an address, one for each method. Web pages of allowed origins may read their answers. */
const corsHandlers = (make: (method: Method) => AnswerHandler) =>
  forEachMethod((method) => {
    const answer = make(method)
    return async (request, context) => {
      const parts = await runtime()
      const { CORS_ORIGINS: origins } = parts.env
      const answered =
        answerPreflight(request, origins) ?? withCorsHeaders(await answer(request, context, parts), request, origins)
      return toHandlerResponse(answered, context)
    }
  })

/**
 * The handlers of an address: its endpoints, and a 405 for all other methods. Where there is GET, HEAD answers without the body.
 */
export const serve = (...endpoints: [Endpoint, ...Endpoint[]]): Record<Method, Handler> => {
  const allow = endpoints.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
  return corsHandlers((method) => {
    const endpoint = endpoints.find((item) => item.method === (method === 'HEAD' ? 'GET' : method))
    return (request, context, { gateway }) =>
      endpoint ? handle(endpoint, request, context, gateway) : refuseMethod(allow, request, context, gateway)
  })
}

const toHandlerResponse = (answer: Answer, { lane }: HostContext): Response =>
  lane ? (answer as unknown as Response) : toResponse(answer)

/** The handlers of addresses that do not exist. */
export const notFoundHandlers = (): Record<Method, Handler> =>
  corsHandlers(
    () =>
      (request, context, { gateway }) =>
        refusePath(request, context, gateway),
  )

/** The handlers of the files that the gateway stores. */
export const fileHandlers = (): Record<Method, Handler> =>
  corsHandlers(
    () =>
      (request, _context, { files: kept }) =>
        kept.answer(request),
  )

let apiDocumentJson: string | null = null

/** The handlers of the API's OpenAPI document, which is public. */
export const apiDocument = (): Record<Method, Handler> =>
  forEachMethod((method) => async (_request, context) => {
    if (method !== 'GET' && method !== 'HEAD')
      return toHandlerResponse({ status: 405, headers: { allow: 'GET, HEAD' }, body: null }, context)
    apiDocumentJson ??= JSON.stringify(describeApi(publicUrl((await runtime()).env)))
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' }
    return toHandlerResponse({ status: 200, headers, body: apiDocumentJson }, context)
  })

/** How long to wait for a connection, whether a new one or a free one. */
const CONNECT_MS = 15_000
const KEEP_ALIVE_MS = 5000

function openDatabase(env: Env, log: pino.Logger): pg.Pool {
  // Each job runner keeps a connection for listening.
  const max = env.DATABASE_POOL + (env.ROLE === 'console' ? 0 : JOB_RUNNERS)
  const pool = openPool({
    connectionString: env.DATABASE_URL,
    max,
    application_name: 'tollgate',
    connectionTimeoutMillis: CONNECT_MS,
    // Detects a server that disappeared silently, also on idle connections.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  pool.on('error', (error) => log.warn({ error: String(error) }, 'an idle database connection was lost'))
  return pool
}

async function build(): Promise<Runtime> {
  const env = readEnv()
  if (!env.DATABASE_URL)
    throw new Error('DATABASE_URL is not set. Set it, or start with "npm start", which brings its own database.')
  const log = pino({ level: env.LOG_LEVEL })
  const secrets = await secretsOf(env)
  const pool = openDatabase(env, log)
  const metrics = createMetrics()
  const settings = await openSettings(pool, env, log)
  // A console alone takes no part in what only gateways need: leases, heartbeats and limits of keys.
  let side: GatewayRuntime | null = null
  const primary = env.TOLLGATE_WORKER
    ? connectToPrimary({
        metrics: () => metrics.readJson(),
        held: (accountId) => side?.held(accountId) ?? { nano: 0n, requests: 0 },
      })
    : null
  if (env.ROLE !== 'console') side = await buildGateway({ env, log, pool, secrets, metrics, primary, settings })
  const settingsListener = side ? null : await subscribeToSettings({ pool, env, log }, settings)
  const none: HeldTotals = { nano: 0n, requests: 0 }
  const heldInProcesses = (accountId: string) => side?.held(accountId) ?? primary?.held(accountId).catch(() => none) ?? none
  const taskStore = new PgTaskStore(pool)
  const held = async (accountId: string) => {
    const [own, tasks] = await Promise.all([heldInProcesses(accountId), taskStore.held(accountId)])
    return { nano: own.nano + tasks.nano, requests: own.requests + tasks.requests, tasks: tasks.requests }
  }
  const prisma = createPrisma(pool)
  const mail = createMailer(env, log)
  const console = buildConsole({
    env,
    liveSettings: settings,
    pool,
    prisma,
    wallet: { held },
    mailer: mail,
    media: createMedia(() => openStore(env), secrets.files, log),
    secrets,
    stripe: createStripe(env, log),
    vendorProbe: createVendorProbe(),
    vendorBalance: createVendorBalance(),
    priceRegistry: createPriceRegistry(),
    publicUrl: () => publicUrl(env),
    log,
    countEventRejection: metrics.countEventRejection,
  })
  const upkeep = { ports: console.ports, mail, log }
  const stops = env.TOLLGATE_UPKEEP === 'yes' ? [startBillingUpkeep(upkeep), startAlertUpkeep(upkeep)] : []
  return {
    env,
    log,
    pool,
    get gateway() {
      return requireGateway(side).ports
    },
    get files() {
      return requireGateway(side).files
    },
    console,
    settings,
    metrics,
    primary,
    get unsettled() {
      return side?.unsettled ?? 0
    },
    breakOff: () => side?.breakOff(),
    ping: () => fulfillsWithin(assertWritable(pool), PING_MS),
    async stop() {
      // A mail server that hangs may delay the upkeep. The gateway's holds and charges do not wait for that.
      await Promise.all([...stops.map((stop) => stop()), side?.stop()])
      await console.ports.background.idle()
      await settingsListener?.stop()
      await pool.end()
    },
  }
}

function requireGateway(side: GatewayRuntime | null): GatewayRuntime {
  if (!side) throw new Error('This process serves the console only.')
  return side
}

const PING_MS = 1000
