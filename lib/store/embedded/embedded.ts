import { setTimeout as sleep } from 'node:timers/promises'
import { type Binaries, findBinaries, usableBinaries } from './binaries.ts'
import { ensureCluster } from './initialize.ts'
import { launch } from './launch.ts'
import { choosePlace, hasCluster, type Place } from './place.ts'
import { hasEnded, invalidatePidFile, isRunning, readPidFile, servesCluster, stopServer } from './postmaster.ts'
import { freePort, probe, readConnectionUsage, urlOf } from './probe.ts'

/** How to start the embedded server. */
export interface EmbeddedOptions {
  /** Our directory for the server, for example `.data/postgres`. Created if it is missing. */
  dataDir: string
  /** Gets one line of text for each notable event. */
  log?: (line: string) => void
  /** The first port to try on 127.0.0.1, by default 54329; 0 means any free port. A running server keeps its own. */
  port?: number
  /** True if a server on another port than `port` is of no use. */
  onlyPort?: boolean
  /** PostgreSQL settings that override those of settings.ts, for example `{ fsync: 'off' }` in tests. */
  settings?: Readonly<Record<string, string>>
  /** How long to wait for a server that starts or recovers, in milliseconds. By default two minutes. */
  startTimeoutMs?: number
}

/** A running embedded server. It outlives this process until somebody stops it. */
export interface Embedded {
  /** The connection string, password included. */
  readonly url: string
  readonly port: number
  /** The process id of the server itself. */
  readonly pid: number
  /** The directory that it actually uses, which may differ from the one that was asked for. */
  readonly dataDir: string
  /** True if it was running already: another process of this program started it, and ended without stopping it or still runs. */
  readonly adopted: boolean
  /**
   * How many connections it has. Zero, once our own pools are closed, means that no other process uses it. Connections that are
   * being closed are waited for.
   */
  clients(): Promise<number>
  /** Whether the process `pid` has ended, for whatever reason. */
  hasEnded(): Promise<boolean>
  /** Stops it: a fast shutdown and, if that takes longer than 30 s, an immediate one. A second call has no effect. */
  stop(): Promise<void>
}

interface StartContext {
  place: Place
  settings: Readonly<Record<string, string>>
  log: (line: string) => void
  /** On the clock of performance.now(). */
  deadline: number
}

interface RunningServer {
  pid: number
  port: number
}

const FIRST_PORT = 54_329
const FAST_STOP_TIMEOUT_MS = 30_000
const PROGRESS_LOG_MS = 5000
/** For a moment the server still counts a connection that was closed here. */
const DISCONNECT_GRACE_MS = 1000

/**
 * Starts PostgreSQL on a directory of ours, or joins the server that already serves it. The server runs in a session of its own.
 * It survives this process, however that ends, and the next start adopts it. No signals are handled here: the caller closes its
 * pools and calls `stop` last. Error messages are for people and say what to do.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const log = options.log ?? (() => {})
  const place = await choosePlace(options.dataDir, log)
  const deadline = performance.now() + (options.startTimeoutMs ?? 120_000)
  const start: StartContext = { place, settings: options.settings ?? {}, log, deadline }

  const running = await findRunning(start)
  if (running && !(await stopIfTooSmall(start, running))) return joinServer(start, running, options)

  const binaries = await usableBinaries(await findBinaries(), place.home, place.runAs, log)
  await ensureCluster(place, binaries, start.settings.fsync !== 'off', log)
  return startOrJoin(start, binaries, options)
}

/** Stops a server that allows too few connections, if nobody uses it, because a server reads this setting only at its start. */
async function stopIfTooSmall(start: StartContext, { pid, port }: RunningServer): Promise<boolean> {
  const wanted = Number(start.settings.max_connections)
  if (!wanted) return false
  const { clients, room } = await readConnectionUsage(await urlOf(start.place, port))
  if (room >= wanted) return false
  const message = `the database (process ${pid}) has room for ${room} connections, and these settings need ${wanted}`
  if (clients > 0) {
    start.log(`${message}: stop the other processes that use it, and start again, or connections may be refused`)
    return false
  }
  start.log(`${message}: it is started anew`)
  await stop(start, pid, undefined)
  return true
}

