import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { LedgerStore } from '#lib/ledger/ports'
import { settlementRow } from '#lib/ledger/settlement-row'
import { PgLedgerStore } from '#lib/store/ledger/ledger-store'
import { isTransient } from '#lib/store/transient'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, openLedger, settlementOf, type TestLedger } from '../support/ledger.ts'
import { lockRows } from '../support/locks.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

let database: TestDatabase
const openLedgers: TestLedger[] = []

async function ledgerOf(lifetimeMs?: number): Promise<TestLedger> {
  const ledger = await openLedger(database.pool, database.url, lifetimeMs)
  openLedgers.push(ledger)
  return ledger
}

/** Makes a database call fail this many times. With `after` the call does its work and only the answer is lost. */
function failCalls<K extends 'grow' | 'returnMoney'>(store: LedgerStore, name: K, times: number, when: 'before' | 'after'): void {
  const real = store[name].bind(store) as (...args: unknown[]) => Promise<unknown>
  let left = times
  const failing = async (...args: unknown[]): Promise<unknown> => {
    if (left === 0) return await real(...args)
    left--
    if (when === 'after') await real(...args)
    throw new Error('Connection terminated unexpectedly')
  }
  store[name] = failing as LedgerStore[K]
}

beforeAll(async () => {
  database = await createDatabase()
})

afterEach(async () => {
  for (const ledger of openLedgers.splice(0)) {
    await ledger.close()
    await database.pool.query('SELECT release_process($1)', [ledger.membership.owner])
  }
  await expectBalancedBooks(database.pool)
})

afterAll(() => database?.drop())

test('a purse that was idle, forgotten and used again is lent nothing that is not there', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const hold = await holdOrThrow(ledger, account, 100n)
  await ledger.committer.post(settlementOf(account, hold, 100n))
  hold.end(100n)
  ledger.advanceClock(31_000)
  await ledger.wallet.returnIdle()
  // Nothing is left: the first question of the purse's second life must not be taken for a repeat of the very first one.
  expect(await ledger.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 100n })).toEqual({ refused: 'balance' })
})

test('and is not refused what was credited meanwhile', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 0n)
  const ask = () => ledger.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 100n })
  expect(await ask()).toEqual({ refused: 'balance' })
  ledger.advanceClock(31_000)
  await ledger.wallet.returnIdle()
  await database.pool.query('UPDATE purse SET credit = 100 WHERE id = $1', [account])
  await database.pool.query(
    `INSERT INTO entry (id, account_id, kind, amount_nano, reason, actor) VALUES ($1, $2, 'grant', 100, 't', 't')`,
    [`ent_${account}`, account],
  )
  expect(await ask()).toMatchObject({ amount: 100n })
})

test('a hold that fails at the limit of its key gives the money of the account back', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const warm = await holdOrThrow(ledger, account, 100n)
  warm.end(0n)
  failCalls(ledger.store, 'grow', 2, 'before')
  const { keyId } = await addKey(database.pool, account, { limitTotalNano: 100n })
  const budgets = [{ purseId: `${keyId}:total`, limit: 100n, monthStart: null }]
  await expect(ledger.wallet.hold({ accountId: account, keyId, budgets, amount: 60n })).rejects.toThrow(/terminated/)
  expect(ledger.wallet.held(account)).toEqual({ nano: 0n, requests: 0 })
  expect((await holdOrThrow(ledger, account, 100n)).amount).toBe(100n)
})

test('money that was returned while the database could not be heard is returned later', async () => {
  const [rich, poor] = [await ledgerOf(), await ledgerOf()]
  const account = await addAccount(database.pool, 1000n)
  const hold = await holdOrThrow(rich, account, 900n)
  hold.end(0n)
  failCalls(rich.store, 'returnMoney', 2, 'before')
  rich.wallet.recall(account)
  await sleep(50)
  await rich.wallet.returnIdle(true)
  expect((await balanceOf(database.pool, account)).leased).toBe(0n)
  expect((await holdOrThrow(poor, account, 1000n)).amount).toBe(1000n)
})

test('a grant whose answer was lost twice is not lost itself', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  failCalls(ledger.store, 'grow', 2, 'after')
  await expect(holdOrThrow(ledger, account, 100n)).rejects.toThrow(/terminated/)
  expect((await holdOrThrow(ledger, account, 100n)).amount).toBe(100n)
})

test('a question about a lease that comes late changes nothing', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const { owner } = ledger.membership
  const grow = (seq: bigint) =>
    ledger.store.grow({ owner, purseId: account, accountId: account, budget: null, seq, need: 100n, want: 0n, since: null })
  await grow(1n)
  await ledger.store.returnMoney(owner, account, 2n, 10n)
  const { leased } = await balanceOf(database.pool, account)
  // Now they are run by a backend whose client is long gone.
  await grow(1n)
  await ledger.store.returnMoney(owner, account, 2n, 10n)
  await ledger.store.returnMoney(owner, account, 1n, 10n)
  expect((await balanceOf(database.pool, account)).leased).toBe(leased)
})

