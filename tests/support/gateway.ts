import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { VENDOR_KINDS } from '#lib/domain/vendor-kind-list'
import manifest from '../../package.json' with { type: 'json' }
import { TEST_SECRET_KEY } from './fixtures.ts'

/** A real gateway process on a test database. */
export interface TestGateway extends AsyncDisposable {
  /** For example `http://127.0.0.1:41234`. */
  readonly url: string
  /** The key that the first start created, or '' if the database already had one. */
  readonly key: string
  readonly pid: number
  /** Its DATA_DIR, unless another one was set. */
  readonly dataDir: string
  /** Everything that it has printed. */
  log(): string
  /** Stops reading its output, as when a terminal is closed. */
  closeOutput(): void
  /** Resident memory in bytes. */
  rss(): Promise<number>
  kill(signal: NodeJS.Signals): void
  /** Stops it gracefully. Resolves with its exit code. */
  stop(): Promise<number | null>
}

export interface GatewayOptions {
  databaseUrl: string
  /** `lane` is server.ts. `next` is Next alone, on the production build. */
  host?: 'lane' | 'next'
  env?: Record<string, string>
  port?: number
  /** A path that answers 200 once the gateway serves. By default, it is ready when the API answers a request without a key. */
  readyPath?: string
}

/** The arguments that `npm start` gives to Node in shells that know `exec`. */
const START_ARGS = /^exec node (.+) \|\|/.exec(manifest.scripts.start)?.[1]?.split(' ') ?? []

/**
 * Where to look for the next port: below the kernel's ephemeral ports, and starting elsewhere in every process. Otherwise a port
 * that was found free here could be another test's gateway a moment later.
 */
let nextPort = 10_000 + ((process.pid * 131) % 22_000)

/** A port on which nothing listens now and that no other test gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort
    nextPort = port >= 32_000 ? 10_000 : port + 1
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Removes a gateway's folder. A process that is ending may still write what it has compiled there, so it is tried again. */
const removeDir = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })

/** Starts a gateway and waits until it answers. Throws with its log if it does not within 30 s. */
export async function startGateway(options: GatewayOptions): Promise<TestGateway> {
  const port = options.port ?? (await freePort())
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-gateway-'))
  const args =
    options.host === 'next' ? ['node_modules/next/dist/bin/next', 'start', '-p', String(port), '-H', '127.0.0.1'] : START_ARGS
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...cleanEnv(),
      NODE_ENV: 'production',
      ROLE: options.host === 'next' ? 'all' : 'gateway',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      NEXTAUTH_URL: url,
      NEXTAUTH_SECRET: 'for tests only, and long enough to be taken',
      DATA_DIR: dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      // On a machine that runs tests, the event loop is usually late.
      SHED_LAG_MS: '20000',
      DATABASE_URL: options.databaseUrl,
      // Vendors fail on purpose here, again and again. Tests of breakers set their own value.
      BREAKER_FAILURES: '0',
      ...options.env,
    },
  })
  const output: string[] = []
  child.stdout.on('data', (data: Buffer) => output.push(data.toString()))
  child.stderr.on('data', (data: Buffer) => output.push(data.toString()))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  await waitUntilReady(url, child, output, options.readyPath).catch(async (error: unknown) => {
    await removeDir(dataDir)
    throw error
  })
  const key = await readFile(join(dataDir, 'first-start.txt'), 'utf8').then(
    (text) => /sk-tg-\w+/.exec(text)?.[0] ?? '',
    () => '',
  )
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await exited
      clearTimeout(killTimer)
    }
    await removeDir(dataDir)
    return child.exitCode
  }
  return {
    url,
    key,
    pid: child.pid ?? 0,
    dataDir,
    log: () => output.join(''),
    closeOutput() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    rss: async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    kill: (signal) => void child.kill(signal),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

const VENDOR_KEYS = new Set(VENDOR_KINDS.map(({ env }) => env))

/** The environment without anything that would make a gateway differ between machines. */
function cleanEnv(): Record<string, string | undefined> {
  const isKept = (name: string): boolean =>
    !VENDOR_KEYS.has(name) && !/^(OPENAI_|ANTHROPIC_|GEMINI_|VITEST|NODE_OPTIONS|TEST)/.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)))
}

async function waitUntilReady(url: string, child: ChildProcess, output: string[], readyPath?: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) break
    const status = await fetch(url + (readyPath ?? '/v1/models'), { signal: AbortSignal.timeout(2000) }).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === (readyPath === undefined ? 401 : 200)) return
    await sleep(100)
  }
  child.kill('SIGKILL')
  throw new Error(`the gateway did not start:\n${output.join('').slice(-4000)}`)
}

/**
 * Resolves when a gateway knows a model, and with it everything that was added to the catalog before. A gateway learns of changes
 * a moment later. If it has workers, `connections` simultaneous connections reach all of them in turn.
 */
export async function waitUntilModelKnown(url: string, secret: string, modelId: string, connections = 1): Promise<void> {
  const fetchStatus = async (): Promise<number> => {
    const answer = await fetch(`${url}/v1/models/${modelId}`, { headers: { authorization: `Bearer ${secret}` } })
    await answer.arrayBuffer()
    return answer.status
  }
  const deadlineMs = performance.now() + 30_000
  for (;;) {
    const statuses = await Promise.all(Array.from({ length: connections }, fetchStatus))
    if (statuses.every((status) => status === 200)) return
    if (performance.now() > deadlineMs) throw new Error(`the gateway does not learn of ${modelId}: ${statuses}`)
    await sleep(20)
  }
}
