import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildLedger } from '#lib/host/ledger'
import type { LedgerStore } from '#lib/ledger/ports'
import { ChangeListener } from '#lib/store/change-listener'
import { backUpServer } from '#lib/store/embedded/base-backup'
import { copyAttributes } from '#lib/store/embedded/copy-tree'
import { type Embedded, startEmbedded } from '#lib/store/embedded/embedded'
import { PgLedgerStore } from '#lib/store/ledger/ledger-store'
import { migrate } from '#lib/store/migrate'
import { addAccount, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, settlementOf } from '../support/ledger.ts'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'

const quiet = { info() {}, warn() {}, error() {} }
const SETTINGS = { fsync: 'off', checkpoint_timeout: '1h' }

let dir: string
let primary: Embedded
let standby: Embedded
let primaryPool: pg.Pool
let standbyPool: pg.Pool

const poolOf = ({ url }: Embedded): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => undefined)
  return pool
}

/** Starts a copy of the primary that follows it. */
async function startStandby(home: string, copy: string): Promise<Embedded> {
  await mkdir(copy, { mode: 0o711 })
  await backUpServer({ url: primary.url, home, target: copy, signal: AbortSignal.timeout(60_000) })
  const data = join(copy, 'server', 'data')
  // Not on the command line, which cannot be changed while the server runs.
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primary.url}'\n`)
  await writeFile(join(data, 'standby.signal'), '')
  await copyAttributes(join(data, 'PG_VERSION'), join(data, 'standby.signal'))
  return startEmbedded({ dataDir: copy, port: 0, settings: SETTINGS })
}

/** Resolves when the standby has everything that the primary has. */
async function waitForReplay(): Promise<void> {
  const { rows } = await primaryPool.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')
  const reached = async () => {
    const found = await standbyPool.query<{ there: boolean }>('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there', [
      rows[0]?.lsn,
    ])
    return found.rows[0]?.there
  }
  await expect.poll(reached, { timeout: 60_000 }).toBe(true)
}

beforeAll(async () => {
  dir = await makeTestDirectory()
  primary = await startEmbedded({ dataDir: join(dir, 'primary'), port: 0, settings: SETTINGS })
  await migrate({ url: primary.url })
  primaryPool = poolOf(primary)
  standby = await startStandby(join(dir, 'primary'), join(dir, 'standby'))
  standbyPool = poolOf(standby)
})
afterAll(async () => {
  await Promise.all([primaryPool?.end(), standbyPool?.end()])
  await removeTestDirectory(dir)
})

test('where a standby does not let a process listen, no try leaves a connection behind', async () => {
  let tries = 0
  const notifications = new ChangeListener({
    url: standby.url,
    pool: standbyPool,
    warn: () => tries++,
    handlers: { onRecall() {}, onReturned() {}, onChange() {} },
  })
  await notifications.start()
  await expect.poll(() => tries).toBeGreaterThan(3)
  await notifications.stop()
  const open = () => standbyPool.query("SELECT FROM pg_stat_activity WHERE application_name = 'tollgate listen'")
  await expect.poll(async () => (await open()).rowCount).toBe(0)
})

test('after a failover leases are dropped, and settlements that it lost are posted again by their ids', async () => {
  const stores = [primaryPool, standbyPool].map((pool, at) => new PgLedgerStore({ pool, url: [primary, standby][at]?.url ?? '' }))
  const [old, promoted] = stores as [PgLedgerStore, PgLedgerStore]
  let current = old
  const store: LedgerStore = {
    encode: (rows) => current.encode(rows),
    settle: (...posting) => current.settle(...posting),
    grow: (request) => current.grow(request),
    returnMoney: (...change) => current.returnMoney(...change),
    register: (owner, lifetimeMs) => current.register(owner, lifetimeMs),
    heartbeat: (owner) => current.heartbeat(owner),
    sweepDeadProcess: (lifetimeMs) => current.sweepDeadProcess(lifetimeMs),
    release: (owner) => current.release(owner),
  }
  let now = 0
  const { committer, membership, wallet } = buildLedger(store, quiet, 30_000, () => now)
  const account = await addAccount(primaryPool, 1_000n)
  await membership.join()
  await membership.sendHeartbeat()
  const hold = await holdOrThrow({ wallet }, account, 100n)
  const owner = membership.owner
  // Dirty pages that the checkpoint has to write, page by page with a pause after each.
  await primaryPool.query('CREATE TABLE dirt AS SELECT n, repeat(md5(n::text), 60) AS words FROM generate_series(1, 2000) n')
  await waitForReplay()
  await standbyPool.query("ALTER SYSTEM SET primary_conninfo = ''")
  await standbyPool.query('SELECT pg_reload_conf()')
  await expect.poll(async () => (await standbyPool.query('SELECT FROM pg_stat_wal_receiver')).rowCount).toBe(0)

  await committer.post(settlementOf(account, hold, 70n))
  hold.end(70n)
  await old.close()
  await primary.stop()
  await standbyPool.query('SELECT pg_promote()')
  // Promotion takes long, and what waited for the database is settled before anybody hears of another timeline.
  current = promoted
  now += 10 * 60_000
  await committer.post(settlementOf(account, null, 20n))
  expect(await balanceOf(standbyPool, account)).toMatchObject({ balance: 980n })
  await membership.sendHeartbeat()

  const { rows } = await standbyPool.query<{ timeline: number }>('SELECT timeline_id AS timeline FROM pg_control_checkpoint()')
  expect(rows, 'the first checkpoint of the new timeline is still under way').toEqual([{ timeline: 1 }])
  expect(membership.owner).not.toBe(owner)
  // The lost charge is back, exactly once, although its lease is not.
  expect(await balanceOf(standbyPool, account)).toMatchObject({ balance: 910n, leased: 0n })
  expect(await wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 910n })).toMatchObject({ amount: 910n })
  await expectBalancedBooks(standbyPool)
  await promoted.close()
})
