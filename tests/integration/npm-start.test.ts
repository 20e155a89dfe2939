import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isRunning } from '#lib/store/embedded/postmaster'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'

let dir: string
let npm: ChildProcess
let output: string

beforeEach(async () => {
  dir = await makeTestDirectory()
  output = ''
})
afterEach(async () => {
  // The children of npm too, in case the signal did not reach them.
  try {
    if (npm.pid) process.kill(-npm.pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
  await removeTestDirectory(dir)
})

// As a service manager or a container does it: the signal reaches npm alone, which passes it only to its own child.
test('SIGTERM to npm start lets the gateway finish, keeps what was compiled, and stops the database last', async () => {
  const env = {
    ...process.env,
    ROLE: 'gateway',
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dir,
    DATABASE_URL: '',
    LOG_LEVEL: 'fatal',
    // As if nobody has set where compiled code is cached.
    NODE_COMPILE_CACHE: undefined,
  }
  npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()))
  await expect.poll(() => output, { timeout: 60_000 }).toContain('Try it:')
  const pidFile = join(dir, 'postgres', 'server', 'data', 'postmaster.pid')
  const database = Number.parseInt(await readFile(pidFile, 'utf8'), 10)
  const ended = once(npm, 'exit')
  npm.kill('SIGTERM')
  await ended
  await expect.poll(() => output).toContain('Shutting down: requests in progress can finish.')
  expect(isRunning(database)).toBe(false)
  await expect(stat(pidFile)).rejects.toThrow('ENOENT')
  const compiled = await readdir(join(dir, 'compiled'), { recursive: true })
  expect(compiled.length).toBeGreaterThan(100)
})
