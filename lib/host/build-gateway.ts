import { join } from 'node:path'
import type pg from 'pg'
import type pino from 'pino'
import type { Settlement } from '../domain/settlement.ts'
import { type Env, publicUrl } from '../env.ts'
import { InFlight } from '../gateway/in-flight.ts'
import type { GatewayPorts } from '../gateway/ports.ts'
import { endAbandoned } from '../gateway/tasks/end-undelivered.ts'
import type { UndeliveredTask } from '../gateway/tasks/ports.ts'
import { cancelTask } from '../gateway/tasks/show-task.ts'
import { stepTask } from '../gateway/tasks/step.ts'
import { hmacKey } from '../services/keys/key-hash.ts'
import type { Secrets } from '../setup/secrets.ts'
import { CallerCache } from '../store/caller-cache.ts'
import { ChangeListener } from '../store/change-listener.ts'
import { recordHealth } from '../store/deployment-health.ts'
import { PgLedgerStore } from '../store/ledger/ledger-store.ts'
import { Outbox } from '../store/ledger/outbox.ts'
import { VendorRegistry } from '../vendors/registry.ts'
import { breakerStates, buildBreakers, deploymentsOf, notifyInOrder } from './breakers.ts'
import { buildFiles, type Files, openStore } from './files.ts'
import { type GatewayParts, gatewayPorts } from './gateway-ports.ts'
import { buildLedger } from './ledger.ts'
import { type Limits, openLimits } from './limits.ts'
import { openCatalog } from './live-catalog.ts'
import { watchLoad } from './load-shedding.ts'
import { createMailer } from './mailer.ts'
import { makeId } from './make-id.ts'
import type { Metrics } from './metrics.ts'
import type { HeldTotals, Primary } from './primary.ts'
import type { RuntimeSettings } from './settings.ts'
import { openSpans } from './spans.ts'
import { openSpool } from './spool.ts'
import { openTasks } from './task-port.ts'
import { runTasks, type TaskRunnerParts } from './task-runner.ts'
import { uploadSeconds } from './upload-seconds.ts'
import { createWebhookPost } from './webhook-post.ts'
import { openWebhooks } from './webhooks.ts'
import { buildWriters, startUpkeep } from './writers.ts'

/** When the process stops, requests that go on without a client may take this long to end, in milliseconds. */
const DRAIN_TIMEOUT_MS = 10_000
/** After they are told to end, they get this much longer: what was generated has to be counted. */
const BREAK_OFF_GRACE_MS = 7000
/** How often to check whether they were told to end. */
const DRAIN_POLL_MS = 100

/** The part of a process that serves the API. */
export interface GatewayRuntime {
  ports: GatewayPorts
  files: Files
  held(accountId: string): HeldTotals
  /** How many charges the database has not confirmed yet. */
  readonly unsettled: number
  /** Ends the requests in progress: each is told so and charged for what it got. Requests that arrive later end at once. */
  breakOff(): void
  stop(): Promise<void>
}

interface GatewayDependencies {
  env: Env
  log: pino.Logger
  pool: pg.Pool
  secrets: Secrets
  metrics: Metrics
  primary: Primary | null
  settings: RuntimeSettings
}

const createProcessId = () => makeId('proc', Date.now())

/** Builds everything that serves the API. */
export async function buildGateway(base: GatewayDependencies): Promise<GatewayRuntime> {
  const { env, log, pool, secrets, metrics, primary, settings } = base
  const live = settings.values
  const store = openLedgerStore(base)
  const ledger = buildLedger(store, log, env.LEASE_LIFE_MS)
  const callers = new CallerCache({ pool, hash: (secret) => hmacKey(secrets.pepper, secret) })
  const breakers = buildBreakers(live, log, createHealthNotifier(pool, log, ledger.membership))
  const catalog = await openCatalog(pool, secrets.credentials, log, (all) => breakers.retainOnly(deploymentsOf(all)))
  metrics.registerBreakers(() => breakerStates(catalog.current(), breakers))
  const writers = buildWriters(pool, log, metrics.countDropped, createProcessId())
  const vendors = new VendorRegistry({ audioSeconds: uploadSeconds })
  const notifications = createNotifications({ env, log, pool, ledger, callers, catalog, breakers, settings })
  await ledger.membership.start()
  await notifications.start()
  const outboxes = openOutboxes(base, ledger, (task) => endAbandoned(task, ports))
  const spool = await openSpool(env, log)
  const limits = await openLimits({ env, live, log, metrics, primary, newProcessId: createProcessId })
  const files = await openFiles(base)
  const stopUpkeep = env.TOLLGATE_UPKEEP === 'yes' ? startUpkeep(pool, log, files) : () => undefined
  const load = watchLoad(live, log, metrics)
  const spans = await openSpans(env, log, () => metrics.countDropped('span'))
  const tasks = openTasks(pool, () => ledger.membership.owner)
  const inFlight = new InFlight()
  const ports: GatewayPorts = gatewayPorts({
    env,
    live,
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
    ...load,
    ...outboxes,
    spool,
    files,
    tasks: tasks.port,
    spans,
    inFlight,
  })
  for (const outbox of Object.values(outboxes)) void outbox.deliverPending()
  const webhooks = await startWebhooks({ env, log, pool, secrets })
  const runner = await runTasks({ pool, log, store: tasks.store, owner: () => ledger.membership.owner, ...taskWork(ports) })
  return {
    ports,
    files,
    held: (accountId) => ledger.wallet.held(accountId),
    get unsettled() {
      return ledger.committer.pendingCount
    },
    breakOff: () => breakOffAll(inFlight, log),
    async stop() {
      stopUpkeep()
      await Promise.all([runner.stop(), webhooks.stop(), drain(limits, inFlight, log)])
      await spool.close()
      await ledger.committer.drain()
      await spans?.close()
      await writers.drain()
      load.stopLag()
      await limits.stop()
      await notifications.stop()
      await ledger.membership.stop()
      await store.close()
      await vendors.close()
      await files.close()
    },
  }
}

