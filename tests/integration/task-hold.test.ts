import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keyPurses } from '#lib/domain/key-purses'
import type { NewTask, Task, TaskEnd } from '#lib/domain/task'
import type { Budget, Hold } from '#lib/ledger/wallet'
import { PgTaskStore } from '#lib/store/task-store'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, openLedger, type TestLedger } from '../support/ledger.ts'
import { COMPLETED_END, FAILED_END, newVideoTask, settlementRowOfEnd } from '../support/task.ts'

let database: TestDatabase
let store: PgTaskStore
let ledger: TestLedger
let account: string

beforeAll(async () => {
  database = await createDatabase()
  store = new PgTaskStore(database.pool)
})
beforeEach(async () => {
  ledger = await openLedger(database.pool, database.url)
  account = await addAccount(database.pool, 1_000n)
})
afterEach(async () => {
  await ledger.membership.stop()
  await ledger.close()
  await expectBalancedBooks(database.pool)
})
afterAll(() => database?.drop())

const newTask = (hold: Hold, more: Partial<NewTask> = {}): NewTask => newVideoTask(account, hold, more)

async function book(hold: Hold, more: Partial<NewTask> = {}): Promise<Task> {
  const task = newTask(hold, more)
  expect(await store.book(task, hold, null)).toBe('booked')
  hold.end(hold.amount)
  return findOrThrow(task.id)
}

async function findOrThrow(id: string): Promise<Task> {
  const task = await store.find(account, id)
  if (!task) throw new Error(`no task ${id}`)
  return task
}

const finish = (task: Task, end: TaskEnd, turn: number | null = null) =>
  store.finish(task, turn, end, settlementRowOfEnd(task, end))

