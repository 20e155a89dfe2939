import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './gateway.ts'

/** A Redis server for one test, with nothing on disk. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string
  /** Kills it with SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>
  /** Keeps its connections and answers nothing, until `resume`. */
  pause(): void
  resume(): void
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>
}

/** Whether redis-server is installed. In CI it has to be. */
export const hasRedis = process.env.CI === 'true' || spawnSync('redis-server', ['--version']).status === 0

if (!hasRedis) process.stdout.write('SKIPPED: tests of limits in Redis, because there is no redis-server here.\n')

/** Starts a server on a free port of this machine. */
export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  let child: ChildProcess
  const start = async () => {
    child = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
      { stdio: 'ignore', cwd: '/' },
    )
    await once(child, 'spawn')
    while (!(await acceptsConnections(port))) await sleep(20)
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    restart: start,
    [Symbol.asyncDispose]: kill,
  }
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const connected = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    sleep(500, false),
  ])
  socket.destroy()
  return connected
}
