import { join } from 'node:path'
import pg from 'pg'
import pino from 'pino'
import { answered } from './console/answered.ts'
import { buildConsole, type Console } from './console/runtime.ts'
import { type Env, publicUrl, readEnv } from './env.ts'
import { type Answer, toResponse } from './gateway/answer.ts'
import type { Breakers } from './gateway/breaker.ts'
import { countTokens } from './gateway/count-tokens.ts'
import type { GatewayPorts } from './gateway/ports.ts'
import type { HostContext } from './gateway/receive.ts'
import { handle, refuseMethod, refusePath } from './gateway/serve.ts'
import type { Shed } from './gateway/shed.ts'
import type { Backlog } from './host/backlog.ts'
import { breakerStates, buildBreakers, deploymentsOf } from './host/breakers.ts'
import { buildLedger } from './host/ledger.ts'
import { type Limits, openLimits } from './host/limits.ts'
import { openCatalog } from './host/live-catalog.ts'
import { countPosts, watchLoad } from './host/load.ts'
import { createMetrics, type Metrics } from './host/metrics.ts'
import { makeId } from './host/new-ids.ts'
import { type Held, joinPrimary, type Primary } from './host/primary.ts'
import { buildWriters, startUpkeep } from './host/writers.ts'
import { hmacKey } from './services/key-hash.ts'
import { secretsOf } from './setup/secrets.ts'
import { Callers } from './store/callers.ts'
import { claimIdempotency, releaseIdempotency } from './store/idempotency-store.ts'
import { PgLedgerStore } from './store/ledger-store.ts'
import { Notifications } from './store/notifications.ts'
import { createPrisma } from './store/prisma.ts'
import { isTransient } from './store/transient.ts'
import { Undelivered } from './store/undelivered.ts'
import { VendorRegistry } from './vendors/registry.ts'
import type { Endpoint } from './wire/endpoint.ts'

/** Everything of this process that serves requests. */
export interface Runtime {
  env: Env
  log: pino.Logger
  pool: pg.Pool
  /** Throws where this process serves the console only. */
  readonly gateway: GatewayPorts
  console: Console
  metrics: Metrics
  /** The process that started this one as one of its workers. */
  primary: Primary | null
  /** Whether the database answers, within a second. */
  ping(): Promise<boolean>
  /** Stops admitting, settles what is under way, gives leases back, closes connections. */
  stop(): Promise<void>
}

interface Global {
  [key: symbol]: Promise<Runtime> | undefined
}

const SLOT = Symbol.for('tollgate.runtime')

/**
 * The runtime of this process, built when first asked for. There is one, though Next and Node each
 * load their own copy of this module.
 */
export function runtime(): Promise<Runtime> {
  const slots = globalThis as unknown as Global
  slots[SLOT] ??= build().catch((error: unknown) => {
    delete slots[SLOT]
    throw error
  })
  return slots[SLOT]
}

/** Requests without a client may take this long to end when the process stops, in milliseconds. */
const DRAIN_MS = 10_000

/** For Next a Response; for the lane, which says so, what it would be made of. */
type Handler = (request: Request, context: HostContext) => Promise<Response>
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
const METHODS: Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const each = (make: (method: Method) => Handler) =>
  Object.fromEntries(METHODS.map((method) => [method, make(method)])) as Record<Method, Handler>

/** The handlers of an address, for every method: its endpoint's own, and 405 for the others. */
export const serve = (endpoint: Endpoint): Record<Method, Handler> =>
  each((method) => async (request, context) => {
    const { gateway } = await runtime()
    return leave(
      method === endpoint.method
        ? await handle(endpoint, request, context, gateway)
        : await refuseMethod(endpoint.method, request, context, gateway),
      context,
    )
  })

const leave = (answer: Answer, { lane }: HostContext): Response => (lane ? (answer as unknown as Response) : toResponse(answer))

/** The handlers of addresses that do not exist. */
export const nothing = (): Record<Method, Handler> =>
  each(() => async (request, context) => leave(await refusePath(request, context, (await runtime()).gateway), context))

async function build(): Promise<Runtime> {
  const env = readEnv()
  if (!env.DATABASE_URL)
    throw new Error('DATABASE_URL is not set. Start with "npm start", which brings its own database, or set it.')
  const log = pino({ level: env.LOG_LEVEL })
  const secrets = await secretsOf(env)
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL, application_name: 'tollgate' })
  pool.on('error', (error) => log.warn({ error: String(error) }, 'an idle database connection was lost'))
  const metrics = createMetrics()
  // A console alone takes part in nothing that only gateways need: no leases, no beats, no limits of keys.
  let side: GatewaySide | null = null
  const primary = env.TOLLGATE_WORKER
    ? joinPrimary({
        metrics: () => metrics.values(),
        held: (accountId) => side?.held(accountId) ?? { nano: 0n, requests: 0 },
      })
    : null
  if (env.ROLE !== 'console') side = await buildGateway({ env, log, pool, secrets, metrics, primary })
  const none: Held = { nano: 0n, requests: 0 }
  const held = (accountId: string) => side?.held(accountId) ?? primary?.held(accountId).catch(() => none) ?? none
  const prisma = createPrisma(pool)
  const console = buildConsole({ env, pool, prisma, wallet: { held }, secrets, publicUrl: () => publicUrl(env), log })
  return {
    env,
    log,
    pool,
    get gateway() {
      if (!side) throw new Error('This process serves the console only.')
      return side.ports
    },
    console,
    metrics,
    primary,
    ping: () => answered(pool.query('SELECT 1'), PING_MS),
    async stop() {
      await side?.stop()
      await pool.end()
    },
  }
}