describe('what a task holds', () => {
  test('moves out of its process without leaving the account for a moment, and becomes one charge', async () => {
    const hold = await holdOrThrow(ledger, account, 150n)
    const before = await balanceOf(database.pool, account)
    const task = await book(hold)
    expect(await balanceOf(database.pool, account)).toEqual(before)
    const settled = await finish(task, COMPLETED_END)
    expect(settled).toMatchObject({ charged: 100n, shortfall: 0n, balance: 900n })
    await ledger.wallet.returnIdle(true)
    expect(await balanceOf(database.pool, account)).toEqual({ balance: 900n, leased: 0n, owed: 0n })
    expect((await findOrThrow(task.id)).chargedNano).toBe(100n)
  })

  test('is paid out of the month in which it was admitted, though it ends in another', async () => {
    const createdAt = new Date(Date.now() - 40 * 86_400_000)
    const { month } = keyPurses('key_monthly', createdAt)
    const monthStart = new Date(`${createdAt.toISOString().slice(0, 7)}-01T00:00:00Z`)
    await addKey(database.pool, account, { id: 'key_monthly', limitMonthNano: 100n })
    const budgets: Budget[] = [{ purseId: month, limit: 100n, monthStart }]
    const hold = await holdOrThrow(ledger, account, 100n, { budgets, keyId: 'key_monthly' })
    const task = await book(hold, { keyId: 'key_monthly', createdAt, expiresAt: new Date(Date.now() + 60_000) })
    expect(await finish(task, COMPLETED_END)).toMatchObject({ charged: 100n, shortfall: 0n })
    const { rows } = await database.pool.query('SELECT spent, leased FROM purse WHERE id = $1', [month])
    expect(rows).toEqual([{ spent: '100', leased: '0' }])
  })

  test('may be all that an account has, and is charged to the last nano', async () => {
    const poor = await addAccount(database.pool, 100n)
    const hold = await holdOrThrow(ledger, poor, 100n)
    const task = newTask(hold, { accountId: poor })
    expect(await store.book(task, hold, null)).toBe('booked')
    hold.end(hold.amount)
    const booked = await store.find(poor, task.id)
    if (!booked) throw new Error('no task')
    expect(await finish(booked, COMPLETED_END)).toMatchObject({ charged: 100n, shortfall: 0n, balance: 0n })
  })

  test('is free again where it fails, to the last nano', async () => {
    const task = await book(await holdOrThrow(ledger, account, 1_000n))
    expect(await ledger.wallet.hold({ accountId: account, keyId: 'key_test', budgets: [], amount: 1n })).toEqual({
      refused: 'held',
    })
    await finish(task, FAILED_END)
    await holdOrThrow(ledger, account, 1_000n)
  })

  test('ends once, whoever ends it and however often', async () => {
    const task = await book(await holdOrThrow(ledger, account, 100n))
    const ends = await Promise.all(Array.from({ length: 10 }, (_, at) => finish(task, at % 2 === 0 ? COMPLETED_END : FAILED_END)))
    expect(ends.filter((settled) => settled !== null).length).toBe(1)
    expect(await finish(task, COMPLETED_END)).toBeNull()
    const { rowCount } = await database.pool.query('SELECT 1 FROM usage_record WHERE account_id = $1', [account])
    expect(rowCount).toBe(1)
  })

  test('stays held when its process is swept, and while nobody is there at all', async () => {
    const task = await book(await holdOrThrow(ledger, account, 300n))
    await holdOrThrow(ledger, account, 200n)
    await ledger.membership.stop()
    expect((await balanceOf(database.pool, account)).leased).toBe(300n)
    await finish(task, FAILED_END)
    expect((await balanceOf(database.pool, account)).leased).toBe(0n)
  })

  test('is taken from free money where its process was swept before it was booked', async () => {
    const hold = await holdOrThrow(ledger, account, 400n)
    await ledger.membership.stop()
    await book(hold)
    expect((await balanceOf(database.pool, account)).leased).toBe(400n)
  })

  test('is refused where its process was swept and the money is gone: nothing of it stays', async () => {
    const hold = await holdOrThrow(ledger, account, 400n)
    await ledger.membership.stop()
    await using other = { ledger: await openLedger(database.pool, database.url), [Symbol.asyncDispose]: async () => undefined }
    await holdOrThrow(other.ledger, account, 700n)
    const task = newTask(hold)
    expect(await store.book(task, hold, null)).toBe('lost_hold')
    expect(await store.find(account, task.id)).toBeNull()
    expect((await database.pool.query('SELECT 1 FROM lease WHERE task_id = $1', [task.id])).rowCount).toBe(0)
    expect((await database.pool.query('SELECT 1 FROM graphile_worker.jobs WHERE key = $1', [task.id])).rowCount).toBe(0)
    await other.ledger.membership.stop()
    await other.ledger.close()
  })

  test('is refused as well where it is the limit of its key that was used up meanwhile, though its account has money', async () => {
    await addKey(database.pool, account, { id: 'key_swept', limitTotalNano: 400n })
    const budgets: Budget[] = [{ purseId: 'key_swept:total', limit: 400n, monthStart: null }]
    const more = { budgets, keyId: 'key_swept' }
    const hold = await holdOrThrow(ledger, account, 400n, more)
    await ledger.membership.stop()
    await using other = { ledger: await openLedger(database.pool, database.url), [Symbol.asyncDispose]: async () => undefined }
    await holdOrThrow(other.ledger, account, 100n, more)
    expect(await store.book(newTask(hold, { keyId: 'key_swept' }), hold, null)).toBe('lost_hold')
    const { rows } = await database.pool.query(
      `SELECT leased <= credit - spent AS within FROM purse WHERE id = 'key_swept:total'`,
    )
    expect(rows).toEqual([{ within: true }])
    await other.ledger.membership.stop()
    await other.ledger.close()
  })

  test('is booked once, though its answer was lost and it is booked again', async () => {
    const hold = await holdOrThrow(ledger, account, 100n)
    const task = newTask(hold)
    expect(await Promise.all([1, 2, 3].map(() => store.book(task, hold, null)))).toEqual(['booked', 'booked', 'booked'])
    expect(await store.book(task, hold, null)).toBe('booked')
    hold.end(hold.amount)
    const { rows } = await database.pool.query('SELECT amount FROM lease WHERE task_id = $1', [task.id])
    expect(rows).toEqual([{ amount: '100' }])
  })

  test('counts against the limits of its key, which it gives back where it fails', async () => {
    await addKey(database.pool, account, { id: 'key_limited', limitTotalNano: 250n })
    const budgets: Budget[] = [{ purseId: 'key_limited:total', limit: 250n, monthStart: null }]
    const ask = (amount: bigint) => ledger.wallet.hold({ accountId: account, keyId: 'key_limited', budgets, amount })
    const first = await book(await holdOrThrow(ledger, account, 200n, { budgets, keyId: 'key_limited' }), {
      keyId: 'key_limited',
    })
    expect(first.budgets).toEqual(['key_limited:total'])
    expect(await ask(100n)).toEqual({ refused: 'held' })
    expect(await ask(251n)).toEqual({ refused: 'key_limit' })
    await finish(first, FAILED_END)
    const second = await book(await holdOrThrow(ledger, account, 200n, { budgets, keyId: 'key_limited' }), {
      keyId: 'key_limited',
    })
    await finish(second, COMPLETED_END)
    expect(await ask(200n)).toEqual({ refused: 'key_limit' })
    await holdOrThrow(ledger, account, 150n, { budgets, keyId: 'key_limited' })
  })

  test('nobody is asked to give it back: who wants it is told at once that it is held, and more than there is, that it is short', async () => {
    await book(await holdOrThrow(ledger, account, 900n))
    await ledger.wallet.returnIdle(true)
    const ask = (amount: bigint) => ledger.wallet.hold({ accountId: account, keyId: 'key_test', budgets: [], amount })
    expect(await ask(200n)).toEqual({ refused: 'held' })
    expect(await ask(1_001n)).toEqual({ refused: 'balance' })
    const { rows } = await database.pool.query('SELECT recall_wanted_at FROM purse WHERE id = $1', [account])
    expect(rows).toEqual([{ recall_wanted_at: null }])
  })

  test('is part of the share of its key while another key has requests under way', async () => {
    await book(await holdOrThrow(ledger, account, 400n))
    const inTasks = await store.heldBy(account, 'key_test')
    expect(inTasks).toBe(400n)
    const ask = () => ledger.wallet.hold({ accountId: account, keyId: 'key_test', budgets: [], amount: 200n, inTasks })
    const other = await holdOrThrow(ledger, account, 10n, { keyId: 'key_other' })
    expect(await ask()).toEqual({ refused: 'key_share' })
    other.end(0n)
    expect(await ask()).not.toHaveProperty('refused')
  })

  test('counts for its own key, of the account and not of a limit as well', async () => {
    await addKey(database.pool, account, { id: 'key_apart', limitTotalNano: 500n })
    const budgets: Budget[] = [{ purseId: 'key_apart:total', limit: 500n, monthStart: null }]
    await book(await holdOrThrow(ledger, account, 100n, { budgets, keyId: 'key_apart' }), { keyId: 'key_apart' })
    await book(await holdOrThrow(ledger, account, 40n))
    expect([await store.heldBy(account, 'key_apart'), await store.heldBy(account, 'key_test')]).toEqual([100n, 40n])
    expect(await store.heldBy('acc_other', 'key_test')).toBe(0n)
  })

  test('what it gives back is heard of by who waits', async () => {
    const task = await book(await holdOrThrow(ledger, account, 500n))
    await database.pool.query('UPDATE purse SET recall_wanted_at = clock_timestamp() WHERE id = $1', [account])
    const listener = await database.pool.connect()
    const notifiedAccounts: string[] = []
    listener.on('notification', ({ payload = '' }) => notifiedAccounts.push(payload))
    await listener.query('LISTEN tollgate_returned')
    await finish(task, FAILED_END)
    await expect.poll(() => notifiedAccounts).toEqual([account])
    listener.release(true)
  })

  test('a vendor that made more than was held: free money, then the house', async () => {
    const task = await book(await holdOrThrow(ledger, account, 40n))
    expect(await finish(task, COMPLETED_END)).toMatchObject({ charged: 100n, shortfall: 0n })
    const rich = await book(await holdOrThrow(ledger, account, 850n))
    await ledger.wallet.returnIdle(true)
    const small = await book(await holdOrThrow(ledger, account, 10n))
    await ledger.wallet.returnIdle(true)
    expect(await finish(small, COMPLETED_END)).toMatchObject({ charged: 50n, shortfall: 50n })
    await finish(rich, FAILED_END)
  })
})