test('of two purses that learn that their process was swept, the second does not restart it once more', async () => {
  const [swept, activeLedger] = [await ledgerOf(), await ledgerOf()]
  const [one, two] = [await addAccount(database.pool, 100n), await addAccount(database.pool, 100n)]
  const real = swept.store.grow.bind(swept.store)
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  await activeLedger.store.release(swept.membership.owner)
  swept.store.grow = async (request) => {
    const answer = await real(request)
    if (request.purseId === two && answer === null) await gate
    return answer
  }
  const ask = (accountId: string) => swept.wallet.hold({ accountId, keyId: 'k', budgets: [], amount: 10n })
  const late = ask(two)
  expect(await ask(one)).toEqual({ refused: 'not_in_touch' })
  await expect.poll(async () => 'amount' in (await ask(one))).toBe(true)
  const { owner } = swept.membership
  openGate()
  await late
  await sleep(50)
  expect(swept.membership.owner).toBe(owner)
})

test('a charge and its void in one batch leave nothing charged, and nothing lent', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const hold = await holdOrThrow(ledger, account, 1000n)
  for (let round = 0; round < 5; round++) {
    const item = settlementOf(account, hold, 100n)
    const both = [ledger.committer.post({ ...item, void: true, outcome: 'undelivered' }), ledger.committer.post(item)]
    const [, charge] = await Promise.all(round % 2 === 0 ? both : both.reverse())
    expect(charge?.charged).toBe(100n)
  }
  expect((await balanceOf(database.pool, account)).balance).toBe(1000n)
})

test('an answer that was not delivered cannot be had for nothing by its idempotency key', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const item = settlementOf(account, null, 100n, { answer: { key: 'k1', status: 200, headers: {}, body: Buffer.from('hello') } })
  await database.pool.query(
    `INSERT INTO idempotency (account_id, key, key_id, hash, request_id, owner, created_at) VALUES ($1, 'k1', 'key_test', '', $2, $3, now())`,
    [account, item.id, ledger.membership.owner],
  )
  await ledger.committer.post(item)
  await ledger.committer.post({ ...item, void: true, outcome: 'undelivered', answer: null })
  const rows = await database.pool.query('SELECT status FROM idempotency WHERE account_id = $1', [account])
  expect(rows.rows).toEqual([])
  expect((await balanceOf(database.pool, account)).balance).toBe(1000n)
})

test('a request that began before its key had a limit counts against it', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const { keyId } = await addKey(database.pool, account, { limitTotalNano: 100n })
  const budgets = [{ purseId: `${keyId}:total`, limit: 100n, monthStart: null }]
  const early = await holdOrThrow(ledger, account, 80n, { keyId })
  const first = await holdOrThrow(ledger, account, 10n, { keyId, budgets })
  await ledger.committer.post(settlementOf(account, early, 80n, { keyId }))
  early.end(80n)
  first.end(0n)
  expect(await ledger.wallet.hold({ accountId: account, keyId, budgets, amount: 30n })).toEqual({ refused: 'key_limit' })
})

test('a charge that waits while its key gets a limit counts against it', async () => {
  const { pool, url } = database
  const ledger = await ledgerOf()
  const account = await addAccount(pool, 1000n)
  const { keyId } = await addKey(pool, account, { limitTotalNano: 1000n })
  const hold = await holdOrThrow(ledger, account, 100n, { keyId })
  // As lease_grow() creates a purse: the account is locked and its spending added up, but not yet this charge.
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM purse WHERE id = $1 FOR UPDATE', [account])
  const lock = await lockRows(url, 'account where id = $1', [account])
  const settled = ledger.committer.post(settlementOf(account, hold, 100n, { keyId }))
  await lock.waitUntilBlocked('settle')
  await client.query(
    `INSERT INTO purse (id, kind, account_id, key_id, credit, spent)
     SELECT $1, 'key', $2, $3, 1000, COALESCE(SUM(charged_nano), 0) FROM usage_hour WHERE key_id = $3`,
    [`${keyId}:total`, account, keyId],
  )
  await client.query('COMMIT')
  client.release()
  await lock.release()
  expect((await settled).charged).toBe(100n)
  hold.end(100n)
  const limit = await pool.query<{ spent: string }>('SELECT spent FROM purse WHERE id = $1', [`${keyId}:total`])
  expect(limit.rows).toEqual([{ spent: '100' }])
})

test('the limit of a month that is over is not used up by the month after it', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const { keyId } = await addKey(database.pool, account, { limitMonthNano: 60n })
  const december = settlementOf(account, null, 50n, { keyId, at: new Date('2026-12-01T00:00:00.100Z') })
  await ledger.committer.post(december)
  // Admitted in the last moment of November, and the first request to need that month's purse.
  const budgets = [{ purseId: `${keyId}:2026-11`, limit: 60n, monthStart: new Date('2026-11-01T00:00:00Z') }]
  expect((await holdOrThrow(ledger, account, 60n, { keyId, budgets })).amount).toBe(60n)
})