const PING_MS = 1000

interface GatewaySide {
  ports: GatewayPorts
  held(accountId: string): Held
  stop(): Promise<void>
}

interface Base {
  env: Env
  log: pino.Logger
  pool: pg.Pool
  secrets: Awaited<ReturnType<typeof secretsOf>>
  metrics: Metrics
  primary: Primary | null
}

/** Everything that serves the API. */
async function buildGateway({ env, log, pool, secrets, metrics, primary }: Base): Promise<GatewaySide> {
  const store = new PgLedgerStore({ pool, url: env.DATABASE_URL ?? '' })
  const ledger = buildLedger(store, log, env.LEASE_LIFE_MS)
  const callers = new Callers({ pool, hash: (secret) => hmacKey(secrets.pepper, secret) })
  const breakers = buildBreakers(env, log)
  const catalog = await openCatalog(pool, secrets.sealing, log, (all) => breakers.keep(deploymentsOf(all)))
  metrics.showBreakers(() => breakerStates(catalog.current(), breakers))
  const writers = buildWriters(pool, log, () => metrics.dropped('history'))
  const vendors = new VendorRegistry()
  const notifications = new Notifications({
    url: env.DATABASE_URL ?? '',
    pool,
    warn: (message, error) => log.warn({ error: String(error) }, message),
    heard: {
      recall: (purseId) => ledger.wallet.recall(purseId),
      returned: (purseId) => ledger.wallet.returned(purseId),
      change(topic, ref) {
        if (topic === 'key' || topic === 'account') callers.forget(topic, ref)
        else catalog.reload()
      },
    },
  })
  await ledger.membership.start()
  await notifications.start()
  const undelivered = new Undelivered({
    dir: join(env.DATA_DIR, 'undelivered'),
    post: (settlement) => ledger.committer.post(settlement),
    failed: (error, request) => log.error({ request, error: String(error) }, 'a void could not be kept or posted'),
  })
  void undelivered.deliverLeft()
  const newProcessId = () => makeId('proc', Date.now())
  const limits = await openLimits({ env, log, metrics, primary, newProcessId })
  const stopUpkeep = env.TOLLGATE_UPKEEP === 'yes' ? startUpkeep(pool, log) : () => undefined
  const { shed, backlog, stopLag } = watchLoad(env, log, metrics)
  return {
    ports: gatewayPorts({
      env,
      log,
      pool,
      ledger,
      callers,
      catalog,
      writers,
      vendors,
      breakers,
      metrics,
      limits,
      shed,
      backlog,
      undelivered,
    }),
    held: (accountId) => ledger.wallet.held(accountId),
    async stop() {
      stopUpkeep()
      // Some requests go on after their client has left.
      await limits.places.drained(DRAIN_MS)
      await ledger.committer.drain()
      await writers.drain()
      stopLag()
      await limits.stop()
      await notifications.stop()
      await ledger.membership.stop()
      await store.close()
      await vendors.close()
    },
  }
}

interface Parts {
  env: Env
  log: pino.Logger
  pool: pg.Pool
  ledger: ReturnType<typeof buildLedger>
  callers: Callers
  catalog: Awaited<ReturnType<typeof openCatalog>>
  writers: ReturnType<typeof buildWriters>
  vendors: VendorRegistry
  breakers: Breakers
  metrics: Metrics
  limits: Limits
  shed: Shed
  backlog: Backlog
  undelivered: Undelivered
}

/** Joins the parts to what the gateway asks for. */
function gatewayPorts(parts: Parts): GatewayPorts {
  const { env, log, pool, ledger, callers, catalog, writers, vendors, breakers, metrics, limits, shed, backlog } = parts
  const post = countPosts({ post: (item) => ledger.committer.post(item), backlog, dropped: () => metrics.dropped('record') })
  return {
    settings: {
      maxBodyBytes: env.MAX_BODY_BYTES,
      defaultRpm: env.KEY_RPM,
      defaultTpm: env.KEY_TPM,
      requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
      readerTimeoutMs: env.READER_TIMEOUT_MS,
      settleTimeoutMs: env.SETTLE_TIMEOUT_MS,
      hops: env.HOPS,
      trustedProxies: env.TRUSTED_PROXIES,
    },
    now: () => Date.now(),
    ticks: () => performance.now(),
    random: () => Math.random(),
    newId: makeId,
    catalog: catalog.current,
    isKnown: (secret) => callers.isKnown(secret),
    findCaller: (secret) => callers.find(secret),
    shed,
    limiter: limits.limiter,
    enterKey: (keyId) => limits.places.enter(keyId),
    wallet: ledger.wallet,
    async settle(settlement) {
      writers.used(settlement.keyId, settlement.at)
      const settled = await post(settlement)
      if (settled === null) return { id: settlement.id, fresh: false, charged: 0n, shortfall: 0n, balance: 0n, recall: false }
      ledger.wallet.noteBalance(settlement.accountId, settled.balance)
      if (settled.recall) ledger.wallet.recall(settlement.accountId)
      return settled
    },
    undeliver: (settlement) => parts.undelivered.add(settlement),
    idempotency: {
      claim: (request) => claimIdempotency(pool, { ...request, owner: ledger.membership.owner }),
      release: (accountId, key, requestId) => releaseIdempotency(pool, accountId, key, requestId),
    },
    history: { keep: writers.keep },
    vendor: (connection) => vendors.get(connection),
    breakers,
    countTokens,
    observe: metrics.observe,
    isTransient,
    log,
  }
}
