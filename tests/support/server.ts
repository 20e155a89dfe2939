import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Embedded, startEmbedded } from '#lib/store/embedded/embedded'
import { isRunning } from '#lib/store/embedded/postmaster'
import { migrate } from '#lib/store/migrate'

/** A PostgreSQL server for one test, in a temporary directory. */
export interface TestServer {
  /** The URL of the database `tollgate` in it, migrated. It survives kill and restart unless the port is lost. */
  readonly url: string
  readonly dataDir: string
  /** Ends the server as a power cut would (SIGKILL). Resolves when all of its processes are gone. */
  kill(): Promise<void>
  /** Starts it again on the same port, with recovery if it was killed. */
  restart(): Promise<void>
  /** Sends a signal such as SIGSTOP to the server and all of its processes. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Stops it and removes its directory. */
  stop(): Promise<void>
}

/** Options of a temporary server. */
export interface TestServerOptions {
  /** If off, the server is three times as fast, but loses data if the machine (not only the server) is cut off. */
  fsync?: boolean
  settings?: Readonly<Record<string, string>>
  /** The directory to use instead of a new one. It has to come from makeTestDirectory. */
  dir?: string
}

const PREFIX = 'tollgate-test-'
const FAST_SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' }

/** Starts a server with every write durable (unless `fsync` is off) and the migrations applied. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const settings = { max_connections: '200', ...((options.fsync ?? true) ? {} : FAST_SETTINGS), ...options.settings }
  const dir = options.dir ?? (await makeTestDirectory())
  const start = (port: number) => startEmbedded({ dataDir: dir, port, settings })
  let server: Embedded
  try {
    server = await start(0)
    await migrate({ url: server.url })
  } catch (error) {
    await removeTestDirectory(dir)
    throw error
  }
  // A run that is aborted must not leave a server behind. The next run removes its directory.
  const onExit = () => {
    if (isRunning(server.pid)) process.kill(server.pid, 'SIGQUIT')
  }
  process.once('exit', onExit)
  return {
    get url() {
      return server.url
    },
    dataDir: dir,
    async kill() {
      // Stopped first, so that it starts no more processes while we look.
      process.kill(server.pid, 'SIGSTOP')
      const pids = [server.pid, ...(await childrenOf(server.pid))]
      for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
      while (pids.some(isRunning)) await sleep(2)
    },
    async restart() {
      server = await start(server.port)
    },
    async signal(signal) {
      for (const pid of [server.pid, ...(await childrenOf(server.pid))]) if (isRunning(pid)) process.kill(pid, signal)
    },
    async stop() {
      process.off('exit', onExit)
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([child = 0, parent]) => (parent === pid && child > 0 ? [child] : []))
}

/** Creates a directory that the user who runs PostgreSQL can enter. Remove it with removeTestDirectory. */
export async function makeTestDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), PREFIX))
  await chmod(dir, 0o711)
  await writeFile(join(dir, 'owner'), String(process.pid))
  return dir
}

/** Stops the servers in a test's directory and its subdirectories, and removes them all. */
export async function removeTestDirectory(dir: string): Promise<void> {
  await stopServersIn(dir)
  await rm(dir, { recursive: true, force: true })
}

/** Stops the servers that run in a directory and its subdirectories. */
export async function stopServersIn(dir: string): Promise<void> {
  for (const dataDir of [dir, ...(await directoriesIn(dir))]) {
    const file = await readFile(join(dataDir, 'server', 'data', 'postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number.parseInt(file, 10)
    if (pid > 0 && isRunning(pid)) await (await startEmbedded({ dataDir })).stop()
  }
}

async function directoriesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(dir, entry.name))
}

/** Removes what killed test runs left behind: their servers and their directories. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const dir = join(tmpdir(), name)
    const owner = Number(await readFile(join(dir, 'owner'), 'utf8').catch(() => ''))
    if (owner > 0 && !isRunning(owner)) await removeTestDirectory(dir).catch(() => {})
  }
}