describe('turns', () => {
  test('whoever lost a turn can write nothing any more', async () => {
    const task = await book(await holdOrThrow(ledger, account, 100n))
    const mine = await store.claim(task.id, ledger.membership.owner)
    if (!mine) throw new Error('no turn')
    await using other = { ledger: await openLedger(database.pool, database.url), [Symbol.asyncDispose]: async () => undefined }
    expect(await store.claim(task.id, other.ledger.membership.owner), 'its process lives').toBeNull()
    await ledger.membership.stop()
    const theirs = await store.claim(task.id, other.ledger.membership.owner)
    if (!theirs) throw new Error('no turn')
    const next = { inMs: 0, place: false, failing: null, trace: [] }
    expect(await store.submitting(mine, 'dep', [])).toBe(false)
    expect(await store.submitted(mine, 'dep', { id: 'x' }, next)).toBe(false)
    expect(await store.later(mine, next)).toBe(false)
    expect(await finish(mine, COMPLETED_END, mine.turn)).toBeNull()
    expect(await store.submitted(theirs, 'dep', { id: 'y' }, next)).toBe(true)
    expect((await findOrThrow(task.id)).operation).toEqual({ id: 'y' })
    await other.ledger.membership.stop()
    await other.ledger.close()
  })

  test('a submit is counted for each deployment, and a repeat of it too', async () => {
    const task = await book(await holdOrThrow(ledger, account, 100n))
    const mine = await store.claim(task.id, ledger.membership.owner)
    if (!mine) throw new Error('no turn')
    const seen: number[] = []
    for (const deployment of ['a', 'a', 'b']) {
      await store.submitting(mine, deployment, [])
      seen.push((await findOrThrow(task.id)).submits)
    }
    expect(seen).toEqual([1, 2, 1])
  })

  test('a vendor that began after its task was looked at, to be cancelled, is told to stop; one that never began is not', async () => {
    const CANCELLED: TaskEnd = { ...FAILED_END, stopVendor: true }
    const jobs = async (id: string) =>
      (await database.pool.query('SELECT 1 FROM graphile_worker.jobs WHERE key = $1', [id])).rowCount
    const seen = await book(await holdOrThrow(ledger, account, 100n))
    const mine = await store.claim(seen.id, ledger.membership.owner)
    if (!mine) throw new Error('no turn')
    expect(await store.submitted(mine, 'dep', { id: 'x' }, { inMs: 60_000, place: false, failing: false, trace: [] })).toBe(true)
    await finish(seen, CANCELLED)
    expect(await findOrThrow(seen.id)).toMatchObject({ state: 'failed', stopVendor: true })
    expect(await jobs(seen.id)).toBe(1)
    const never = await book(await holdOrThrow(ledger, account, 100n))
    await finish(never, CANCELLED)
    expect(await findOrThrow(never.id)).toMatchObject({ state: 'failed', stopVendor: false })
  })

  test('states never go back, whoever writes them', async () => {
    const task = await book(await holdOrThrow(ledger, account, 100n))
    await finish(task, FAILED_END)
    for (const state of ['pending', 'processing', 'completed'])
      await expect(database.pool.query('UPDATE task SET state = $2 WHERE id = $1', [task.id, state])).rejects.toThrow(/cannot go/)
  })

  test('a task whose process died, or that lost its job, gets another', async () => {
    const jobs = async () =>
      (await database.pool.query<{ key: string }>('SELECT key FROM graphile_worker.jobs WHERE locked_at IS NULL')).rows.map(
        ({ key }) => key,
      )
    const task = await book(await holdOrThrow(ledger, account, 100n))
    await database.pool.query('DELETE FROM graphile_worker._private_jobs WHERE key = $1', [task.id])
    const { owner } = ledger.membership
    await store.revive(owner, [], 60_000)
    expect(await jobs()).not.toContain(task.id)
    await sleep(20)
    await store.revive(owner, [], 10)
    expect(await jobs(), 'overdue').toContain(task.id)

    await database.pool.query('DELETE FROM graphile_worker._private_jobs WHERE key = $1', [task.id])
    await store.claim(task.id, owner)
    await sleep(20)
    await store.revive(owner, [task.id], 10)
    expect(await jobs(), 'its turn is under way').not.toContain(task.id)
    await store.revive(owner, [], 10)
    expect(await jobs(), 'its turn ended without a word').toContain(task.id)

    await database.pool.query('DELETE FROM graphile_worker._private_jobs WHERE key = $1', [task.id])
    await store.claim(task.id, owner)
    await ledger.membership.stop()
    await store.revive('proc_other', [], 60_000)
    expect(await jobs(), 'its process died').toContain(task.id)
  })
})

