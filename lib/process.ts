import cluster from 'node:cluster'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Env, readEnv } from './env.ts'
import { type ConsoleHost, connectToConsole, openConsole } from './host/console-host.ts'
import { Health } from './host/health.ts'
import { closeHttp, createHttp } from './host/http.ts'
import { JOB_RUNNERS } from './host/job-runner.ts'
import { openLane } from './host/lane.ts'
import { type LifecycleHooks, manageLifecycle } from './host/lifecycle.ts'
import { choosePort, listen } from './host/listen.ts'
import { checkOpenFiles } from './host/open-files-limit.ts'
import { findFirstStartFile, formatBanner, prepare } from './host/prepare.ts'
import { Workers } from './host/workers.ts'
import { runtime } from './runtime.ts'
import { reasonOf, withErrorContext } from './setup/error-reason.ts'
import { refuseHalfRestored } from './setup/restore-marker.ts'
import { openDataDir } from './setup/secrets.ts'
import { type SupervisedServer, superviseEmbedded } from './store/embedded/supervise.ts'

const ROOT = dirname(import.meta.dirname)

/** How long a process has to tell clients that their request was broken off, once DRAIN_MS is over. */
const BREAK_OFF_GRACE_MS = 2000
/**
 * How long a process has after DRAIN_MS to settle and to return its leases. With the default DRAIN_MS of 30 s, that is less than
 * the 45 s after which service managers kill it.
 */
const STOP_MS = 10_000
/** The same for the first process, which also waits for its workers and stops its database. */
const PRIMARY_STOP_MS = 13_000

/**
 * The connections that a process needs besides its pool: to listen (for jobs too), to settle, and a few for an operator's
 * commands.
 */
const EXTRA_CONNECTIONS = 8 + JOB_RUNNERS

const printLine = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const printError = (error: unknown, message: string): void =>
  printLine(`${message}: ${error instanceof Error ? error.stack : String(error)}`)

/** What the first process has opened so far. */
interface OpenedResources {
  database: SupervisedServer | null
  living: LifecycleHooks | null
  /** How long requests in progress may take to finish after a signal. */
  drainMs: number
}

/** Runs the first process: starts the database, prepares it, and serves requests, by itself or through workers. */
async function runPrimary(): Promise<void> {
  const opened: OpenedResources = { database: null, living: null, drainMs: 0 }
  const ending = new AbortController()
  // Signals are handled before anything is opened, so that an interrupted start also closes everything.
  const living: LifecycleHooks = {
    log: (error, message) => (opened.living ?? { log: printError }).log(error, message),
    async stop() {
      printLine('Shutting down: requests in progress can finish.')
      ending.abort()
      await starting.catch(() => undefined)
      await close(opened)
    },
    abandon: () => opened.living?.abandon(),
  }
  const life = manageLifecycle(living, () => opened.drainMs + PRIMARY_STOP_MS)
  const starting = openAll(opened, ending.signal)
  try {
    await starting
    life.takeOverErrorHandlers()
  } catch (error) {
    // The signal that interrupted the start ends the process.
    if (ending.signal.aborted) return
    await close(opened).catch((second: unknown) => printError(second, 'not everything could be closed'))
    throw error
  }
}

/** Opens everything step by step. Stops at the next step once `signal` is aborted. */
async function openAll(opened: OpenedResources, signal: AbortSignal): Promise<void> {
  const given = readEnv()
  opened.drainMs = given.DRAIN_MS
  const env = { ...given, PORT: await choosePort(given) }
  await withErrorContext('DATA_DIR', 'the folder cannot be used', openDataDir(env.DATA_DIR))
  await refuseHalfRestored(env.DATA_DIR)
  signal.throwIfAborted()
  if (!env.DATABASE_URL)
    opened.database = await withErrorContext('DATA_DIR', 'its database cannot be started', startDatabase(env))
  signal.throwIfAborted()
  const first = await prepare(env, opened.database?.url ?? null, { printLine: printLine, signal })
  signal.throwIfAborted()
  // A console needs only one process, however many serve the API.
  opened.living = env.WORKERS > 1 && env.ROLE !== 'console' ? await serveWithWorkers(env) : await serve(env)
  signal.throwIfAborted()
  printLine(formatBanner(env, first, await findFirstStartFile(env)))
  const openFilesWarning = env.ROLE === 'console' ? null : await checkOpenFiles(env.MAX_CONCURRENCY)
  if (openFilesWarning !== null) printLine(openFilesWarning)
}

/** Starts the embedded database, with room for the connections of all processes. */
async function startDatabase(env: Env): Promise<SupervisedServer> {
  const connections = (env.WORKERS + 1) * (env.DATABASE_POOL + EXTRA_CONNECTIONS)
  const settings = { max_connections: String(Math.max(100, connections)) }
  return await superviseEmbedded({ dataDir: join(env.DATA_DIR, 'postgres'), log: printLine, settings })
}

/** Stops the server or the workers, then the database. */
async function close({ living, database }: OpenedResources): Promise<void> {
  try {
    await living?.stop()
  } finally {
    await database?.release(living === null)
  }
}