test('a partition that cannot be made does not end the upkeep', async () => {
  await database.pool.query(
    `INSERT INTO history (request_id, at, account_id, body) VALUES ('req_ahead', now() + interval '9 days', 'acc_x', '')`,
  )
  await database.pool.query(`SELECT make_partitions(now() + interval '5 days')`)
  const partition = await database.pool.query(
    `SELECT to_regclass('history_' || to_char((now() + interval '10 days') AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL AS made`,
  )
  expect(partition.rows[0].made).toBe(true)
})

test('a settlement that cannot even be written down fails alone, and what comes after it is charged', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  // Like an answer of half a gigabyte, which no string can hold.
  const answer = { key: 'k', status: 200, headers: {}, body: null as unknown as Uint8Array }
  const posts = [{}, { answer }, {}].map((more) => ledger.committer.post(settlementOf(account, null, 10n, more)))
  const ends = await Promise.race([Promise.allSettled(posts), sleep(2000, null)])
  expect(ends?.map((end) => end.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await ledger.committer.post(settlementOf(account, null, 10n))).toMatchObject({ charged: 10n })
})

test('no charge is given up because the ledger cannot connect, whatever the reason', async () => {
  const account = await addAccount(database.pool, 100n)
  const url = new URL(database.url)
  // The database is being restored.
  url.pathname = `/${database.name}_missing`
  const store = new PgLedgerStore({ pool: database.pool, url: url.href })
  const rows = [settlementRow(settlementOf(account, null, 10n))]
  const error = await store.settle(store.encode(rows), false, rows).catch((thrown: unknown) => thrown)
  expect(String(error)).toMatch(/does not exist/)
  expect(isTransient(error)).toBe(true)
})

test('a beat of an owner that is not ours any more does not restart the process once more', async () => {
  const [swept, activeLedger] = [await ledgerOf(), await ledgerOf()]
  const account = await addAccount(database.pool, 100n)
  const real = swept.store.heartbeat.bind(swept.store)
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  await activeLedger.store.release(swept.membership.owner)
  swept.store.heartbeat = async (owner) => {
    const answer = await real(owner)
    await gate
    return answer
  }
  const late = swept.membership.sendHeartbeat()
  const ask = () => swept.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 10n })
  await expect.poll(async () => 'amount' in (await ask())).toBe(true)
  const { owner } = swept.membership
  openGate()
  await late
  // Otherwise the holds of its requests would be swept a life later.
  expect(swept.membership.owner).toBe(owner)
})

test('a machine that is gone in the middle of a transaction keeps nobody else from charging for long', async () => {
  const account = await addAccount(database.pool, 100n)
  const item = settlementOf(account, null, 10n, { answer: { key: 'k', status: 200, headers: {}, body: Buffer.from('ok') } })
  await database.pool.query(
    `INSERT INTO idempotency (account_id, key, key_id, hash, request_id, owner, created_at) VALUES ($1, 'k', 'k', '', $2, 'p', now())`,
    [account, item.id],
  )
  const url = new URL(database.url)
  const target = Number(url.port)
  await using proxy = await startTcpProxy(() => target)
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  const store = new PgLedgerStore({ pool: database.pool, url: url.href })
  const rows = [settlementRow(item)]
  const waiting = async () =>
    (await database.pool.query(`SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`, [database.name]))
      .rowCount
  const other = await database.pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT 1 FROM purse WHERE id = $1 FOR UPDATE', [account])
  const lost = store.settle(store.encode(rows), false, rows).catch((error: unknown) => error)
  await expect.poll(waiting).toBe(1)
  proxy.setBlocked(true)
  await other.query('COMMIT')
  await other.query(`SET lock_timeout = '8s'`)
  await sleep(100)
  await other.query('SELECT 1 FROM purse WHERE id = $1 FOR UPDATE', [account])
  other.release(true)
  proxy.setBlocked(false)
  expect(isTransient(await lost)).toBe(true)
  expect(await store.settle(store.encode(rows), true, rows)).toMatchObject([{ charged: 10n, fresh: true }])
  await store.close()
})

test('voids do not read all answers that an account has', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 0n)
  await database.pool.query(
    `INSERT INTO idempotency (account_id, key, key_id, hash, request_id, owner, created_at)
     SELECT $1, 'k' || n, 'k', '', 'req_' || n, 'p', now() FROM generate_series(1, 60000) n`,
    [account],
  )
  const voids = Array.from({ length: 200 }, () => settlementOf(account, null, 1n, { void: true, outcome: 'undelivered' }))
  const began = performance.now()
  await Promise.all(voids.map((item) => ledger.committer.post(item)))
  // It would take seconds if each void read all answers of the account, and nobody else could charge the account meanwhile.
  expect(performance.now() - began).toBeLessThan(1000)
})