test('places among the polls are so many a second, and one that was missed is none', async () => {
  await database.pool.query(`UPDATE task_pace SET next_at = now() - interval '1 hour'`)
  const waits: number[] = []
  for (let at = 0; at < 40; at++) waits.push(await store.takePlace(10))
  expect(waits[0]).toBeLessThan(5)
  expect(waits[39]).toBeGreaterThan(2_500)
  expect(waits[39]).toBeLessThan(4_000)
  const task = await book(await holdOrThrow(ledger, account, 100n))
  const claim = async (place: boolean, slot: string) => {
    const mine = await store.claim(task.id, ledger.membership.owner)
    if (!mine) throw new Error('no turn')
    await store.later(mine, { inMs: 0, place, failing: null, trace: [] })
    if (place) await database.pool.query(`UPDATE task SET slot_at = slot_at - $2::interval WHERE id = $1`, [task.id, slot])
    return (await store.claim(task.id, ledger.membership.owner))?.inPlace
  }
  expect([await claim(false, ''), await claim(true, '0 s'), await claim(true, '10 s')]).toEqual([false, true, false])
})

/** Each breaks the books of one task in one way, and `undo` repairs them. */
const FORGERIES: { what: string; expectedError: RegExp; finished: boolean; forge: string; undo: string }[] = [
  {
    what: 'holds too little',
    expectedError: /WRONG held for an unfinished task/,
    finished: false,
    forge: 'UPDATE lease SET amount = amount - 1 WHERE task_id = $1',
    undo: 'UPDATE lease SET amount = amount + 1 WHERE task_id = $1',
  },
  {
    what: 'holds the money of another purse',
    expectedError: /WRONG held for an unfinished task/,
    finished: false,
    forge: `UPDATE lease SET purse_id = 'acc_other' WHERE task_id = $1`,
    undo: 'UPDATE lease SET purse_id = (SELECT account_id FROM task WHERE id = $1) WHERE task_id = $1',
  },
  {
    what: 'was finished for fewer seconds than it has',
    expectedError: /WRONG charged for a task = its seconds/,
    finished: true,
    forge: 'UPDATE task SET seconds = seconds + 5 WHERE id = $1',
    undo: 'UPDATE task SET seconds = seconds - 5 WHERE id = $1',
  },
  {
    what: 'was charged at another price than was pinned',
    expectedError: /WRONG charged for a task = its seconds/,
    finished: true,
    forge: `UPDATE task SET pin = jsonb_set(pin, '{rates,video_second}', '"19000000"') WHERE id = $1`,
    undo: `UPDATE task SET pin = jsonb_set(pin, '{rates,video_second}', '"20000000"') WHERE id = $1`,
  },
  {
    what: 'was paid for by another account',
    expectedError: /WRONG payer of a task/,
    finished: true,
    forge: `UPDATE task SET account_id = 'acc_other' WHERE id = $1`,
    undo: 'UPDATE task SET account_id = (SELECT account_id FROM usage_record WHERE id = request_id) WHERE id = $1',
  },
  {
    what: 'was counted for another key',
    expectedError: /WRONG payer of a task/,
    finished: true,
    forge: `UPDATE task SET key_id = 'key_other' WHERE id = $1`,
    undo: `UPDATE task SET key_id = 'key_test' WHERE id = $1`,
  },
]

test.each(FORGERIES)('the audit finds a task that $what', async ({ expectedError, finished, forge, undo }) => {
  const task = await book(await holdOrThrow(ledger, account, 100n))
  if (finished) await finish(task, COMPLETED_END)
  await database.pool.query(forge, [task.id])
  await expect(expectBalancedBooks(database.pool)).rejects.toThrow(expectedError)
  await database.pool.query(undo, [task.id])
  await expectBalancedBooks(database.pool)
})

test('the audit finds a task that ended without its record', async () => {
  const task = await book(await holdOrThrow(ledger, account, 100n))
  await database.pool.query(`UPDATE task SET state = 'failed', finished_at = now() WHERE id = $1`, [task.id])
  await expect(expectBalancedBooks(database.pool)).rejects.toThrow(/WRONG records of a task/)
  await database.pool.query('SELECT release_task($1)', [task.id])
  await database.pool.query('DELETE FROM task WHERE id = $1', [task.id])
})
