import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, openLedger, settlementOf, type TestLedger } from '../support/ledger.ts'

let database: TestDatabase
const openLedgers: TestLedger[] = []

async function ledgerOf(lifetimeMs?: number): Promise<TestLedger> {
  const ledger = await openLedger(database.pool, database.url, lifetimeMs)
  openLedgers.push(ledger)
  return ledger
}

/** One process beats and sweeps while the others do not beat for a whole life. */
async function sweepSilentProcesses(activeLedger: TestLedger, lifetimeMs: number): Promise<void> {
  await sleep(lifetimeMs / 2)
  await activeLedger.membership.sendHeartbeat()
  await sleep(lifetimeMs / 2 + 50)
  await activeLedger.membership.sendHeartbeat()
  await activeLedger.membership.sweep()
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

test('settling takes what it cost out of the lease, and the rest of the hold is free again', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const hold = await holdOrThrow(ledger, account, 100n)
  const settled = await ledger.committer.post(settlementOf(account, hold, 40n))
  hold.end(40n)
  expect(settled).toMatchObject({ fresh: true, charged: 40n, shortfall: 0n, balance: 960n })
  // Every nano that was not spent can be held at once.
  expect((await holdOrThrow(ledger, account, 960n)).amount).toBe(960n)
})

test('a settlement that is posted twice is charged once and answers the first charge', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const hold = await holdOrThrow(ledger, account, 100n)
  const settlement = settlementOf(account, hold, 70n)
  const [first, second] = await Promise.all([ledger.committer.post(settlement), ledger.committer.post(settlement)])
  const third = await ledger.committer.post(settlement)
  expect([first.charged, second.charged, third.charged]).toEqual([70n, 70n, 70n])
  expect(third.fresh).toBe(false)
  expect((await balanceOf(database.pool, account)).balance).toBe(930n)
})

test('what a vendor uses beyond the hold comes out of free money, and then the house bears it', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const hold = await holdOrThrow(ledger, account, 60n)
  const other = await holdOrThrow(ledger, account, 30n)
  // 60 held, 30 held by another request, 10 free: of 90 the account pays at most 70.
  const settled = await ledger.committer.post(settlementOf(account, hold, 90n))
  expect(settled.charged + settled.shortfall).toBe(90n)
  expect(settled.charged).toBeGreaterThanOrEqual(60n)
  expect(settled.charged).toBeLessThanOrEqual(70n)
  const rest = await ledger.committer.post(settlementOf(account, other, 30n))
  expect(rest).toMatchObject({ charged: 30n, shortfall: 0n })
})

test('several overruns in one batch share the free money without taking it twice', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const holds = await Promise.all([1, 2, 3].map(() => holdOrThrow(ledger, account, 30n)))
  const settled = await Promise.all(holds.map((hold) => ledger.committer.post(settlementOf(account, hold, 50n))))
  const charged = settled.reduce((sum, item) => sum + item.charged, 0n)
  expect(charged).toBeLessThanOrEqual(100n)
  expect(charged).toBeGreaterThanOrEqual(90n)
  expect(settled.every((item) => item.charged + item.shortfall === 50n)).toBe(true)
  const { balance } = await balanceOf(database.pool, account)
  expect(balance).toBe(100n - charged)
})

test('a request of a process whose leases were swept still settles, out of free money', async () => {
  const [paused, activeLedger] = [await ledgerOf(400), await ledgerOf(400)]
  const account = await addAccount(database.pool, 1000n)
  const hold = await holdOrThrow(paused, account, 100n)
  await sweepSilentProcesses(activeLedger, 400)
  expect((await balanceOf(database.pool, account)).leased).toBe(0n)
  const settled = await paused.committer.post(settlementOf(account, hold, 80n))
  expect(settled).toMatchObject({ charged: 80n, shortfall: 0n, balance: 920n })
})

test('a swept process whose account was emptied meanwhile is charged what is left; nothing goes below zero', async () => {
  const [paused, activeLedger] = [await ledgerOf(400), await ledgerOf(400)]
  const account = await addAccount(database.pool, 100n)
  const hold = await holdOrThrow(paused, account, 100n)
  await sweepSilentProcesses(activeLedger, 400)
  const other = await holdOrThrow(activeLedger, account, 90n)
  const settled = await paused.committer.post(settlementOf(account, hold, 100n))
  expect(settled.charged + settled.shortfall).toBe(100n)
  const last = await activeLedger.committer.post(settlementOf(account, other, 90n))
  expect(last.charged).toBe(90n)
  expect((await balanceOf(database.pool, account)).balance).toBeGreaterThanOrEqual(0n)
})

test('half a life after its last beat a process admits nothing', async () => {
  const ledger = await ledgerOf(1000)
  const account = await addAccount(database.pool, 1000n)
  await holdOrThrow(ledger, account, 10n)
  ledger.advanceClock(501)
  expect(await ledger.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 1n })).toEqual({
    refused: 'not_in_touch',
  })
  await ledger.membership.sendHeartbeat()
  await holdOrThrow(ledger, account, 10n)
})

