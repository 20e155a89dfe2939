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

/** When the time of requests under way is over, this is left to tell their readers so. */
const LAST_WORDS_MS = 2000
/** Then it settles and gives back, in so long after that time: with its 30 s less than the 45 after which services kill. */
const STOP_MS = 10_000
/** The first process has its workers to wait for, and its database to stop. */
const LEAD_STOP_MS = 13_000

/** What a process has besides its pool: to listen, for jobs too, to settle, and some for the commands of an operator. */
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
  /** How long requests under way may take to end after a signal. */
  drainMs: number
}

/** The first process: it brings the database, prepares it, and serves, by itself or through its workers. */
async function lead(): Promise<void> {
  const opened: Opened = { database: null, living: null, drainMs: 0 }
  const ending = new AbortController()
  // Tied before anything is opened: a start that is broken off gives it all back too.
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
    // The signal that broke it off ends the process.
    if (ending.signal.aborted) return
    await close(opened).catch((second: unknown) => sayError(second, 'not everything could be closed'))
    throw error
  }
}

/** Goes no further than the step at which it is told to end. */
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
  // A console needs one process, however many serve the API.
  opened.living = env.WORKERS > 1 && env.ROLE !== 'console' ? await serveByWorkers(env) : await serve(env)
  signal.throwIfAborted()
  say(banner(env, first, await firstStartFile(env)))
  const note = env.ROLE === 'console' ? null : await openFilesNote(env.MAX_CONCURRENCY)
  if (note !== null) say(note)
}

/** Our own database, with room for the connections of all processes. */
async function startDatabase(env: Env): Promise<KeptServer> {
  const connections = (env.WORKERS + 1) * (env.DATABASE_POOL + CONNECTIONS_BESIDE)
  const settings = { max_connections: String(Math.max(100, connections)) }
  return await keepEmbedded({ dataDir: join(env.DATA_DIR, 'postgres'), log: say, settings })
}

/** The database goes last. */
async function close({ living, database }: Opened): Promise<void> {
  try {
    await living?.stop()
  } finally {
    await database?.leave(living === null)
  }
}

/** A process that the first one has started. When that one is gone, it finishes what is under way and goes too. */
async function work(): Promise<void> {
  // Node tells the first process of each connection that it is taken, or closed. Where that one was killed, and is not known
  // to be gone yet, telling fails, which unheard would end this process with all that is under way.
  cluster.worker?.on('error', () => undefined)
  const env = readEnv()
  const { stop } = live(await serve(env), () => env.DRAIN_MS + STOP_MS)
  cluster.worker?.on('disconnect', () => {
    // Else Node ends this process at once, and its streams with it.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
    void stop(0)
  })
  if (!process.connected) return await stop(0)
  await (await runtime()).primary?.ready()
}

/** Gateways on one port, and for ROLE=all one console beside them: Next takes much memory, and its pages much time. */
async function serveByWorkers(env: Env): Promise<Living> {
  const withConsole = env.ROLE === 'all'
  const socketDir = withConsole ? await mkdtemp(join(tmpdir(), 'tollgate-console-')) : null
  const socket: Record<string, string> = socketDir ? { TOLLGATE_CONSOLE_SOCKET: join(socketDir, 'socket') } : {}
  const slots = Array.from({ length: env.WORKERS }, (_, at) => ({
    name: `gateway ${at + 1}`,
    // One of them is enough to look after partitions.
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

/** Serves in this process. */
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
    // The console's socket is its own: the first process would share it out among workers.
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

/** What serves the pages here: Next, the worker that has it, or nothing. */
async function openRest(env: Env): Promise<ConsoleHost | null> {
  if (env.ROLE !== 'gateway') return await openConsole(ROOT)
  return env.TOLLGATE_CONSOLE_SOCKET ? remoteConsole(env.TOLLGATE_CONSOLE_SOCKET) : null
}

/** Serves in this process: as the first one, or as one that the first has started. Ends it where it cannot. */
export async function startProcess(): Promise<void> {
  try {
    await (cluster.isPrimary ? lead() : work())
  } catch (error) {
    process.stderr.write(`\n${reasonOf(error)}\n`)
    process.exit(1)
  }
}
