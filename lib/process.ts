import cluster from 'node:cluster'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Env, readEnv } from './env.ts'
import { type ConsoleHost, openConsole, remoteConsole } from './host/console.ts'
import { Health } from './host/health.ts'
import { closeHttp, createHttp } from './host/http.ts'
import { JOB_RUNNERS } from './host/jobs.ts'
import { openLane } from './host/lane.ts'
import { type Living, live } from './host/life.ts'
import { choosePort, listen } from './host/listen.ts'
import { openFilesNote } from './host/open-files.ts'
import { banner, firstStartFile, prepare } from './host/prepare.ts'
import { Workers } from './host/workers.ts'
import { runtime } from './runtime.ts'
import { reasonOf, under } from './setup/reason.ts'
import { refuseHalfRestored } from './setup/restoring.ts'
import { openDataDir } from './setup/secrets.ts'
import { type KeptServer, keepEmbedded } from './store/embedded/kept.ts'

const ROOT = dirname(import.meta.dirname)

/** How long a process has to tell clients that their request was broken off, once DRAIN_MS is over. */
const LAST_WORDS_MS = 2000
/**
 * How long a process has after DRAIN_MS to settle and to return its leases. With the default DRAIN_MS of 30 s, that is less than
 * the 45 s after which service managers kill it.
 */
const STOP_MS = 10_000
/** The same for the first process, which also waits for its workers and stops its database. */
const LEAD_STOP_MS = 13_000

/**
 * The connections that a process needs besides its pool: to listen (for jobs too), to settle, and a few for an operator's
 * commands.
 */
const CONNECTIONS_BESIDE = 8 + JOB_RUNNERS

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const sayError = (error: unknown, message: string): void =>
  say(`${message}: ${error instanceof Error ? error.stack : String(error)}`)

/** What the first process has opened so far. */
interface Opened {
  database: KeptServer | null
  living: Living | null
  /** How long requests in progress may take to finish after a signal. */
  drainMs: number
}

/** Runs the first process: starts the database, prepares it, and serves requests, by itself or through workers. */
async function lead(): Promise<void> {
  const opened: Opened = { database: null, living: null, drainMs: 0 }
  const ending = new AbortController()
  // Signals are handled before anything is opened, so that an interrupted start also closes everything.
  const living: Living = {
    log: (error, message) => (opened.living ?? { log: sayError }).log(error, message),
    async stop() {
      say('Shutting down: requests in progress can finish.')
      ending.abort()
      await starting.catch(() => undefined)
      await close(opened)
    },
    abandon: () => opened.living?.abandon(),
  }
  const life = live(living, () => opened.drainMs + LEAD_STOP_MS)
  const starting = open(opened, ending.signal)
  try {
    await starting
    life.catchAlone()
  } catch (error) {
    // The signal that interrupted the start ends the process.
    if (ending.signal.aborted) return
    await close(opened).catch((second: unknown) => sayError(second, 'not everything could be closed'))
    throw error
  }
}

/** Opens everything step by step. Stops at the next step once `signal` is aborted. */
async function open(opened: Opened, signal: AbortSignal): Promise<void> {
  const given = readEnv()
  opened.drainMs = given.DRAIN_MS
  const env = { ...given, PORT: await choosePort(given) }
  await under('DATA_DIR', 'the folder cannot be used', openDataDir(env.DATA_DIR))
  await refuseHalfRestored(env.DATA_DIR)
  signal.throwIfAborted()
  if (!env.DATABASE_URL) opened.database = await under('DATA_DIR', 'its database cannot be started', startDatabase(env))
  signal.throwIfAborted()
  const first = await prepare(env, opened.database?.url ?? null, { say, signal })
  signal.throwIfAborted()
  // A console needs only one process, however many serve the API.
  opened.living = env.WORKERS > 1 && env.ROLE !== 'console' ? await serveByWorkers(env) : await serve(env)
  signal.throwIfAborted()
  say(banner(env, first, await firstStartFile(env)))
  const note = env.ROLE === 'console' ? null : await openFilesNote(env.MAX_CONCURRENCY)
  if (note !== null) say(note)
}

