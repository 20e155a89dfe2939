import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Embedded, startEmbedded } from '#lib/store/embedded/embedded'
import { isRunning } from '#lib/store/embedded/postmaster'
import { makeTestDirectory, removeTestDirectory, stopServersIn } from '../support/server.ts'

const settings = { fsync: 'off' }

let dir: string
let dataDir: string
let lines: string[]
const children: ChildProcess[] = []

beforeAll(async () => {
  dir = await makeTestDirectory()
})

afterAll(() => removeTestDirectory(dir))

beforeEach(() => {
  dataDir = join(dir, 'shared')
  lines = []
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await stopServersIn(dir)
})

// Making a database takes most of the time of these tests, so only those that are about it make their own.
function useFreshDirectory(): void {
  dataDir = join(dir, randomUUID())
}

function start(options: { port?: number } = {}): Promise<Embedded> {
  return startEmbedded({ dataDir, port: 0, settings, log: (line) => lines.push(line), ...options })
}

async function query<R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Starts the server from another process, which then keeps running. */
async function startInOtherProcess(): Promise<{ child: ChildProcess; url: string; pid: number; adopted: boolean }> {
  const script = join(import.meta.dirname, '..', 'support', 'start-embedded.ts')
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, ...JSON.parse(line.toString()) }
}

describe('a first start', () => {
  beforeEach(useFreshDirectory)

  test('makes a database that only its password opens, and that listens on this machine only', async () => {
    const server = await start()
    expect(server).toMatchObject({ adopted: false, dataDir })
    const [row] = await query<{ v: string; listen: string; d: string }>(
      server.url,
      `SELECT split_part(current_setting('server_version'), '.', 1) AS v, current_setting('listen_addresses') AS listen,
              current_database() AS d`,
    )
    expect(row).toEqual({ v: '18', listen: '127.0.0.1', d: 'tollgate' })
    const wrongUrl = server.url.replace(/:[^:@/]+@/, ':wrong@')
    await expect(query(wrongUrl, 'SELECT 1')).rejects.toThrow('password authentication failed')
  })

  test('keeps the password in a file for our eyes only, and leaves nothing half made', async () => {
    await start()
    const { mode } = await stat(join(dataDir, 'server', 'password'))
    expect(mode & 0o777).toBe(0o600)
    expect((await readdir(dataDir)).sort()).toEqual(['server', 'server.log'])
  })

  test('durability is on unless a setting turns it off', async () => {
    const server = await startEmbedded({ dataDir, port: 0 })
    const rows = await query<{ name: string }>(
      server.url,
      `SELECT name FROM pg_settings WHERE setting = 'on'
        AND name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums') ORDER BY name`,
    )
    expect(rows.map((row) => row.name)).toEqual(['data_checksums', 'fsync', 'full_page_writes', 'synchronous_commit'])
  })

  test('gives the server nothing of our environment', async () => {
    process.env.SECRET_OF_A_VENDOR = 'sk-1'
    const server = await start()
    delete process.env.SECRET_OF_A_VENDOR
    if (process.platform !== 'linux') return
    const environment = await readFile(`/proc/${server.pid}/environ`, 'utf8')
    expect(environment).not.toContain('SECRET_OF_A_VENDOR')
  })
})

describe('a living server', () => {
  test('is adopted by a second start', async () => {
    const first = await start()
    const second = await start()
    expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port, url: first.url })
  })

  test('outlives the process that started it, killed with -9, and is adopted with its data', async () => {
    const otherProcess = await startInOtherProcess()
    await query(otherProcess.url, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 7 AS x')
    const ended = once(otherProcess.child, 'exit')
    otherProcess.child.kill('SIGKILL')
    await ended
    const server = await start()
    expect(server).toMatchObject({ adopted: true, pid: otherProcess.pid })
    expect(await query(server.url, 'SELECT x FROM kept')).toEqual([{ x: 7 }])
  })

  test('is not reached by signals to the group of the process that started it', async () => {
    const otherProcess = await startInOtherProcess()
    if (process.platform !== 'linux') return
    const session = async (pid: number | undefined) =>
      (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[3]
    expect(await session(otherProcess.pid)).toBe(String(otherProcess.pid))
    expect(await session(otherProcess.pid)).not.toBe(await session(otherProcess.child.pid))
  })

  test('tells how many connections it has', async () => {
    const server = await start()
    expect(await server.clients()).toBe(0)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    expect(await server.clients()).toBe(1)
    await client.end()
  })

  test('does not count a connection that is just being closed', async () => {
    const server = await start()
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const clientCount = server.clients()
    await sleep(300)
    await client.end()
    expect(await clientCount).toBe(0)
  })
})

