import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Task } from '#lib/domain/task'
import type { Budget } from '#lib/ledger/wallet'
import { PgTaskStore } from '#lib/store/task-store'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, openLedger, settlementOf } from '../support/ledger.ts'
import { Random } from '../support/random.ts'
import { COMPLETED_END, FAILED_END, newVideoTask, settlementRowOfEnd } from '../support/task.ts'

const seed = process.env.FUZZ_SEED ?? String(Date.now() % 1_000_000)

test(`tasks and requests of three processes that are swept now and then: each is paid for once or not at all (FUZZ_SEED=${seed})`, async () => {
  await using database = await createDatabase()
  const store = new PgTaskStore(database.pool)
  const random = new Random(seed)
  const lifetimeMs = 300
  const balances = [3_000n, 30_000n]
  const accounts = await Promise.all(balances.map((balance) => addAccount(database.pool, balance)))
  for (const account of accounts) await addKey(database.pool, account, { id: `key_${account}_1`, limitTotalNano: 2_000n })
  const ledgers = await Promise.all([1, 2, 3].map(() => openLedger(database.pool, database.url, lifetimeMs)))
  const until = performance.now() + 4_000
  const spent = new Map(accounts.map((account) => [account, 0n]))
  const openTasks: Task[] = []
  const count = { booked: 0, lost: 0, completed: 0, failed: 0 }

  const pay = (account: string, charged: bigint) => spent.set(account, (spent.get(account) ?? 0n) + charged)

  async function begin(ledger: (typeof ledgers)[number]): Promise<void> {
    const account = accounts[random.integer(0, 1)] as string
    const keyId = `key_${account}_${random.integer(0, 1)}`
    const budgets: Budget[] = keyId.endsWith('1') ? [{ purseId: `${keyId}:total`, limit: 2_000n, monthStart: null }] : []
    const hold = await ledger.wallet.hold({ accountId: account, keyId, budgets, amount: 100n })
    if ('refused' in hold) return await sleep(5)
    if (random.next() < 0.3) await sleep(random.integer(0, 400))
    if (random.next() < 0.3) {
      const { charged } = await ledger.committer.post(settlementOf(account, hold, 60n, { keyId }))
      hold.end(60n)
      return void pay(account, charged)
    }
    const task = newVideoTask(account, hold, { keyId })
    // A lost answer is retried, perhaps before the first attempt is through.
    const booked = await Promise.all(Array.from({ length: random.integer(1, 2) }, () => store.book(task, hold, null)))
    const storedTask = await store.find(account, task.id)
    hold.end(storedTask ? hold.amount : 0n)
    expect(new Set(booked)).toEqual(new Set([storedTask ? 'booked' : 'lost_hold']))
    count[storedTask ? 'booked' : 'lost']++
    if (storedTask) openTasks.push(storedTask)
  }

  /** Up to three ends at once, of which one counts. */
  async function end(): Promise<void> {
    const [task] = openTasks.splice(random.integer(0, openTasks.length - 1), 1)
    if (!task) return await sleep(5)
    const ways = Array.from({ length: random.integer(1, 3) }, () => (random.next() < 0.5 ? COMPLETED_END : FAILED_END))
    const ends = await Promise.all(ways.map((way) => store.finish(task, null, way, settlementRowOfEnd(task, way))))
    const won = ends.findIndex((settled) => settled !== null)
    expect(ends.filter((settled) => settled !== null)).toHaveLength(1)
    expect(ends[won]).toMatchObject({ charged: ways[won] === COMPLETED_END ? 100n : 0n, shortfall: 0n })
    count[ways[won] === COMPLETED_END ? 'completed' : 'failed']++
    pay(task.accountId, ends[won]?.charged ?? 0n)
  }

  const runTasks = async (ledger: (typeof ledgers)[number]) => {
    while (performance.now() < until) await Promise.all([begin(ledger), begin(ledger), begin(ledger), end(), end()])
  }
  const keepAlive = async (ledger: (typeof ledgers)[number]) => {
    while (performance.now() < until) {
      await sleep(random.next() < 0.15 ? lifetimeMs * 1.5 : lifetimeMs / 6)
      await ledger.membership.sendHeartbeat()
      await ledger.membership.sweep()
    }
  }
  await Promise.all([...ledgers.map(runTasks), ...ledgers.map(keepAlive)])
  await expectBalancedBooks(database.pool)
  while (openTasks.length > 0) await end()
  for (const ledger of ledgers) {
    await ledger.membership.stop()
    await ledger.close()
  }
  for (const [at, account] of accounts.entries())
    expect(await balanceOf(database.pool, account)).toEqual({
      balance: (balances[at] ?? 0n) - (spent.get(account) ?? 0n),
      leased: 0n,
      owed: 0n,
    })
  await expectBalancedBooks(database.pool)
  expect(count.booked).toBeGreaterThan(20)
  expect(count.completed + count.failed).toBe(count.booked)
})
