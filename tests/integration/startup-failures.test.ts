import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isRunning } from '#lib/store/embedded/postmaster'
import { type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { freePort, startGateway } from '../support/gateway.ts'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'

let dir: string
let vendor: FakeVendor
const children: ChildProcess[] = []

beforeEach(async () => {
  dir = await makeTestDirectory()
  vendor = await startFakeVendor()
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await removeTestDirectory(dir)
  await vendor[Symbol.asyncDispose]()
})

interface StartingProcess {
  output: () => string
  kill: (signal: NodeJS.Signals) => void
  ended: Promise<number | null>
}

function start(env: Record<string, string>): StartingProcess {
  const output: string[] = []
  const child = spawn(process.execPath, ['server.ts'], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      ROLE: 'gateway',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dir,
      DATABASE_URL: '',
      LOG_LEVEL: 'fatal',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => output.push(data.toString()))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { output: () => output.join(''), kill: (signal) => void child.kill(signal), ended }
}

/** A start that seeds and is blocked there until `release` is called, because its vendor does not answer. */
async function startBlocked(env: Record<string, string>): Promise<StartingProcess & { database: number; release: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  vendor.answer(async (call) => {
    await promise
    sendJson(call, { object: 'list', data: [] })
  })
  const starting = start({ ...env, OPENAI_COMPATIBLE_BASE_URL: vendor.url })
  await expect.poll(() => vendor.calls.length, { timeout: 60_000 }).toBe(1)
  const file = await readFile(join(dir, 'postgres', 'server', 'data', 'postmaster.pid'), 'utf8')
  return { ...starting, database: Number.parseInt(file, 10), release: resolve }
}

test('a port that is taken ends the start before anything is made', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const { output, ended } = start({ PORT: String(port) })
  expect(await ended).toBe(1)
  blocker.close()
  expect(output()).toMatch(/PORT, HOST: this gateway cannot listen on that address: .*EADDRINUSE/)
  await expect(stat(join(dir, 'postgres'))).rejects.toThrow('ENOENT')
})

test('a port that goes while it starts: the first sign-in and key are kept, the database stops, and the next start names them', async () => {
  const port = await freePort()
  const first = await startBlocked({ PORT: String(port) })
  const blocker = createServer().listen(port, '127.0.0.1')
  await once(blocker, 'listening')
  first.release()
  expect(await first.ended).toBe(1)
  expect(first.output()).toMatch(/PORT, HOST: this gateway cannot listen on that address: .*EADDRINUSE/)
  expect(isRunning(first.database)).toBe(false)
  const credentialsFile = join(dir, 'first-start.txt')
  const key = /sk-tg-\w+/.exec(await readFile(credentialsFile, 'utf8'))?.[0] ?? ''
  expect((await stat(credentialsFile)).mode & 0o777).toBe(0o600)
  blocker.close()

  const second = start({ PORT: String(port) })
  await expect.poll(second.output, { timeout: 60_000 }).toContain(`first API key are in ${credentialsFile}, unless`)
  const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)
  second.kill('SIGTERM')
  expect(await second.ended).toBe(0)
})

test('a signal while it starts ends it, and the database that it started', async () => {
  const starting = await startBlocked({})
  starting.kill('SIGTERM')
  await expect.poll(starting.output).toContain('Shutting down')
  starting.release()
  expect(await starting.ended).toBe(0)
  expect(starting.output()).not.toContain('Tollgate serves')
  expect(isRunning(starting.database)).toBe(false)
})

test.each([
  ['DATABASE_URL', { DATABASE_URL: 'postgres://localhost:1/none' }, /DATABASE_URL: the database cannot be used: .*ECONNREFUSED/],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://localhost:1/none?sslrootcert=/none' }, /DATABASE_URL: .* used: ENOENT.*'\/none'/],
  ['HOST', { HOST: '127.0.0.1:3000' }, /PORT, HOST: this gateway cannot listen on that address: .*ENOTFOUND/],
  ['DATA_DIR', { DATA_DIR: '/dev/null/data' }, /DATA_DIR: the folder cannot be used: .*ENOTDIR/],
  ['DATA_DIR', { DATA_DIR: '/dev/null' }, /DATA_DIR: the folder cannot be used: .*EEXIST/],
  // Folders in /proc can be looked up, but not created.
  ['DATA_DIR', { DATA_DIR: '/proc/tollgate/data' }, /DATA_DIR: the folder cannot be used: .*ENOENT.*'\/proc\/tollgate'/],
])('a start that fails by %s names it', async (_, env, message) => {
  const { output, ended } = start(env)
  expect(await ended).toBe(1)
  expect(output()).toMatch(message)
})

test('a database that takes no writes is named before anything is asked of it, and so is one that takes no such text', async () => {
  await using database = await createDatabase({ empty: true })
  await database.pool.query(`ALTER DATABASE ${database.name} SET default_transaction_read_only = on`)
  const first = start({ DATABASE_URL: database.url })
  expect(await first.ended).toBe(1)
  expect(first.output()).toMatch(/^\s*DATABASE_URL: the database cannot be used: it is read-only: it is a standby/)

  const latinDatabase = `${database.name}_latin`
  await using admin = await createDatabase({ empty: true })
  await admin.pool.query(
    `CREATE DATABASE ${latinDatabase} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
  const url = new URL(database.url)
  url.pathname = `/${latinDatabase}`
  const second = start({ DATABASE_URL: url.href })
  expect(await second.ended).toBe(1)
  await admin.pool.query(`DROP DATABASE ${latinDatabase}`)
  expect(second.output()).toMatch(/^\s*DATABASE_URL: the database cannot be used: its encoding is LATIN1/)
})

test('keys that do not open what the database holds are named, before a vendor is sealed that its gateways could not open', async () => {
  await using database = await createDatabase()
  vendor.answer((call) => sendJson(call, { object: 'list', data: [] }))
  const keys = { DATABASE_URL: database.url, SECRET_KEY: '1'.repeat(64) }
  await using gateway = await startGateway({
    databaseUrl: database.url,
    env: { ...keys, OPENAI_API_KEY: 'x', OPENAI_BASE_URL: vendor.url },
  })
  const other = start({ ...keys, SECRET_KEY: '2'.repeat(64), GROQ_API_KEY: 'x', GROQ_BASE_URL: vendor.url })
  expect(await other.ended).toBe(1)
  expect(other.output()).toMatch(
    /^\s*SECRET_KEY, CREDENTIALS_KEY: the vendor credentials in this database were sealed with other keys/,
  )
  const { rows } = await database.pool.query(`select id from connection where secret_sealed is not null`)
  expect(rows).toEqual([{ id: 'con_openai' }])
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
})

test('a start with another SECRET_KEY is refused where nothing is sealed yet, until that of the database is given up', async () => {
  await using database = await createDatabase()
  const otherKey = { DATABASE_URL: database.url, SECRET_KEY: '2'.repeat(64) }
  await using _gateway = await startGateway({
    databaseUrl: database.url,
    env: { DATABASE_URL: database.url, SECRET_KEY: '1'.repeat(64) },
  })
  const other = start(otherKey)
  expect(await other.ended).toBe(1)
  expect(other.output()).toMatch(/^\s*SECRET_KEY: the API keys and codes in this database were made with another one/)
  await database.pool.query('delete from secret_mark')
  await using _next = await startGateway({ databaseUrl: database.url, env: otherKey })
})