describe('several starts at the same moment', () => {
  beforeEach(useFreshDirectory)

  test('in processes of their own make one database and one server', async () => {
    const starts = await Promise.all([startInOtherProcess(), startInOtherProcess(), startInOtherProcess()])
    expect(new Set(starts.map((one) => one.pid)).size).toBe(1)
    expect(starts.filter((one) => !one.adopted)).toHaveLength(1)
    expect((await readdir(dataDir)).sort()).toEqual(['server', 'server.log'])
  })

  test('in one process do too', async () => {
    const servers = await Promise.all([start(), start(), start()])
    expect(new Set(servers.map((one) => one.url)).size).toBe(1)
    expect(lines.filter((line) => line.startsWith('made a database'))).toHaveLength(1)
  })

  test('do not wait for one that was cut off while it made the database', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'making.lock'), '2147483647 1')
    const server = await start()
    expect(server.adopted).toBe(false)
  })

  test('do not take a lock for held because their own pid is in it, from before a restart', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'making.lock'), `${process.pid} 1`)
    const server = await start()
    expect(server.adopted).toBe(false)
  })
})

describe('a pid file that tells nothing true', () => {
  test('of a server that was killed: the next start recovers the data', async () => {
    const first = await start()
    await query(first.url, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 7 AS x')
    process.kill(first.pid, 'SIGKILL')
    const second = await start()
    expect(second.adopted).toBe(false)
    expect(second.pid).not.toBe(first.pid)
    expect(await query(second.url, 'SELECT x FROM kept')).toEqual([{ x: 7 }])
  })

  test('whose pid is another program by now: it is cleared', async () => {
    const first = await start()
    const pidFile = join(dataDir, 'server', 'data', 'postmaster.pid')
    const text = await readFile(pidFile, 'utf8')
    await first.stop()
    await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)))
    const second = await start()
    expect(second.adopted).toBe(false)
    expect(lines).toContainEqual(expect.stringContaining(`process ${process.pid} is not the database`))
  })
})

describe('the port', () => {
  let blocker: Server | undefined

  afterEach(() => blocker?.close())

  test('moves on from one that is taken', async () => {
    blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const address = blocker.address()
    const takenPort = typeof address === 'object' && address ? address.port : 0
    const server = await start({ port: takenPort })
    expect(server.port).toBeGreaterThan(takenPort)
  })

  test('of a server that was stopped is taken again', async () => {
    const first = await start()
    await first.stop()
    expect((await start({ port: first.port })).port).toBe(first.port)
  })
})

describe('stopping', () => {
  test('ends the server in good order, also with clients connected', async () => {
    const server = await start()
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    await server.stop()
    expect(isRunning(server.pid)).toBe(false)
    expect(await readFile(join(dataDir, 'server.log'), 'utf8')).toContain('database system is shut down')
    expect(await readdir(join(dataDir, 'server', 'data'))).not.toContain('postmaster.pid')
  })

  test('works for an adopted server, and a second time, and for one that is gone', async () => {
    const first = await start()
    const second = await start()
    await Promise.all([second.stop(), second.stop()])
    await first.stop()
    expect(isRunning(first.pid)).toBe(false)
  })
})

describe('errors', () => {
  test('a setting that PostgreSQL refuses is told with the end of its log', async () => {
    const failing = startEmbedded({ dataDir, port: 0, settings: { ...settings, shared_buffers: 'much' } })
    await expect(failing).rejects.toThrow(/does not start[\s\S]*invalid value for parameter "shared_buffers"/)
  })

  test('a data directory of another major version is refused, and named', async () => {
    const server = await start()
    await server.stop()
    const file = join(dataDir, 'server', 'data', 'PG_VERSION')
    const present = await readFile(file)
    await writeFile(file, '17\n')
    await expect(start()).rejects.toThrow(/made by PostgreSQL 17.*pg_dump/)
    await writeFile(file, present)
  })
})
