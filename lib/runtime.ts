import { randomBytes } from 'node:crypto'
import pg from 'pg'
import pino from 'pino'
import { buildConsole, type Console } from './console/runtime.ts'
import type { Catalog } from './domain/catalog.ts'
import { ID_RANDOM_BYTES, newId } from './domain/ids.ts'
import { type Env, readEnv } from './env.ts'
import { Places } from './gateway/concurrency.ts'
import { countTokens } from './gateway/count-tokens.ts'
import { MemoryLimiter } from './gateway/limiter.ts'
import type { GatewayPorts } from './gateway/ports.ts'
import type { HostContext } from './gateway/receive.ts'
import { handle, refuseMethod, refusePath } from './gateway/serve.ts'
import { createMetrics, type Metrics } from './host/metrics.ts'
import { Committer } from './ledger/committer.ts'
import { Membership } from './ledger/membership.ts'
import { Wallet } from './ledger/wallet.ts'
import { hmacKey } from './services/key-hash.ts'
import { deriveSecrets, rootSecret, type Secrets } from './setup/secrets.ts'
import { Callers } from './store/callers.ts'
import { loadCatalog } from './store/catalog-store.ts'
import { type HistoryItem, upkeep, writeHistory } from './store/history-store.ts'
import { claimIdempotency, releaseIdempotency } from './store/idempotency-store.ts'
import { touchKeys } from './store/key-store.ts'
import { PgLedgerStore } from './store/ledger-store.ts'
import { Notifications } from './store/notifications.ts'
import { createPrisma } from './store/prisma.ts'
import { unseal } from './store/seal.ts'
import { isTransient } from './store/transient.ts'
import { WriteBehind } from './store/write-behind.ts'
import { VendorRegistry } from './vendors/registry.ts'
import type { Endpoint } from './wire/endpoint.ts'

const UPKEEP_MS = 3_600_000