async function joinServer(
  start: StartContext,
  running: RunningServer,
  { port, onlyPort }: EmbeddedOptions,
  binaries?: Binaries,
): Promise<Embedded> {
  if (onlyPort && running.port !== port)
    throw new Error(`it is served by process ${running.pid} on port ${running.port}, and was on port ${port}`)
  return createHandle(start, running, true, binaries)
}

async function startOrJoin(start: StartContext, binaries: Binaries, options: EmbeddedOptions): Promise<Embedded> {
  const firstPort = options.port ?? FIRST_PORT
  let port = firstPort
  while (performance.now() < start.deadline) {
    // Another process may have been faster since we looked.
    const running = await findRunning(start)
    if (running) return joinServer(start, running, options, binaries)

    port = await freePort(port)
    if (options.onlyPort && port !== firstPort) throw new Error(`its port ${firstPort} is taken by another program`)
    const outcome = await launch({ ...start, binaries, port })
    if (outcome.kind === 'ready') return createHandle(start, { pid: outcome.pid, port }, false, binaries)
    if (outcome.kind === 'port taken') port = firstPort === 0 ? 0 : port + 1
    // The remaining processes of a killed server need a moment to notice that and to end.
    else await sleep(50)
  }
  throw new Error(`The database in ${start.place.home} could not be started in time; see ${start.place.logFile}`)
}

/** Finds the server that serves the data directory and waits until it is ready; undefined if there is none. */
async function findRunning(start: StartContext): Promise<RunningServer | undefined> {
  const { cluster, home } = start.place
  if (!(await hasCluster(home))) return undefined
  let remindAt = performance.now() + PROGRESS_LOG_MS
  for (;;) {
    const file = await readPidFile(cluster)
    if (!file || !isRunning(file.pid)) return undefined
    const serves = await servesCluster(file.pid, cluster)
    const found = serves !== false && file.port ? await probe(start.place, file.port) : 'silent'
    if (found === 'ready' && file.port) return { pid: file.pid, port: file.port }
    if (serves === false || (serves === undefined && found === 'stranger')) {
      start.log(`process ${file.pid} is not the database that postmaster.pid takes it for: clearing the file`)
      await invalidatePidFile(cluster)
      return undefined
    }
    if (found === 'stranger') {
      throw new Error(
        `A PostgreSQL server (process ${file.pid}) serves ${home}, but does not take the password in ` +
          `${start.place.passwordFile}. Stop it, or set DATABASE_URL.`,
      )
    }
    const now = performance.now()
    if (now > start.deadline) {
      throw new Error(`The database (process ${file.pid}) is not ready yet; see ${start.place.logFile}, and start again`)
    }
    if (now > remindAt) {
      start.log(`waiting for the database (process ${file.pid}), which is ${file.status ?? 'starting'}`)
      remindAt = now + PROGRESS_LOG_MS
    }
    await sleep(15)
  }
}

async function createHandle(
  start: StartContext,
  { pid, port }: RunningServer,
  adopted: boolean,
  binaries: Binaries | undefined,
): Promise<Embedded> {
  const { place, log } = start
  const url = await urlOf(place, port)
  log(`${adopted ? 'joined' : 'started'} PostgreSQL (process ${pid}) on 127.0.0.1:${port}, in ${place.home}`)
  let stopping: Promise<void> | undefined
  return {
    url,
    port,
    pid,
    dataDir: place.home,
    adopted,
    clients: () => countClients(url),
    hasEnded: () => hasEnded(pid, place.cluster),
    stop: () => {
      stopping ??= stop(start, pid, binaries)
      return stopping
    },
  }
}

async function stop({ place, log }: StartContext, pid: number, binaries: Binaries | undefined): Promise<void> {
  const needsProgram = process.platform === 'win32' && !binaries
  const pgCtl = (needsProgram ? await findBinaries() : binaries)?.pgCtl
  await stopServer({ cluster: place.cluster, pid, pgCtl, patienceMs: FAST_STOP_TIMEOUT_MS, log })
}

async function countClients(url: string): Promise<number> {
  const deadline = performance.now() + DISCONNECT_GRACE_MS
  for (;;) {
    const { clients } = await readConnectionUsage(url)
    if (clients === 0 || performance.now() > deadline) return clients
    await sleep(20)
  }
}