const taskWork = (ports: GatewayPorts): Pick<TaskRunnerParts, 'step' | 'cancel'> => ({
  step: (id, signal) => stepTask(id, signal, ports),
  cancel: (accountId, id) => cancelTask(accountId, id, ports),
})

function breakOffAll(inFlight: InFlight, log: pino.Logger): void {
  const count = inFlight.stopAll()
  if (count > 0) log.warn({ count }, 'requests still in progress are cut off because the process stops')
}

/** Waits for requests in progress, because some go on after their client has disconnected. */
async function drain({ concurrencyLimiter }: Limits, inFlight: InFlight, log: pino.Logger): Promise<void> {
  const untilMs = performance.now() + DRAIN_TIMEOUT_MS
  while (!inFlight.stopped && performance.now() < untilMs) if (await concurrencyLimiter.waitUntilDrained(DRAIN_POLL_MS)) return
  breakOffAll(inFlight, log)
  await concurrencyLimiter.waitUntilDrained(BREAK_OFF_GRACE_MS)
}

function openLedgerStore({ env, log, pool }: GatewayDependencies): PgLedgerStore {
  const onRefused = (error: unknown) =>
    log.warn(
      { error: String(error) },
      'the database refused the fast way of settling; if it always does, settling takes twice as long',
    )
  return new PgLedgerStore({ pool, url: env.DATABASE_URL ?? '', onRefused })
}

/** Reports the health of deployments to operators. No call waits for it. */
const createHealthNotifier = (pool: pg.Pool, log: pino.Logger, process: { readonly owner: string }) =>
  notifyInOrder(
    (change) => recordHealth(pool, process.owner, change),
    ({ deployment }, error) => log.warn({ deployment, error: String(error) }, 'the health of a deployment is reported later'),
  )

/** What the database still has to be told about refused requests. `endTask` ends a task of a process that died. */
function openOutboxes(
  { env, log }: GatewayDependencies,
  { committer }: GatewayParts['ledger'],
  endTask: (task: UndeliveredTask) => Promise<void>,
): Pick<GatewayParts, 'voids' | 'undeliveredTasks'> {
  const dir = join(env.DATA_DIR, 'undelivered')
  const voids = new Outbox<Settlement>({
    dir,
    suffix: '.void',
    post: (settlement) => committer.post(settlement),
    onFailed: (error, request) => log.error({ request, error: String(error) }, 'a void could not be kept or posted'),
  })
  const undeliveredTasks = new Outbox<UndeliveredTask>({
    dir,
    suffix: '.task',
    post: endTask,
    onFailed: (error, task) => log.error({ task, error: String(error) }, 'a task could not be noted down or ended'),
  })
  return { voids, undeliveredTasks }
}

const openFiles = async ({ env, secrets, log, settings }: GatewayDependencies): Promise<Files> =>
  buildFiles({
    store: await openStore(env),
    key: secrets.files,
    publicUrl: publicUrl(env),
    now: () => Date.now(),
    newId: makeId,
    readerTimeoutMs: () => settings.values.readerTimeoutMs,
    log,
  })

/** Starts the delivery of webhooks. */
async function startWebhooks({ env, log, pool, secrets }: Pick<GatewayDependencies, 'env' | 'log' | 'pool' | 'secrets'>) {
  const post = createWebhookPost()
  const { stop } = await openWebhooks({
    pool,
    log,
    post,
    sealing: secrets.credentials,
    mail: createMailer(env, log),
    pageUrl: `${publicUrl(env)}/settings/webhooks`,
    upkeep: env.TOLLGATE_UPKEEP === 'yes',
  })
  return {
    async stop() {
      await stop()
      await post.close()
    },
  }
}

/** Listens for what other processes change, and for what they ask this process to give back. */
function createNotifications(
  parts: Pick<GatewayParts, 'env' | 'log' | 'pool' | 'ledger' | 'callers' | 'catalog' | 'breakers'> &
    Pick<GatewayDependencies, 'settings'>,
): ChangeListener {
  const { env, log, pool, ledger, callers, catalog, breakers, settings } = parts
  return new ChangeListener({
    url: env.DATABASE_URL ?? '',
    pool,
    warn: (message, error) => log.warn({ error: String(error) }, message),
    handlers: {
      onRecall: (purseId) => ledger.wallet.recall(purseId),
      onReturned: (purseId) => ledger.wallet.wakeWaiters(purseId),
      onChange(topic, ref) {
        if (topic === 'key' || topic === 'account') callers.invalidate(topic, ref)
        else if (topic === 'setting') settings.reload()
        else if (topic === 'breaker') breakers.reset(ref)
        else catalog.reload()
      },
    },
  })
}
