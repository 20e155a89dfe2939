import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isRunning } from '#lib/store/embedded/postmaster'
import { chatChunk, type FakeVendor, sendEvent, startFakeVendor, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway, type TestGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'

const LEASE_LIFETIME_MS = 2_000
const STREAM = { model: 'fake/chat', stream: true, stream_options: { include_usage: true }, max_tokens: 100 }

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)])
  return stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
}

async function workersOf(gateway: TestGateway): Promise<number[]> {
  const commands = await Promise.all(
    (await childrenOf(gateway.pid)).map(async (pid) => ({
      pid,
      line: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })),
  )
  return commands.filter(({ line }) => line.includes('server.ts')).map(({ pid }) => pid)
}

/** A vendor whose streams take `pieces * 10` ms. */
async function startSlowVendor(pieces: number): Promise<FakeVendor> {
  const vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    startStream(call)
    for (let piece = 0; piece < pieces && !call.response.destroyed; piece++) {
      sendEvent(call, chatChunk('word '))
      await sleep(10)
    }
    sendEvent(call, chatChunk(null, 'stop'))
    sendEvent(call, usageChunk(usageOf(100, pieces)))
    sendEvent(call, '[DONE]')
    call.response.end()
  })
  return vendor
}

async function startWithWorkers(database: TestDatabase, vendor: FakeVendor) {
  const env = { WORKERS: '2', LEASE_LIFE_MS: String(LEASE_LIFETIME_MS) }
  const gateway = await startGateway({ databaseUrl: database.url, env })
  const account = await addAccount(database.pool, 10_000_000_000n)
  const { secret } = await addKey(database.pool, account)
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url })
  await waitUntilModelKnown(gateway.url, secret, 'fake/chat', 8)
  return { gateway, account, secret }
}

test('a worker is killed with -9 under load: calls go on, another one comes, and the books hold', async () => {
  await using database = await createDatabase()
  await using vendor = await startSlowVendor(10)
  const { gateway, account, secret } = await startWithWorkers(database, vendor)
  await using _ = gateway
  const before = await workersOf(gateway)
  expect(before.length).toBe(2)
  const journal = new Journal()
  let running = true
  const clients = Array.from({ length: 16 }, async () => {
    while (running) if (!(await journal.call(gateway.url, secret, STREAM)).complete) await sleep(20)
  })
  await sleep(700)
  process.kill(before[0] ?? 0, 'SIGKILL')
  const killedAt = journal.completed.length
  await expect.poll(() => journal.completed.length).toBeGreaterThan(killedAt)
  await expect.poll(async () => (await workersOf(gateway)).length, { timeout: 10_000 }).toBe(2)
  expect(await workersOf(gateway)).not.toContain(before[0])
  expect(await workersOf(gateway)).toContain(before[1])
  await sleep(LEASE_LIFETIME_MS * 2)
  running = false
  await Promise.all(clients)
  expect(gateway.log()).toMatch(/The worker "gateway \d" has ended \(SIGKILL\)/)
  await expect
    .poll(async () => (await (await fetch(`${gateway.url}/metrics`)).text()).includes('tollgate_requests_total{'))
    .toBe(true)
  await journal.expectBooksMatch(database.pool, account)
  await expectBalancedBooks(database.pool, LEASE_LIFETIME_MS * 2)
  expect(await gateway.stop()).toBe(0)
  expect((await balanceOf(database.pool, account)).leased).toBe(0n)
})

test('the first process is killed with -9: its workers finish their streams, settle, give back and go', async () => {
  await using database = await createDatabase()
  await using vendor = await startSlowVendor(100)
  const { gateway, account, secret } = await startWithWorkers(database, vendor)
  const workers = await workersOf(gateway)
  const journal = new Journal()
  const streams = Array.from({ length: 12 }, () => journal.call(gateway.url, secret, STREAM))
  await expect.poll(() => vendor.calls.length, { timeout: 10_000 }).toBe(12)
  gateway.kill('SIGKILL')
  await Promise.all(streams)
  expect(journal.completed.length).toBe(12)
  await expect.poll(() => workers.filter(isRunning), { timeout: 10_000 }).toEqual([])
  await journal.expectBooksMatch(database.pool, account)
  await expectBalancedBooks(database.pool, LEASE_LIFETIME_MS * 2)
  expect((await balanceOf(database.pool, account)).leased).toBe(0n)
  await gateway.stop()
})

