import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { addAccount, addCredit, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, openLedger, settlementOf } from '../support/ledger.ts'

/** A small generator with a printed seed, so that a failed run can be repeated. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

test(`four processes, small balances, sweeps and recalls: the sums hold (FUZZ_SEED=${seed})`, async () => {
  await using database = await createDatabase()
  const next = random(seed)
  const lifetimeMs = 300
  const accounts = await Promise.all([5_000n, 800n, 60n].map((balance) => addAccount(database.pool, balance)))
  const ledgers = await Promise.all([1, 2, 3, 4].map(() => openLedger(database.pool, database.url, lifetimeMs)))
  const end = performance.now() + 6_000
  let admitted = 0
  let refused = 0

  const request = async (ledger: (typeof ledgers)[number]) => {
    const account = accounts[Math.floor(next() * accounts.length)] as string
    const amount = BigInt(1 + Math.floor(next() * 40))
    const hold = await ledger.wallet.hold({ accountId: account, keyId: `key_${Math.floor(next() * 3)}`, budgets: [], amount })
    if ('refused' in hold) {
      if (hold.refused === 'balance' || hold.refused === 'held') refused++
      // Without a pause, refusals that need no database would keep the heartbeat from running.
      return await sleep(5)
    }
    admitted++
    if (next() < 0.3) await sleep(next() * 60)
    // Mostly less than the hold, sometimes nothing, sometimes more.
    const actual = next() < 0.1 ? 0n : next() < 0.1 ? amount + 15n : BigInt(Math.floor(next() * Number(amount)))
    const settlement = settlementOf(account, hold, actual)
    await ledger.committer.post(settlement)
    if (next() < 0.2) await ledger.committer.post(settlement)
    hold.end(actual)
  }
  const runRequests = async (ledger: (typeof ledgers)[number]) => {
    while (performance.now() < end) await Promise.all(Array.from({ length: 8 }, () => request(ledger)))
  }
  const keepAlive = async (ledger: (typeof ledgers)[number]) => {
    while (performance.now() < end) {
      // Now and then a process sends no heartbeat for longer than its life, and is swept.
      await sleep(next() < 0.15 ? lifetimeMs * 1.5 : lifetimeMs / 6)
      await ledger.membership.sendHeartbeat()
      await ledger.membership.sweep()
    }
  }
  const runPayments = async () => {
    for (let paid = 0; performance.now() < end; paid++) {
      await sleep(50)
      for (const account of accounts) await addCredit(database.pool, account, 15n, paid)
    }
  }
  await Promise.all([...ledgers.map(runRequests), ...ledgers.map(keepAlive), runPayments()])

  for (const ledger of ledgers) await ledger.close()
  await expectBalancedBooks(database.pool)
  for (const ledger of ledgers) await database.pool.query('SELECT release_process($1)', [ledger.membership.owner])
  for (const account of accounts) expect(await balanceOf(database.pool, account)).toMatchObject({ leased: 0n })
  await expectBalancedBooks(database.pool)
  // A run that admitted or refused nothing would prove nothing.
  expect(admitted).toBeGreaterThan(100)
  expect(refused).toBeGreaterThan(10)
})
