import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startEmbedded } from '#lib/store/embedded/embedded'
import { isRunning } from '#lib/store/embedded/postmaster'
import { type SupervisedServer, superviseEmbedded } from '#lib/store/embedded/supervise'
import { makeTestDirectory, removeTestDirectory, stopServersIn } from '../support/server.ts'

let dataDir: string
let lines: string[]
let supervised: SupervisedServer | undefined

beforeAll(async () => {
  dataDir = await makeTestDirectory()
})

afterAll(() => removeTestDirectory(dataDir))

beforeEach(() => {
  lines = []
})

afterEach(async () => {
  await supervised?.release(true)
  supervised = undefined
  await stopServersIn(dataDir)
})

const options = (max_connections: string) => ({
  dataDir,
  port: 0,
  settings: { fsync: 'off', max_connections },
  log: (line: string) => lines.push(line),
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function maxConnectionsOf(url: string): Promise<string> {
  const client = await connect(url)
  try {
    return (await client.query<{ max_connections: string }>('SHOW max_connections')).rows[0]?.max_connections ?? ''
  } finally {
    await client.end()
  }
}

const pidOf = async (): Promise<number> =>
  Number.parseInt(await readFile(join(dataDir, 'server', 'data', 'postmaster.pid'), 'utf8').catch(() => '0'), 10)

/** Resolves once a process other than `pid` serves the URL, and its keeper knows. */
async function waitForRestart(url: string, pid: number): Promise<void> {
  const answers = () =>
    connect(url)
      .then((client) => client.end())
      .then(pidOf, () => pid)
  const isLogged = (now: number) => lines.some((line) => line.startsWith(`started PostgreSQL (process ${now})`))
  await expect
    .poll(
      async () => {
        const now = await answers()
        return now !== pid && isLogged(now)
      },
      { timeout: 60_000 },
    )
    .toBe(true)
}

test('a living server with too few connections is started anew where nobody uses it; one that has enough is joined', async () => {
  const small = await startEmbedded(options('20'))
  const large = await startEmbedded(options('40'))
  expect(large.adopted).toBe(false)
  expect(isRunning(small.pid)).toBe(false)
  expect(await maxConnectionsOf(large.url)).toBe('40')
  expect(lines).toContainEqual(
    expect.stringMatching(/has room for 20 connections, and these settings need 40: it is started anew/),
  )
  expect(await startEmbedded(options('30'))).toMatchObject({ adopted: true, pid: large.pid })
})

test('a living server with too few connections that others use is joined, and that is said', async () => {
  const small = await startEmbedded(options('20'))
  const client = await connect(small.url)
  expect(await startEmbedded(options('40'))).toMatchObject({ adopted: true, pid: small.pid })
  expect(lines).toContainEqual(expect.stringMatching(/need 40: stop the other processes that use it/))
  await client.end()
})

test('a kept server that is killed is started again on its port, with its settings, as often as that happens', async () => {
  supervised = await superviseEmbedded(options('25'))
  for (const _ of [1, 2]) {
    const pid = await pidOf()
    process.kill(pid, 'SIGKILL')
    await waitForRestart(supervised.url, pid)
    expect(lines).toContainEqual(
      expect.stringMatching(`the database \\(process ${pid}\\) has ended: it is started again in \\d+ ms`),
    )
  }
  expect(await maxConnectionsOf(supervised.url)).toBe('25')
  const last = await pidOf()
  await supervised.release(false)
  expect(isRunning(last)).toBe(false)
})

test('a kept server that cannot be started again is tried again, after pauses that grow, until it can', async () => {
  supervised = await superviseEmbedded(options('20'))
  const [pid, port] = [await pidOf(), Number(new URL(supervised.url).port)]
  process.kill(pid, 'SIGKILL')
  const blocker = createServer()
  await expect
    .poll(
      () => new Promise((resolve) => blocker.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))),
    )
    .toBe(true)
  const listRestartDelaysMs = () => lines.flatMap((line) => /it is started again in (\d+) ms/.exec(line)?.[1] ?? []).map(Number)
  await expect.poll(() => listRestartDelaysMs().length, { timeout: 30_000 }).toBeGreaterThan(2)
  expect(listRestartDelaysMs()).toEqual(listRestartDelaysMs().toSorted((a, b) => a - b))
  expect(lines).toContainEqual(`the database could not be started again: its port ${port} is taken by another program`)
  await new Promise((resolve) => blocker.close(resolve))
  await waitForRestart(supervised.url, pid)
})

test('leaving stops what was started here, and what others use only where they cannot have counted on it', async () => {
  supervised = await superviseEmbedded(options('20'))
  const pid = await pidOf()
  const client = await connect(supervised.url)
  await supervised.release(false)
  expect(isRunning(pid)).toBe(true)
  const second = await superviseEmbedded(options('20'))
  await second.release(true)
  expect(isRunning(pid)).toBe(true)
  await client.end()
  await supervised.release(true)
  expect(isRunning(pid)).toBe(false)
})
