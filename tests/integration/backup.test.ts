import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { copyOne } from '#lib/store/embedded/copy-tree'
import { startEmbedded } from '#lib/store/embedded/embedded'
import { migrate } from '#lib/store/migrate'
import { mountSmallDisk } from '../chaos/small-disk.ts'
import { type CommandResult, runCommand } from '../support/command.ts'
import { addAccount } from '../support/fixtures.ts'
import { holdOrThrow, openLedger, settlementOf, type TestLedger } from '../support/ledger.ts'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'

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
  // The server keeps little WAL by itself, so the WAL that the copy needs must be retained for it.
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

const run = (
  command: 'backup' | 'restore',
  folder: string,
  to = dataDir,
  extraEnv: Record<string, string> = {},
): Promise<CommandResult> =>
  runCommand(command, folder === '' ? [] : [join(dir, folder)], { DATA_DIR: to, DATABASE_URL: '', ...extraEnv })

/** Charges one request after another until it is stopped. `done` has the requests whose charge was reported durable. */
function startCharging(): { done: string[]; stop(): Promise<void> } {
  const done: string[] = []
  let active = true
  const chargeLoop = async () => {
    while (active) {
      const hold = await holdOrThrow(ledger, account, 1000n)
      const settlement = settlementOf(account, hold, 7n)
      await ledger.committer.post(settlement)
      hold.end(7n)
      done.push(settlement.id)
    }
  }
  const all = Promise.all(Array.from({ length: 8 }, chargeLoop))
  // Handles the rejection from the start: it may come before anybody awaits it.
  all.catch(() => undefined)
  return {
    done,
    stop: async () => {
      active = false
      await all
    },
  }
}

/** The servers that run on folders below this one. */
async function findServers(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args='])
  return stdout.split('\n').filter((line) => line.includes(`postgres -D ${folder}`))
}

async function readChargedIds(folder: string): Promise<Set<string>> {
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), port: 0, settings: { fsync: 'off' } })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ id: string }>('select id from usage_record')
  await client.end()
  await server.stop()
  return new Set(rows.map(({ id }) => id))
}

describe('a backup of a gateway that is charging', () => {
  let chargedBefore: string[]
  let backupResult: CommandResult

  beforeAll(async () => {
    const { done, stop } = startCharging()
    await vi.waitFor(() => expect(done.length).toBeGreaterThan(200), 15_000)
    chargedBefore = [...done]
    backupResult = await run('backup', 'copy')
    await stop()
  })

  test('is whole, and was started and audited', () => {
    expect(backupResult).toMatchObject({ code: 0, errors: '' })
    expect(backupResult.out).toContain('The books balance.')
    expect(backupResult.out).toMatch(/is a complete backup/)
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
    const restoreResult = await run('restore', 'copy', restored)
    expect(restoreResult).toMatchObject({ code: 0, errors: '' })
    expect(restoreResult.out).toContain('The books balance.')
    for (const name of NAMES)
      expect(await readFile(join(restored, name), 'utf8')).toBe(await readFile(join(dataDir, name), 'utf8'))
    expect(await readdir(restored)).not.toContain('restoring')
    const charged = await readChargedIds(restored)
    expect(chargedBefore.filter((id) => !charged.has(id))).toEqual([])
  })

  test('is not restored over anything', async () => {
    const overwriteResult = await run('restore', 'copy', dataDir)
    expect(overwriteResult.code).toBe(1)
    expect(overwriteResult.errors).toMatch(/There is a gateway in .*data\. Stop it, move the folder away/)
    const versionFile = join(dir, 'copy', 'postgres', 'server', 'data', 'PG_VERSION')
    await writeFile(versionFile, '12\n')
    expect((await run('restore', 'copy', join(dir, 'older'))).errors).toMatch(/The backup is of PostgreSQL 12/)
    await writeFile(versionFile, '18\n')
    expect((await run('restore', 'copy', join(dir, 'older'))).code).toBe(0)
    const empty = join(dir, 'with-database')
    await mkdir(join(empty, 'postgres', 'server', 'data'), { recursive: true, mode: 0o711 })
    expect((await run('restore', 'copy', empty)).errors).toMatch(/There is a database in/)
    expect(await readdir(join(empty, 'postgres', 'server'))).toEqual(['data'])
  })
})

test('a database that is too old to be audited is backed up all the same, and audited by the restore', async () => {
  const [old, migrations] = [join(dir, 'old'), join(dir, 'old-migrations')]
  await mkdir(old, { mode: 0o711 })
  for (const name of (await readdir('prisma/migrations')).sort().slice(0, 2))
    await cp(join('prisma/migrations', name), join(migrations, name), { recursive: true })
  const server = await startEmbedded({ dataDir: join(old, 'postgres'), port: 0, settings: { fsync: 'off' } })
  await migrate({ url: server.url, dir: migrations })
  await server.stop()
  await writeFile(join(old, 'secret-key'), 'ab'.repeat(32), { mode: 0o600 })
  const backupResult = await run('backup', 'old-copy', old)
  expect(backupResult).toMatchObject({ code: 0, errors: '' })
  expect(backupResult.out).toMatch(/It is not audited: .*\n.*old-copy is a complete backup/)
  const restoreResult = await run('restore', 'old-copy', join(dir, 'old-restored'))
  expect(restoreResult).toMatchObject({ code: 0, errors: '' })
  expect(restoreResult.out).toMatch(/applied the migration[\s\S]*The books balance\./)
})