/**
 * Runs a worker: a process that the first one started. If the first one is gone, the worker finishes its requests in progress and
 * ends too.
 */
async function runWorker(): Promise<void> {
  // Node tells the first process about each connection that is accepted or closed. If that process was killed and this is not
  // known yet, the message fails. Without a listener, the error would end this process and all its requests in progress.
  cluster.worker?.on('error', () => undefined)
  const env = readEnv()
  const { stop } = manageLifecycle(await serve(env), () => env.DRAIN_MS + STOP_MS)
  cluster.worker?.on('disconnect', () => {
    // Otherwise Node ends this process at once, and its streams with it.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
    void stop(0)
  })
  if (!process.connected) return await stop(0)
  await (await runtime()).primary?.ready()
}

/**
 * Runs several gateways on one port and, for ROLE=all, one console beside them: Next needs much memory, and its pages much time.
 */
async function serveWithWorkers(env: Env): Promise<LifecycleHooks> {
  const withConsole = env.ROLE === 'all'
  const socketDir = withConsole ? await mkdtemp(join(tmpdir(), 'tollgate-console-')) : null
  const socket: Record<string, string> = socketDir ? { TOLLGATE_CONSOLE_SOCKET: join(socketDir, 'socket') } : {}
  const slots = Array.from({ length: env.WORKERS }, (_, at) => ({
    name: `gateway ${at + 1}`,
    // One gateway is enough to maintain partitions.
    env: { ...socket, TOLLGATE_WORKER: `gateway ${at + 1}`, ROLE: 'gateway', TOLLGATE_UPKEEP: at === 0 ? 'yes' : 'no' },
  }))
  if (withConsole)
    slots.push({ name: 'console', env: { ...socket, TOLLGATE_WORKER: 'console', ROLE: 'console', TOLLGATE_UPKEEP: 'no' } })
  const workers = new Workers({ exec: join(ROOT, 'server.ts'), slots, drainMs: env.DRAIN_MS, printLine: printLine })
  const removeSocketDir = async () => {
    if (socketDir) await rm(socketDir, { recursive: true, force: true })
  }
  try {
    await workers.start()
  } catch (error) {
    await workers.stop()
    await removeSocketDir()
    throw error
  }
  return {
    log: printError,
    async stop() {
      const finished = await workers.stop()
      await removeSocketDir()
      if (!finished) throw new Error('Not all workers could finish their requests in progress.')
    },
    abandon: () => workers.kill(),
  }
}

/** Serves requests in this process. */
async function serve(env: Env): Promise<LifecycleHooks> {
  const app = await runtime()
  let consoleHost: ConsoleHost | null = null
  const close = async () => {
    await consoleHost?.close()
    await app.stop()
  }
  try {
    consoleHost = await openConsoleHost(env)
    const lane = env.ROLE === 'console' ? null : await openLane(join(ROOT, 'app'), () => app.settings.values.readerTimeoutMs)
    const { primary, metrics } = app
    const health = new Health({ ping: app.ping, ticks: () => performance.now() })
    const behindWorkers = env.TOLLGATE_WORKER === 'console'
    const text = () => (primary ? primary.metrics() : metrics.text())
    const server = createHttp({ env, health, metrics: text, lane, consoleListener: consoleHost?.handle ?? null, behindWorkers })
    const path = env.TOLLGATE_CONSOLE_SOCKET
    if (behindWorkers && path) await rm(path, { force: true })
    // The console's socket is exclusive: otherwise the first process would share it among the workers.
    await listen(server, behindWorkers && path ? { path, exclusive: true } : { port: env.PORT, host: env.HOST })
    return {
      log: (error, message) => app.log.fatal({ error: error instanceof Error ? error.stack : String(error) }, message),
      async stop() {
        health.draining = true
        const breakOffTimer = setTimeout(() => app.breakOff(), env.DRAIN_MS)
        await closeHttp(server, env.DRAIN_MS + BREAK_OFF_GRACE_MS)
        await close()
        clearTimeout(breakOffTimer)
      },
      abandon() {
        const { unsettled } = app
        if (unsettled > 0)
          app.log.error({ count: unsettled }, 'charges waiting for the database were abandoned and will not be paid')
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What serves the pages: Next in this process, the worker that runs it, or null if there is none. */
async function openConsoleHost(env: Env): Promise<ConsoleHost | null> {
  if (env.ROLE !== 'gateway') return await openConsole(ROOT)
  return env.TOLLGATE_CONSOLE_SOCKET ? connectToConsole(env.TOLLGATE_CONSOLE_SOCKET) : null
}

/**
 * Serves requests in this process, which is the first one or a worker that the first one started. Ends the process if it cannot.
 */
export async function startProcess(): Promise<void> {
  try {
    await (cluster.isPrimary ? runPrimary() : runWorker())
  } catch (error) {
    process.stderr.write(`\n${reasonOf(error)}\n`)
    process.exit(1)
  }
}