test('nobody is swept before a whole life after the last beat', async () => {
  const [silent, activeLedger] = [await ledgerOf(30_000), await ledgerOf(30_000)]
  const account = await addAccount(database.pool, 1000n)
  await holdOrThrow(silent, account, 100n)
  const { leased } = await balanceOf(database.pool, account)
  const backdateHeartbeat = (lives: number) =>
    database.pool.query(`UPDATE process SET beat_at = clock_timestamp() - $2 * interval '30 s' WHERE id = $1`, [
      silent.membership.owner,
      lives,
    ])
  await backdateHeartbeat(0.75)
  await activeLedger.membership.sweep()
  expect((await balanceOf(database.pool, account)).leased).toBe(leased)
  await backdateHeartbeat(1.05)
  await activeLedger.membership.sweep()
  expect((await balanceOf(database.pool, account)).leased).toBe(0n)
})

test('a process that learns it was swept starts again with new leases', async () => {
  const [ledger, activeLedger] = [await ledgerOf(400), await ledgerOf(400)]
  const account = await addAccount(database.pool, 1000n)
  await holdOrThrow(ledger, account, 10n)
  const before = ledger.membership.owner
  await sweepSilentProcesses(activeLedger, 400)
  await ledger.membership.sendHeartbeat()
  expect(ledger.membership.owner).not.toBe(before)
  expect((await holdOrThrow(ledger, account, 1000n)).amount).toBe(1000n)
})

test('a grant whose answer was lost is the same grant when it is asked again', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const { owner } = ledger.membership
  const request = { owner, purseId: account, accountId: account, budget: null, seq: 7n, need: 100n, want: 0n, since: null }
  const first = await ledger.store.grow(request)
  const repeated = await ledger.store.grow(request)
  expect(repeated?.granted).toBe(first?.granted)
  expect((await balanceOf(database.pool, account)).leased).toBe(first?.granted)
  await ledger.store.returnMoney(owner, account, 8n, 50n)
  await ledger.store.returnMoney(owner, account, 8n, 50n)
  expect((await balanceOf(database.pool, account)).leased).toBe((first?.granted ?? 0n) - 50n)
})

test('idle money that another process leased is recalled for one that needs it', async () => {
  const [rich, poor] = [await ledgerOf(), await ledgerOf()]
  const account = await addAccount(database.pool, 1000n)
  const hold = await holdOrThrow(rich, account, 900n)
  hold.end(0n)
  const asking = poor.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 950n })
  // In a running gateway the notification or the next heartbeat says so. Here the heartbeat follows once the recall is written down.
  const wanted = () => database.pool.query('SELECT 1 FROM purse WHERE id = $1 AND recall_wanted_at IS NOT NULL', [account])
  await expect.poll(async () => (await wanted()).rowCount, { interval: 5 }).toBe(1)
  await rich.membership.sendHeartbeat()
  await expect(asking).resolves.toMatchObject({ amount: 950n })
  // Money that was given back is not available twice.
  expect(await rich.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 100n })).toEqual({ refused: 'held' })
  expect(await rich.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 50n })).toMatchObject({ amount: 50n })
})

test('money that is nowhere to be had is refused, but only after the database was asked', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const ask = () => ledger.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 101n })
  expect(await ask()).toEqual({ refused: 'balance' })
  await database.pool.query('UPDATE purse SET credit = credit + 1 WHERE id = $1', [account])
  await database.pool.query(
    `INSERT INTO entry (id, account_id, kind, amount_nano, reason, actor) VALUES ($1, $2, 'grant', 1, 't', 't')`,
    [`ent_${account}`, account],
  )
  expect(await ask()).toMatchObject({ amount: 101n })
})

test('a request that waits gets the money which another one releases', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const first = await holdOrThrow(ledger, account, 100n)
  const waiting = ledger.wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 60n })
  await sleep(50)
  first.end(0n)
  await expect(waiting).resolves.toMatchObject({ amount: 60n })
})

test('money that requests hold for longer than one waits is there, but not now: of a balance and of a limit', async () => {
  const [localLedger, remoteLedger] = [await ledgerOf(), await ledgerOf()]
  const account = await addAccount(database.pool, 100n)
  const keyId = `key_${account}`
  const budgets = [{ purseId: `${keyId}:total`, limit: 50n, monthStart: null }]
  await addKey(database.pool, account, { id: keyId, limitTotalNano: 50n })
  const ask = (ledger: typeof localLedger, amount: bigint, limits: typeof budgets = []) =>
    ledger.wallet.hold({ accountId: account, keyId, budgets: limits, amount })
  const first = await holdOrThrow(localLedger, account, 40n, { keyId, budgets })
  expect(await ask(localLedger, 20n, budgets)).toEqual({ refused: 'held' })
  expect(await ask(localLedger, 51n, budgets)).toEqual({ refused: 'key_limit' })
  const second = await holdOrThrow(localLedger, account, 50n, { keyId })
  for (const ledger of [localLedger, remoteLedger]) {
    expect(await ask(ledger, 20n)).toEqual({ refused: 'held' })
    expect(await ask(ledger, 101n)).toEqual({ refused: 'balance' })
  }
  // What was spent meanwhile does not come back.
  await localLedger.committer.post(settlementOf(account, first, 40n, { keyId }))
  first.end(40n)
  expect(await ask(remoteLedger, 61n)).toEqual({ refused: 'balance' })
  second.end(0n)
  expect(await ask(localLedger, 60n)).toMatchObject({ amount: 60n })
})