test('and they finish them too where it had handed them connections that nobody has taken yet', async () => {
  await using database = await createDatabase()
  await using vendor = await startSlowVendor(400)
  const { gateway, secret } = await startWithWorkers(database, vendor)
  const workers = await workersOf(gateway)
  const journal = new Journal()
  const streams = Array.from({ length: 6 }, () => journal.call(gateway.url, secret, STREAM))
  await expect.poll(() => vendor.calls.length, { timeout: 10_000 }).toBe(6)
  for (const pid of workers) process.kill(pid, 'SIGSTOP')
  const { hostname, port } = new URL(gateway.url)
  const sockets = Array.from({ length: 8 }, () => connect(Number(port), hostname).on('error', () => undefined))
  await sleep(500)
  gateway.kill('SIGKILL')
  await expect.poll(() => isRunning(gateway.pid)).toBe(false)
  // Its ends of the channels close a little later: by then nobody is left to be told that a connection was accepted.
  await sleep(300)
  for (const pid of workers) process.kill(pid, 'SIGCONT')
  await Promise.all(streams)
  for (const socket of sockets) socket.destroy()
  expect(gateway.log()).not.toContain('uncaught error')
  expect(journal.completed.length).toBe(6)
  await expect.poll(() => workers.filter(isRunning), { timeout: 10_000 }).toEqual([])
  await gateway.stop()
})

test('a worker is killed with -9 before it has taken a connection that it was handed: nobody waits for it', async () => {
  await using database = await createDatabase()
  await using vendor = await startSlowVendor(1)
  const { gateway, secret } = await startWithWorkers(database, vendor)
  await using _ = gateway
  const [pausedPid = 0] = await workersOf(gateway)
  process.kill(pausedPid, 'SIGSTOP')
  const { hostname, port } = new URL(gateway.url)
  const request = `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n\r\n`
  // Each on a new connection of its own.
  const openAndRequest = () =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write(request))
      socket.on('data', (data) => {
        text += data.toString()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(text.slice(0, 12)))
    })
  const requests = Array.from({ length: 6 }, openAndRequest)
  await sleep(500)
  process.kill(pausedPid, 'SIGKILL')
  const answers = await Promise.all(requests)
  // Node hands a worker no second connection before it has accepted the first one.
  expect(answers.filter((answer) => answer === 'HTTP/1.1 200').length).toBeGreaterThanOrEqual(4)
  expect(answers.every((answer) => answer === '' || answer === 'HTTP/1.1 200')).toBe(true)
}, 60_000)

test('told to stop, it lets the streams of all workers end, and takes no new ones', async () => {
  await using database = await createDatabase()
  await using vendor = await startSlowVendor(100)
  const { gateway, account, secret } = await startWithWorkers(database, vendor)
  const workers = await workersOf(gateway)
  const journal = new Journal()
  const streams = Array.from({ length: 12 }, () => journal.call(gateway.url, secret, STREAM))
  await expect.poll(() => vendor.calls.length, { timeout: 10_000 }).toBe(12)
  const exitCode = gateway.stop()
  await expect.poll(async () => (await journal.call(gateway.url, secret, STREAM)).status, { timeout: 10_000 }).toBe(0)
  const streamed = await Promise.all(streams)
  expect(streamed.filter(({ complete }) => complete).length).toBe(12)
  expect(await exitCode).toBe(0)
  expect(workers.filter(isRunning)).toEqual([])
  await journal.expectBooksMatch(database.pool, account)
  await expectBalancedBooks(database.pool, LEASE_LIFETIME_MS * 2)
  expect((await balanceOf(database.pool, account)).leased).toBe(0n)
})

test('told twice, it goes at once with all its workers', async () => {
  await using database = await createDatabase()
  await using vendor = await startSlowVendor(3000)
  const { gateway, secret } = await startWithWorkers(database, vendor)
  const workers = await workersOf(gateway)
  const journal = new Journal()
  const stream = journal.call(gateway.url, secret, STREAM)
  await sleep(300)
  gateway.kill('SIGTERM')
  await sleep(1300)
  expect(workers.filter(isRunning).length).toBeGreaterThan(0)
  expect(await gateway.stop()).toBe(130)
  await expect.poll(() => workers.filter(isRunning)).toEqual([])
  expect((await stream).complete).toBe(false)
})