test('a restore that broke off is told as such, and is no gateway to start', async () => {
  const [brokenBackup, partialRestore] = [join(dir, 'broken'), join(dir, 'half')]
  await mkdir(brokenBackup)
  for (const [name, text] of [
    ['backup.json', JSON.stringify({ begunAt: new Date().toISOString(), database: false })],
    ['secret-key', 'ab'.repeat(32)],
    ['files', 'no folder, which ends the copying'],
  ] as const)
    await writeFile(join(brokenBackup, name), text)
  const url = { DATABASE_URL: 'postgres://localhost:1/nowhere' }
  expect(await run('restore', 'broken', partialRestore, url)).toMatchObject({
    code: 1,
    errors: expect.stringContaining('ENOTDIR'),
  })
  const incompleteError = {
    code: 1,
    errors: expect.stringMatching(/it is incomplete.* move the folder away \(mv\) and restore again/),
  }
  expect(await run('restore', 'broken', partialRestore, url)).toMatchObject(incompleteError)
  expect(await runCommand('../../server', [], { DATA_DIR: partialRestore, DATABASE_URL: '', PORT: '0' })).toMatchObject(
    incompleteError,
  )
  expect(await readdir(partialRestore)).not.toContain('postgres')
})

test('what is in the way is left alone', async () => {
  await mkdir(join(dir, 'full', 'of'), { recursive: true })
  expect(await run('backup', 'full')).toMatchObject({ code: 1, errors: expect.stringContaining('already exists') })
  await mkdir(join(dir, 'twice.partial'))
  expect(await run('backup', 'twice')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('another backup is in progress'),
  })
  expect(await readdir(join(dir, 'twice.partial'))).toEqual([])
  expect(await run('restore', 'full', join(dir, 'nowhere'))).toMatchObject({
    code: 1,
    errors: expect.stringContaining('is not a complete backup'),
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

test('a part of what is backed up is no place for a backup', async () => {
  for (const folder of ['data/files/copy', 'data/postgres/copy'])
    expect(await run('backup', folder)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('is inside what is backed up'),
    })
})

test('a backup without the root of all secrets is refused, and whatever the originals allow, the copies are its owner’s', async () => {
  const movedKeyFile = join(dir, 'kept-elsewhere')
  await rename(join(dataDir, 'secret-key'), movedKeyFile)
  try {
    expect(await run('backup', 'keyless')).toMatchObject({ code: 1, errors: expect.stringContaining('has no secret-key') })
    await chmod(movedKeyFile, 0o644)
    await symlink(movedKeyFile, join(dataDir, 'secret-key'))
    expect(await run('backup', 'linked')).toMatchObject({ code: 0 })
    const copy = await lstat(join(dir, 'linked', 'secret-key'))
    expect([copy.isFile(), copy.mode & 0o777]).toEqual([true, 0o600])
  } finally {
    await rename(movedKeyFile, join(dataDir, 'secret-key'))
  }
})

test('a backup that is stopped while it tries the copy leaves no server and no folder', async () => {
  const copy = join(dir, 'stopped.partial')
  const child = spawn(process.execPath, ['lib/cli/backup.ts', join(dir, 'stopped')], {
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '', LOG_LEVEL: 'fatal' },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  try {
    await expect.poll(async () => (await findServers(copy)).length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  expect((await ended)[0]).toBe(1)
  expect(await findServers(copy)).toEqual([])
  expect(await readdir(dir)).not.toContain('stopped.partial')
})

test('a file that becomes shorter while it is copied is copied as far as it goes', async () => {
  const [from, to] = [join(dir, 'long'), join(dir, 'long-copy')]
  await writeFile(from, Buffer.alloc(256 * 1024 * 1024))
  const copying = copyOne(from, to)
  await sleep(5)
  await truncate(from, 1000)
  const bytes = await copying
  expect(bytes).toBeLessThan(256 * 1024 * 1024)
})

test('a disk that is full is named by the file that has no room, and nothing is left on it', async (context) => {
  const disk = await mountSmallDisk('4m')
  if (!disk) {
    process.stdout.write('SKIPPED: a full disk, because this user may not mount one.\n')
    return context.skip()
  }
  try {
    const result = await runCommand('backup', [join(disk.dir, 'copy')], { DATA_DIR: dataDir, DATABASE_URL: '' })
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('ENOSPC: no space left on device, write ') })
    expect(result.errors).toContain(join(disk.dir, 'copy.partial', 'postgres'))
    expect(await readdir(disk.dir)).toEqual([])
  } finally {
    disk.unmount()
  }
})

test('with a database of somebody else, only what lies beside it is copied, and the command says so', async () => {
  const url = { DATABASE_URL: pool.options.connectionString ?? '' }
  const result = await run('backup', 'beside', dataDir, { ...url, SECRET_KEY: 'cd'.repeat(32) })
  expect(result).toMatchObject({ code: 0, errors: '' })
  expect(result.out).toMatch(/The database is the one at DATABASE_URL and is not in this backup/)
  expect(result.out).toMatch(/SECRET_KEY is among your settings/)
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
    const result = await run('backup', 'wrong')
    expect(result.code).toBe(1)
    expect(result.out).toContain('THE BOOKS DO NOT BALANCE.')
    expect(await readdir(dir)).not.toContain('wrong')
    expect(await run('restore', 'wrong.partial', join(dir, 'wrong-restored'))).toMatchObject({ code: 1 })
  } finally {
    await pool.query('update purse set credit = credit - 1 where id = $1', [account])
  }
})