test('while another key has requests under way, one key holds at most half of the balance', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 100n)
  const hold = (keyId: string, amount: bigint) => ledger.wallet.hold({ accountId: account, keyId, budgets: [], amount })
  await hold('key_a', 40n)
  await hold('key_b', 10n)
  expect(await hold('key_a', 20n)).toEqual({ refused: 'key_share' })
  expect(await hold('key_b', 30n)).toMatchObject({ amount: 30n })
})

test('a key limit is a purse of its own, settled in the same transaction', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const keyId = `key_${account}`
  const budgets = [
    { purseId: `${keyId}:total`, limit: 100n, monthStart: null },
    { purseId: `${keyId}:2026-11`, limit: 70n, monthStart: new Date('2026-11-01T00:00:00Z') },
  ]
  await addKey(database.pool, account, { id: keyId, limitTotalNano: 100n, limitMonthNano: 70n })
  const more = { keyId, budgets }
  const at = new Date('2026-11-20T12:00:00Z')
  const hold = await holdOrThrow(ledger, account, 60n, more)
  await ledger.committer.post(settlementOf(account, hold, 50n, { keyId, at }))
  hold.end(50n)
  expect(await ledger.wallet.hold({ accountId: account, amount: 30n, ...more })).toEqual({ refused: 'key_limit' })
  const rest = await holdOrThrow(ledger, account, 20n, more)
  rest.end(0n)
  const purses = await database.pool.query('SELECT id, spent FROM purse WHERE key_id = $1 ORDER BY id', [keyId])
  expect(purses.rows.map((row) => row.spent)).toEqual(['50', '50'])
})

test('a limit that a key gets later counts what its month has spent, from its first hour on and nothing before it', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const keyId = `key_${account}`
  for (const [at, actual] of [
    ['2026-10-31T23:59:59Z', 7n],
    ['2026-11-01T00:00:00Z', 30n],
  ] as const)
    await ledger.committer.post(settlementOf(account, null, actual, { keyId, at: new Date(at) }))
  await addKey(database.pool, account, { id: keyId, limitMonthNano: 100n })
  const budgets = [{ purseId: `${keyId}:2026-11`, limit: 100n, monthStart: new Date('2026-11-01T00:00:00Z') }]
  const hold = (amount: bigint) => ledger.wallet.hold({ accountId: account, keyId, budgets, amount })
  expect(await hold(71n)).toEqual({ refused: 'key_limit' })
  expect(await hold(70n)).toMatchObject({ amount: 70n })
})

test('one bad settlement does not fail its neighbours', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const good = [1, 2, 3, 4].map(() => ledger.committer.post(settlementOf(account, null, 10n)))
  const bad = ledger.committer.post(settlementOf(account, null, 10n, { finishReason: 'a\u0000b' }))
  await expect(bad).rejects.toMatchObject({ code: 'bad_settlement' })
  expect((await Promise.all(good)).map((item) => item.charged)).toEqual([10n, 10n, 10n, 10n])
  expect((await balanceOf(database.pool, account)).balance).toBe(960n)
})

test('an answer that was not delivered is not paid for, whether its first posting got through or not', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const through = settlementOf(account, null, 100n)
  await ledger.committer.post(through)
  for (let tries = 0; tries < 2; tries++) await ledger.committer.post({ ...through, void: true, outcome: 'undelivered' })
  const lost = settlementOf(account, null, 100n, { void: true, outcome: 'undelivered' })
  await ledger.committer.post(lost)
  expect((await balanceOf(database.pool, account)).balance).toBe(1000n)
})

test('records and entries cannot be changed or removed', async () => {
  const ledger = await ledgerOf()
  const account = await addAccount(database.pool, 1000n)
  const settlement = settlementOf(account, null, 1n)
  await ledger.committer.post(settlement)
  for (const sql of ['UPDATE usage_record SET charged_nano = 0 WHERE id = $1', 'DELETE FROM usage_record WHERE id = $1'])
    await expect(database.pool.query(sql, [settlement.id])).rejects.toThrow(/append-only/)
  for (const sql of ['UPDATE entry SET amount_nano = 0 WHERE account_id = $1', 'DELETE FROM entry WHERE account_id = $1'])
    await expect(database.pool.query(sql, [account])).rejects.toThrow(/append-only/)
})

test('settling asks every table by its key, however small the tables were when its plan was made', async () => {
  const result = await database.pool.query<{ proconfig: string[] }>(
    `SELECT proconfig FROM pg_proc WHERE proname = 'settle_batch'`,
  )
  expect(result.rows[0]?.proconfig).toContain('enable_seqscan=off')
})
