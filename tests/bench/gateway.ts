import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TEST_SECRET_KEY } from '../support/world.ts'

const ROOT = join(import.meta.dirname, '../..')
const START_MS = 60_000

/** A gateway in a process of its own, started the way a user starts it. */
export interface Gateway {
  port: number
  pid: number
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts `server.ts` (or another command) on a database, with nothing switched off but the console. */
export async function startGateway(
  databaseUrl: string,
  dataDir: string,
  options: { command?: string[]; env?: Record<string, string> } = {},
): Promise<Gateway> {
  const port = await freePort()
  const child = spawn(process.execPath, options.command ?? ['server.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      HOST: '127.0.0.1',
      ROLE: 'gateway',
      LOG_LEVEL: 'error',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: TEST_SECRET_KEY,
      ...options.env,
    },
  })
  await listening(port, child)
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGINT')
      await ended
    },
  }
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + START_MS; performance.now() < until; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`).catch(() => null)
    if (answer?.status === 401) return
  }
  throw new Error('the gateway did not start')
}
