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
const MISTAKES = /an unexpected error|uncaught error|is not charged|did not answer for a settlement|void could not be/
const SUPERVISE_MS = 100

/** One gateway process of the stage, with the wires to it and from it to the database. */
export interface Member extends AsyncDisposable {
  readonly name: string
  /** Where clients reach it, through `front`. */
  readonly url: string
  readonly front: TcpProxy
  readonly back: TcpProxy
  /** Null while it is down. */
  readonly gateway: TestGateway | null
  /** What it should never have logged, and whether it exited by itself. */
  readonly mistakes: string[]
  /** Starts it, and retries until that works, as a supervisor would. */
  start(): Promise<void>
  /** Ends it with SIGKILL, or gracefully. Returns the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
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
  const front = await startTcpProxy(() => port)
  const back = await startTcpProxy(() => Number(new URL(databaseUrl()).port))
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-chaos-'))
  const clock = join(dir, 'clock')
  const mistakes: string[] = []
  let gateway: TestGateway | null = null
  let readOffset = 0
  const readLog = (from: TestGateway) => {
    const lines = from.log().slice(readOffset).split('\n')
    mistakes.push(...lines.filter((line) => MISTAKES.test(line)).map((line) => `${name}: ${line.slice(0, 2000)}`))
    readOffset = from.log().length
  }
  const supervisor = setInterval(() => {
    if (gateway && !isRunning(gateway.pid)) {
      mistakes.push(`${name} ended by itself:\n${gateway.log().slice(-3000)}`)
      gateway = null
    }
  }, SUPERVISE_MS)
  const startOnce = () => {
    const proxiedUrl = new URL(databaseUrl())
    proxiedUrl.port = String(back.port)
    const extraEnv = { NODE_OPTIONS: `--import ${CLOCK_MODULE}`, CHAOS_CLOCK: clock, DATA_DIR: dir, ...env }
    return startGateway({ databaseUrl: proxiedUrl.href, port, env: extraEnv })
  }
  return {
    name,
    url: `http://127.0.0.1:${front.port}`,
    front,
    back,
    get gateway() {
      return gateway
    },
    mistakes,
    async start() {
      readOffset = 0
      for (let tries = 0; gateway === null; tries++)
        gateway = await startOnce().catch(async (error: unknown) => {
          if (tries > 30) throw error
          await sleep(200)
          return null
        })
    },
    async end(signal) {
      const ending = gateway
      gateway = null
      if (!ending) return null
      if (signal === 'SIGKILL') ending.kill(signal)
      const code = await ending.stop()
      readLog(ending)
      return code
    },
    shiftClock: (ms) => writeFile(clock, String(ms)),
    async [Symbol.asyncDispose]() {
      clearInterval(supervisor)
      gateway?.kill('SIGCONT')
      await gateway?.stop()
      gateway = null
      await front[Symbol.asyncDispose]()
      await back[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
