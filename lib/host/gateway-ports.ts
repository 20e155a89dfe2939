import type pg from 'pg'
import type pino from 'pino'
import type { Settlement } from '../domain/settlement.ts'
import type { Env } from '../env.ts'
import type { Breakers } from '../gateway/breaker.ts'
import { createBodyCapacity } from '../gateway/byte-capacity.ts'
import { CallSlots } from '../gateway/call-slots.ts'
import { decodeTokens } from '../gateway/decode-tokens.ts'
import { DeploymentRates } from '../gateway/deployment-rates.ts'
import type { InFlight } from '../gateway/in-flight.ts'
import type { LoadShedder } from '../gateway/load-shedder.ts'
import type { GatewayPorts, GatewaySettings } from '../gateway/ports.ts'
import type { TaskPort, UndeliveredTask } from '../gateway/tasks/ports.ts'
import type { LiveSettings } from '../services/settings-ports.ts'
import type { CallerCache } from '../store/caller-cache.ts'
import { recordFull } from '../store/deployment-health.ts'
import { claimIdempotency, releaseIdempotency } from '../store/idempotency-store.ts'
import type { Outbox } from '../store/ledger/outbox.ts'
import { isTransient } from '../store/transient.ts'
import type { VendorRegistry } from '../vendors/registry.ts'
import type { Backlog } from './backlog.ts'
import type { Files } from './files.ts'
import type { buildLedger } from './ledger.ts'
import type { Limits } from './limits.ts'
import type { openCatalog } from './live-catalog.ts'
import { trackPosts } from './load-shedding.ts'
import { makeId } from './make-id.ts'
import type { Metrics } from './metrics.ts'
import { createResponseStore } from './response-store.ts'
import type { Spans } from './spans.ts'
import type { Spool } from './spool.ts'
import { TokenCounter } from './token-counter.ts'
import { uploadSeconds } from './upload-seconds.ts'
import type { buildWriters } from './writers.ts'

/** The parts that make up the gateway's side of a process. */
export interface GatewayParts {
  env: Env
  live: LiveSettings['values']
  log: pino.Logger
  pool: pg.Pool
  ledger: ReturnType<typeof buildLedger>
  callers: CallerCache
  catalog: Awaited<ReturnType<typeof openCatalog>>
  writers: ReturnType<typeof buildWriters>
  vendors: VendorRegistry
  breakers: Breakers
  metrics: Metrics
  limits: Limits
  shed: LoadShedder
  backlog: Backlog
  voids: Outbox<Settlement>
  undeliveredTasks: Outbox<UndeliveredTask>
  spool: Spool
  files: Files
  tasks: TaskPort
  spans: Spans | null
  inFlight: InFlight
}

/** Settings that read `live` on every access, so that an operator's change applies to the next request. */
const settingsOf = (env: Env, live: LiveSettings['values']): GatewaySettings => ({
  get maintenance() {
    return live.maintenance
  },
  maxBodyBytes: env.MAX_BODY_BYTES,
  maxUploadBytes: env.MAX_UPLOAD_BYTES,
  get defaultRpm() {
    return live.keyRpm
  },
  get defaultTpm() {
    return live.keyTpm
  },
  get requestTimeoutMs() {
    return live.requestTimeoutMs
  },
  get readerTimeoutMs() {
    return live.readerTimeoutMs
  },
  settleTimeoutMs: env.SETTLE_TIMEOUT_MS,
  fileLifetimeMs: env.FILE_HOURS * 3_600_000,
  get hops() {
    return live.hops
  },
  videos: {
    timeoutMs: env.VIDEO_TIMEOUT_MS,
    silenceMs: env.VIDEO_SILENCE_MS,
    waitMs: env.VIDEO_WAIT_MS,
    pollsPerSecond: env.VIDEO_POLLS_PER_SECOND,
    maxBytes: env.VIDEO_MAX_BYTES,
  },
  trustedProxies: env.TRUSTED_PROXIES,
})

/** Shows operators which deployments are at their limits. No request waits for this. */
const createDeploymentRates = ({ pool, log, ledger, limits }: GatewayParts): DeploymentRates =>
  new DeploymentRates({
    limiter: limits.limiter,
    ticks: () => performance.now(),
    onFull: (deployment, endsInMs) =>
      void recordFull(pool, ledger.membership.owner, deployment, endsInMs).catch((error: unknown) =>
        log.warn({ deployment, error: String(error) }, 'operators do not see that a deployment is full'),
      ),
  })

const createTokenCounter = ({ log }: GatewayParts): TokenCounter =>
  new TokenCounter({
    onFailure: (error) => log.warn({ error: String(error) }, 'the token counting thread died; tokens are counted without it'),
  })

/** Joins the parts into the ports that the gateway needs. */
export function gatewayPorts(parts: GatewayParts): GatewayPorts {
  const { env, log, pool, ledger, callers, catalog, writers, vendors, breakers, metrics, limits, shed, backlog } = parts
  const tokens = createTokenCounter(parts)
  const post = trackPosts({
    post: (item) => ledger.committer.post(item),
    backlog,
    onDropped: () => metrics.countDropped('record'),
  })
  return {
    settings: settingsOf(env, parts.live),
    now: () => Date.now(),
    ticks: () => performance.now(),
    random: () => Math.random(),
    newId: makeId,
    catalog: catalog.current,
    isKnown: (secret) => callers.isKnown(secret),
    findCaller: (secret) => callers.find(secret),
    findCallerSparingly: (secret) => callers.findSparingly(secret),
    shed,
    limiter: limits.limiter,
    enterCaller: (caller) => limits.concurrencyLimiter.enter(caller),
    wallet: ledger.wallet,
    async settle(settlement) {
      writers.noteKeyUse(settlement.keyId, settlement.at)
      const settled = await post(settlement)
      if (settled === null) return { id: settlement.id, fresh: false, charged: 0n, shortfall: 0n, balance: 0n, recall: false }
      ledger.wallet.recordBalance(settlement.accountId, settled.balance)
      if (settled.recall) ledger.wallet.recall(settlement.accountId)
      return settled
    },
    postVoid: (settlement) => parts.voids.add(settlement),
    keepUndelivered: (task, ending) => parts.undeliveredTasks.add(task, () => ending),
    idempotency: {
      claim: (request) => claimIdempotency(pool, { ...request, owner: ledger.membership.owner }),
      release: (accountId, key, requestId) => releaseIdempotency(pool, accountId, key, requestId),
    },
    history: { save: writers.saveHistory },
    responses: createResponseStore(pool, { days: env.RESPONSES_DAYS, retryForMs: env.SETTLE_TIMEOUT_MS }),
    files: parts.files.port,
    vendor: (connection) => vendors.get(connection),
    tasks: parts.tasks,
    breakers,
    inFlight: parts.inFlight,
    callSlots: new CallSlots(),
    rates: createDeploymentRates(parts),
    spool: parts.spool,
    bodies: createBodyCapacity({ accountBytes: env.BODY_BYTES_PER_ACCOUNT, bytes: env.BODY_BYTES }),
    countTokens: (text) => tokens.count(text),
    decodeTokens,
    audioSeconds: uploadSeconds,
    observe: metrics.observe,
    traffic: writers.traffic,
    spans: parts.spans ?? undefined,
    isTransient,
    log,
  }
}
