import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/gateway.ts'

const START_MS = 120_000

/** Another gateway on this machine. */
export interface Peer {
  port: number
  /** The headers that its requests need to reach the mock upstream. */
  headers: Record<string, string>
  stop(): void
}

/** Downloads and starts Portkey's gateway as its own documentation describes. It checks, counts and stores nothing. */
export async function startPeer(mockPort: number): Promise<Peer> {
  const port = await freePort()
  const child = spawn(
    'npm',
    ['exec', '--yes', '--package=@portkey-ai/gateway@1', '--', 'gateway', `--port=${port}`, '--headless'],
    {
      stdio: 'ignore',
      detached: true,
    },
  )
  // npm starts the gateway as its own child process. Both are in this group.
  const stop = () => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  for (const until = performance.now() + START_MS; performance.now() < until && child.exitCode === null; await sleep(200))
    if (await fetch(`http://127.0.0.1:${port}/`).catch(() => null))
      return {
        port,
        headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${mockPort}/v1` },
        stop,
      }
  stop()
  throw new Error('Portkey did not start. Is the package registry within reach?')
}