/** Everything of this process that serves requests. */
export interface Runtime {
  env: Env
  log: pino.Logger
  pool: pg.Pool
  gateway: GatewayPorts
  console: Console
  metrics: Metrics
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

/** The runtime if it has been built. */
export function runningRuntime(): Promise<Runtime> | null {
  return (globalThis as unknown as Global)[SLOT] ?? null
}

type Handler = (request: Request, context: HostContext) => Promise<Response>
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
const METHODS: Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const each = (make: (method: Method) => Handler) =>
  Object.fromEntries(METHODS.map((method) => [method, make(method)])) as Record<Method, Handler>

/** The handlers of an address, for every method: its endpoint's own, and 405 for the others. */
export const serve = (endpoint: Endpoint): Record<Method, Handler> =>
  each((method) => async (request, context) => {
    const { gateway } = await runtime()
    return method === endpoint.method
      ? await handle(endpoint, request, context, gateway)
      : await refuseMethod(endpoint.method, request, context, gateway)
  })

/** The handlers of addresses that do not exist. */
export const nothing = (): Record<Method, Handler> =>
  each(() => async (request, context) => await refusePath(request, context, (await runtime()).gateway))

async function secretsOf(env: Env): Promise<Secrets> {
  return deriveSecrets(env.SECRET_KEY ?? (await rootSecret(env.DATA_DIR)), env.NEXTAUTH_SECRET)
}

/** Where the gateway is reached, from the settings alone: a request's Host header never gets in. */
export const publicUrl = (env: Env): string => env.PUBLIC_URL ?? `http://localhost:${env.PORT}`

async function build(): Promise<Runtime> {
  const env = readEnv()
  if (!env.DATABASE_URL)
    throw new Error('DATABASE_URL is not set. Start with "npm start", which brings its own database, or set it.')
  const log = pino({ level: env.LOG_LEVEL })
  const secrets = await secretsOf(env)
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL, application_name: 'tollgate' })
  pool.on('error', (error) => log.warn({ error: String(error) }, 'an idle database connection was lost'))
  const store = new PgLedgerStore({ pool, url: env.DATABASE_URL })
  const ledger = buildLedger(store, log, env)
  const callers = new Callers({ pool, hash: (secret) => hmacKey(secrets.pepper, secret) })
  const catalog = await openCatalog(pool, secrets, log)
  const behind = buildWriters(pool, log)
  const vendors = new VendorRegistry()
  const metrics = createMetrics({ settling: () => ledger.committer.waiting })
  const notifications = new Notifications({
    url: env.DATABASE_URL,
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
  const stopUpkeep = everyHour(() => upkeep(pool), log)
  const gateway: GatewayPorts = {
    settings: {
      maxBodyBytes: env.MAX_BODY_BYTES,
      defaultRpm: env.KEY_RPM,
      defaultTpm: env.KEY_TPM,
      requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
      readerTimeoutMs: env.READER_TIMEOUT_MS,
      settleTimeoutMs: env.SETTLE_TIMEOUT_MS,
      trustedProxies: env.TRUSTED_PROXIES,
    },
    now: () => Date.now(),
    ticks: () => performance.now(),
    newId: (prefix, nowMs) => newId(prefix, nowMs, randomBytes(ID_RANDOM_BYTES)),
    catalog: catalog.current,
    findCaller: (secret) => callers.find(secret),
    limiter: new MemoryLimiter(),
    enterKey: enterKeyOf(new Places({ most: env.MAX_CONCURRENCY_PER_KEY })),
    wallet: ledger.wallet,
    async settle(settlement) {
      behind.used(settlement.keyId, settlement.at)
      const settled = await ledger.committer.post(settlement)
      ledger.wallet.noteBalance(settlement.accountId, settled.balance)
      if (settled.recall) ledger.wallet.recall(settlement.accountId)
      return settled
    },
    idempotency: {
      claim: (request) => claimIdempotency(pool, { ...request, owner: ledger.membership.owner }),
      release: (accountId, key, requestId) => releaseIdempotency(pool, accountId, key, requestId),
    },
    history: { keep: behind.keep },
    vendor: (connection) => vendors.get(connection),
    countTokens,
    observe: metrics.observe,
    log,
  }
  return {
    env,
    log,
    pool,
    gateway,
    metrics,
    console: buildConsole({
      env,
      pool,
      prisma: createPrisma(pool),
      wallet: ledger.wallet,
      secrets,
      publicUrl: () => publicUrl(env),
      log,
    }),
    async stop() {
      stopUpkeep()
      await ledger.committer.drain()
      await behind.drain()
      await notifications.stop()
      await ledger.membership.stop()
      await store.close()
      await vendors.close()
      await pool.end()
    },
  }
}

const enterKeyOf = (places: Places) => (keyId: string) => places.enter(keyId)

function buildLedger(store: PgLedgerStore, log: pino.Logger, env: Env) {
  const ticks = () => performance.now()
  const committer = new Committer({
    store,
    isTransient,
    log,
    ticks,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  })
  const membership: Membership = new Membership({
    store,
    log,
    ticks,
    newOwner: () => newId('proc', Date.now(), randomBytes(ID_RANDOM_BYTES)),
    lifeMs: env.LEASE_LIFE_MS,
    events: {
      restarted: (owner) => wallet.restart(owner),
      recalled: (purseId) => wallet.recall(purseId),
      failedOver: () => committer.repost(),
      beaten: () => wallet.returnIdle(),
    },
  })
  const wallet: Wallet = new Wallet({
    store,
    log,
    ticks,
    inTouch: () => membership.inTouch(),
    swept: () => {
      membership.join().catch((error: unknown) => log.warn({ error: String(error) }, 'registering again waits for the database'))
    },
  })
  return { committer, membership, wallet }
}

/** The catalog in memory, read again when something in it changed. */
async function openCatalog(pool: pg.Pool, secrets: Secrets, log: pino.Logger) {
  const open = (sealed: Buffer | null) => (sealed === null ? null : unseal(secrets.sealing, sealed))
  let catalog: Catalog = await loadCatalog(pool, open)
  let wanted = false
  let loading = false
  const load = async () => {
    while (wanted) {
      wanted = false
      catalog = await loadCatalog(pool, open)
    }
  }
  return {
    current: () => catalog,
    reload() {
      wanted = true
      if (loading) return
      loading = true
      load()
        .catch((error: unknown) => log.error({ error: String(error) }, 'the catalog could not be read again'))
        .finally(() => {
          loading = false
        })
    },
  }
}

/** What is written away from the request: message history, and when keys were last used. */
function buildWriters(pool: pg.Pool, log: pino.Logger) {
  const history = new WriteBehind<Omit<HistoryItem, 'json'> & { make: () => object }>({
    write: (items) =>
      writeHistory(
        pool,
        items.map(({ make, ...item }) => ({ ...item, json: JSON.stringify(make()) })),
      ),
    failed: (error, count) => log.error({ error: String(error), count }, 'message history was lost'),
    delayMs: 200,
    batch: 100,
    most: 20_000,
  })
  const uses = new Map<string, Date>()
  let timer: NodeJS.Timeout | null = null
  const touch = async () => {
    timer = null
    const [ids, times] = [[...uses.keys()], [...uses.values()]]
    uses.clear()
    if (ids.length > 0)
      await touchKeys(pool, ids, times).catch((error: unknown) =>
        log.warn({ error: String(error) }, 'the last use of keys was not noted'),
      )
  }
  return {
    keep: (requestId: string, at: Date, accountId: string, make: () => object) => history.add({ requestId, at, accountId, make }),
    used(keyId: string, at: Date) {
      uses.set(keyId, at)
      timer ??= setTimeout(() => void touch(), 2_000)
    },
    async drain() {
      if (timer) clearTimeout(timer)
      await history.drain()
      await touch()
    },
  }
}

function everyHour(work: () => Promise<void>, log: pino.Logger): () => void {
  const round = () => {
    work().catch((error: unknown) => log.warn({ error: String(error) }, 'upkeep is tried again in an hour'))
  }
  round()
  const timer = setInterval(round, UPKEEP_MS)
  timer.unref()
  return () => clearInterval(timer)
}