/** Starts the embedded database, with room for the connections of all processes. */
async function startDatabase(env: Env): Promise<KeptServer> {
  const connections = (env.WORKERS + 1) * (env.DATABASE_POOL + CONNECTIONS_BESIDE)
  const settings = { max_connections: String(Math.max(100, connections)) }
  return await keepEmbedded({ dataDir: join(env.DATA_DIR, 'postgres'), log: say, settings })
}

/** Stops the server or the workers, then the database. */
async function close({ living, database }: Opened): Promise<void> {
  try {
    await living?.stop()
  } finally {
    await database?.leave(living === null)
  }
}

/**
 * Runs a worker: a process that the first one started. If the first one is gone, the worker finishes its requests in progress and
 * ends too.
 */
async function work(): Promise<void> {
  // Node tells the first process about each connection that is accepted or closed. If that process was killed and this is not
  // known yet, the message fails. Without a listener, the error would end this process and all its requests in progress.
  cluster.worker?.on('error', () => undefined)
  const env = readEnv()
  const { stop } = live(await serve(env), () => env.DRAIN_MS + STOP_MS)
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
async function serveByWorkers(env: Env): Promise<Living> {
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
  const workers = new Workers({ exec: join(ROOT, 'server.ts'), slots, drainMs: env.DRAIN_MS, say })
  const tidy = async () => {
    if (socketDir) await rm(socketDir, { recursive: true, force: true })
  }
  try {
    await workers.start()
  } catch (error) {
    await workers.stop()
    await tidy()
    throw error
  }
  return {
    log: sayError,
    async stop() {
      const finished = await workers.stop()
      await tidy()
      if (!finished) throw new Error('Not all workers could finish their requests in progress.')
    },
    abandon: () => workers.kill(),
  }
}

/** Serves requests in this process. */
async function serve(env: Env): Promise<Living> {
  const app = await runtime()
  let rest: ConsoleHost | null = null
  const close = async () => {
    await rest?.close()
    await app.stop()
  }
  try {
    rest = await openRest(env)
    const lane = env.ROLE === 'console' ? null : await openLane(join(ROOT, 'app'), () => app.settings.values.readerTimeoutMs)
    const { primary, metrics } = app
    const health = new Health({ ping: app.ping, ticks: () => performance.now() })
    const behindWorkers = env.TOLLGATE_WORKER === 'console'
    const text = () => (primary ? primary.metrics() : metrics.text())
    const server = createHttp({ env, health, metrics: text, lane, rest: rest?.handle ?? null, behindWorkers })
    const path = env.TOLLGATE_CONSOLE_SOCKET
    if (behindWorkers && path) await rm(path, { force: true })
    // The console's socket is exclusive: otherwise the first process would share it among the workers.
    await listen(server, behindWorkers && path ? { path, exclusive: true } : { port: env.PORT, host: env.HOST })
    return {
      log: (error, message) => app.log.fatal({ error: error instanceof Error ? error.stack : String(error) }, message),
      async stop() {
        health.draining = true
        const late = setTimeout(() => app.breakOff(), env.DRAIN_MS)
        await closeHttp(server, env.DRAIN_MS + LAST_WORDS_MS)
        await close()
        clearTimeout(late)
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
async function openRest(env: Env): Promise<ConsoleHost | null> {
  if (env.ROLE !== 'gateway') return await openConsole(ROOT)
  return env.TOLLGATE_CONSOLE_SOCKET ? remoteConsole(env.TOLLGATE_CONSOLE_SOCKET) : null
}

/**
 * Serves requests in this process, which is the first one or a worker that the first one started. Ends the process if it cannot.
 */
export async function startProcess(): Promise<void> {
  try {
    await (cluster.isPrimary ? lead() : work())
  } catch (error) {
    process.stderr.write(`\n${reasonOf(error)}\n`)
    process.exit(1)
  }
}
