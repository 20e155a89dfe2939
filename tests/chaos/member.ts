import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isRunning } from '#lib/store/embedded/postmaster'
import { freePort, startGateway, type TestGateway } from '../support/gateway.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const CLOCK_MODULE = fileURLToPath(new URL('shift-clock.ts', import.meta.url))
/** Log messages that no fault excuses: our own mistakes, and charges that were given up. */
const FORBIDDEN_LOG_LINES = /an unexpected error|uncaught error|is not charged|did not answer for a settlement|void could not be/
const SUPERVISE_MS = 100

/** One gateway process of the stage, with the wires to it and from it to the database. */
export interface Member extends AsyncDisposable {
  readonly name: string
  /** Where clients reach it, through `clientProxy`. */
  readonly url: string
  readonly clientProxy: TcpProxy
  readonly databaseProxy: TcpProxy
  /** Null while it is down. */
  readonly gateway: TestGateway | null
  /** What it should never have logged, and whether it exited by itself. */
  readonly violations: string[]
  /** Starts it, and retries until that works, as a supervisor would. */
  start(): Promise<void>
  /** Ends it with SIGKILL, or gracefully. Returns the exit code. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  /** Sets its wall clock off by this many milliseconds. */
  shiftClock(ms: number): Promise<void>
}

export interface MemberOptions {
  name: string
  /** The connection string of the database itself. Its port is read again for each connection. */
  databaseUrl: () => string
  env: Record<string, string>
}

/** Makes a member that is not running yet. */
export async function createMember({ name, databaseUrl, env }: MemberOptions): Promise<Member> {
  const port = await freePort()
  const clientProxy = await startTcpProxy(() => port)
  const databaseProxy = await startTcpProxy(() => Number(new URL(databaseUrl()).port))
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-chaos-'))
  const clockFile = join(dir, 'clock')
  const violations: string[] = []
  let gateway: TestGateway | null = null
  let readOffset = 0
  const readLog = (from: TestGateway) => {
    const lines = from.log().slice(readOffset).split('\n')
    violations.push(...lines.filter((line) => FORBIDDEN_LOG_LINES.test(line)).map((line) => `${name}: ${line.slice(0, 2000)}`))
    readOffset = from.log().length
  }
  const supervisor = setInterval(() => {
    if (gateway && !isRunning(gateway.pid)) {
      violations.push(`${name} ended by itself:\n${gateway.log().slice(-3000)}`)
      gateway = null
    }
  }, SUPERVISE_MS)
  const startOnce = () => {
    const proxiedUrl = new URL(databaseUrl())
    proxiedUrl.port = String(databaseProxy.port)
    const extraEnv = { NODE_OPTIONS: `--import ${CLOCK_MODULE}`, CHAOS_CLOCK: clockFile, DATA_DIR: dir, ...env }
    return startGateway({ databaseUrl: proxiedUrl.href, port, env: extraEnv })
  }
  return {
    name,
    url: `http://127.0.0.1:${clientProxy.port}`,
    clientProxy,
    databaseProxy,
    get gateway() {
      return gateway
    },
    violations,
    async start() {
      readOffset = 0
      for (let tries = 0; gateway === null; tries++)
        gateway = await startOnce().catch(async (error: unknown) => {
          if (tries > 30) throw error
          await sleep(200)
          return null
        })
    },
    async stop(signal) {
      const ending = gateway
      gateway = null
      if (!ending) return null
      if (signal === 'SIGKILL') ending.kill(signal)
      const code = await ending.stop()
      readLog(ending)
      return code
    },
    shiftClock: (ms) => writeFile(clockFile, String(ms)),
    async [Symbol.asyncDispose]() {
      clearInterval(supervisor)
      gateway?.kill('SIGCONT')
      await gateway?.stop()
      gateway = null
      await clientProxy[Symbol.asyncDispose]()
      await databaseProxy[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
