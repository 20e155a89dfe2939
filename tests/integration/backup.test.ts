import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startEmbedded } from '#lib/store/embedded/embedded'
import { migrate } from '#lib/store/migrate'
import { type Ran, runCommand } from '../support/command.ts'
import { holdOrThrow, openLedger, settlementOf, type TestLedger } from '../support/ledger.ts'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'
import { addAccount } from '../support/world.ts'

let dir: string
let dataDir: string
let pool: pg.Pool
let ledger: TestLedger
let account: string

const NAMES = ['secret-key', 'credentials-key', 'undelivered/req_1.void', 'files/2026112400/file_1.png']

beforeAll(async () => {
  dir = await makeTestDirectory()
  dataDir = join(dir, 'data')
  await mkdir(dataDir, { mode: 0o711 })
  // Little log is kept for its own sake: what the copy needs must be kept for it.
  const settings = { fsync: 'off', max_wal_size: '32MB', min_wal_size: '32MB', checkpoint_timeout: '30s' }
  const { url } = await startEmbedded({ dataDir: join(dataDir, 'postgres'), port: 0, settings })
  await migrate({ url })
  pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => undefined)
  ledger = await openLedger(pool, url)
  account = await addAccount(pool, 1_000_000_000n)
  for (const name of NAMES) {
    await mkdir(join(dataDir, name, '..'), { recursive: true, mode: 0o700 })
    await writeFile(join(dataDir, name), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
  }
})

afterAll(async () => {
  await ledger.close()
  await pool.end()
  await removeTestDirectory(dataDir)
  await removeTestDirectory(dir)
})

const run = (command: 'backup' | 'restore', folder: string, to = dataDir, more: Record<string, string> = {}): Promise<Ran> =>
  runCommand(command, folder === '' ? [] : [join(dir, folder)], { DATA_DIR: to, DATABASE_URL: '', ...more })

/** Charges one request after another until it is told to stop; `done` has those whose charge was said to be durable. */
function charge(): { done: string[]; stop(): Promise<void> } {
  const done: string[] = []
  let goes = true
  const one = async () => {
    while (goes) {
      const hold = await holdOrThrow(ledger, account, 1000n)
      const settlement = settlementOf(account, hold, 7n)
      await ledger.committer.post(settlement)
      hold.end(7n)
      done.push(settlement.id)
    }
  }
  const all = Promise.all(Array.from({ length: 8 }, one))
  return {
    done,
    stop: async () => {
      goes = false
      await all
    },
  }
}

async function chargedIn(folder: string): Promise<Set<string>> {
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), port: 0, settings: { fsync: 'off' } })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ id: string }>('select id from usage_record')
  await client.end()
  await server.stop()
  return new Set(rows.map(({ id }) => id))
}

describe('a backup of a gateway that is charging', () => {
  let before: string[]
  let ran: Ran

  beforeAll(async () => {
    const { done, stop } = charge()
    await vi.waitFor(() => expect(done.length).toBeGreaterThan(200), 15_000)
    before = [...done]
    ran = await run('backup', 'copy')
    await stop()
  })

  test('is whole, and was started and audited', () => {
    expect(ran).toMatchObject({ code: 0, errors: '' })
    expect(ran.out).toContain('The books balance.')
    expect(ran.out).toMatch(/is a whole backup/)
  })

  test('leaves nothing behind in the server that it copied', async () => {
    expect((await pool.query('select from pg_replication_slots')).rowCount).toBe(0)
    expect((await pool.query<{ runs: boolean }>('select pg_is_in_recovery() as runs')).rows).toEqual([{ runs: false }])
    expect(await readdir(dir)).not.toContain('copy.partial')
  })

  test('keeps what was secret secret', async () => {
    expect((await stat(join(dir, 'copy', 'secret-key'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dir, 'copy', 'postgres', 'server', 'data'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(dir, 'copy', 'postgres', 'server', 'password'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dir, 'copy'))).mode & 0o044).toBe(0)
  })

  test('is restored with every charge that was durable when it began, and with all that lies beside the database', async () => {
    const restored = join(dir, 'restored')
    const again = await run('restore', 'copy', restored)
    expect(again).toMatchObject({ code: 0, errors: '' })
    expect(again.out).toContain('The books balance.')
    for (const name of NAMES)
      expect(await readFile(join(restored, name), 'utf8')).toBe(await readFile(join(dataDir, name), 'utf8'))
    const charged = await chargedIn(restored)
    expect(before.filter((id) => !charged.has(id))).toEqual([])
  })

  test('is not restored over anything', async () => {
    const over = await run('restore', 'copy', dataDir)
    expect(over.code).toBe(1)
    expect(over.errors).toMatch(/There is a gateway in .*data\. Stop it, move the folder away/)
    const empty = join(dir, 'with-database')
    await mkdir(join(empty, 'postgres', 'server', 'data'), { recursive: true, mode: 0o711 })
    expect((await run('restore', 'copy', empty)).errors).toMatch(/There is a database in/)
    expect(await readdir(join(empty, 'postgres', 'server'))).toEqual(['data'])
  })
})

test('what is in the way is left alone', async () => {
  await mkdir(join(dir, 'full', 'of'), { recursive: true })
  expect(await run('backup', 'full')).toMatchObject({ code: 1, errors: expect.stringContaining('is not empty') })
  await mkdir(join(dir, 'twice.partial'))
  expect(await run('backup', 'twice')).toMatchObject({ code: 1, errors: expect.stringContaining('another backup is under way') })
  expect(await readdir(join(dir, 'twice.partial'))).toEqual([])
  expect(await run('restore', 'full', join(dir, 'nowhere'))).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is no whole backup'),
  })
  expect(await readdir(dir)).not.toContain('nowhere')
  for (const command of ['backup', 'restore'] as const)
    expect(await run(command, '')).toMatchObject({ code: 1, errors: expect.stringContaining('Usage:') })
})

test('a folder that the user of the database may not enter is named before anything is copied', async (context) => {
  context.skip(process.getuid?.() !== 0, 'only root hands the database to another user')
  await mkdir(join(dir, 'closed'), { mode: 0o700 })
  expect(await run('backup', 'closed/copy')).toMatchObject({ code: 1, errors: expect.stringContaining('who may not enter') })
  expect(await readdir(join(dir, 'closed'))).toEqual([])
})

test('with a database of somebody else, only what lies beside it is copied, and the command says so', async () => {
  const url = { DATABASE_URL: pool.options.connectionString ?? '' }
  const ran = await run('backup', 'beside', dataDir, { ...url, SECRET_KEY: 'cd'.repeat(32) })
  expect(ran).toMatchObject({ code: 0, errors: '' })
  expect(ran.out).toMatch(/The database is that of DATABASE_URL, which is not in this backup/)
  expect(ran.out).toMatch(/SECRET_KEY is among your settings/)
  expect(await readdir(join(dir, 'beside'))).not.toContain('postgres')
  const restored = join(dir, 'beside-restored')
  expect(await run('restore', 'beside', restored)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('There is no database in'),
  })
  expect(await run('restore', 'beside', restored, url)).toMatchObject({ code: 0, errors: '' })
  expect(await readFile(join(restored, 'undelivered/req_1.void'), 'utf8')).toMatch(/^abab/)
})

test('books that do not balance fail the backup, which then has not its name', async () => {
  await pool.query('update purse set credit = credit + 1 where id = $1', [account])
  try {
    const ran = await run('backup', 'wrong')
    expect(ran.code).toBe(1)
    expect(ran.out).toContain('THE BOOKS DO NOT BALANCE.')
    expect(await readdir(dir)).not.toContain('wrong')
    expect(await run('restore', 'wrong.partial', join(dir, 'wrong-restored'))).toMatchObject({ code: 1 })
  } finally {
    await pool.query('update purse set credit = credit - 1 where id = $1', [account])
  }
})
