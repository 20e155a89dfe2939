import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { keyPurses } from '#lib/domain/key-purses'
import { DAY_MS } from '#lib/domain/time-units'
import { startOfMonth } from '#lib/services/utc'
import { createKeyChanges } from '#lib/store/console/key-changes'
import { createPrisma } from '#lib/store/prisma'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, balanceOf } from '../support/fixtures.ts'
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

test(`limits change and secrets rotate while money is leased, in two months at once (FUZZ_SEED=${seed})`, async () => {
  await using database = await createDatabase()
  const { pool, url } = database
  await pool.query(
    "insert into model_group (id, name, is_default) values ('grp_default', 'default', true) on conflict do nothing",
  )
  const prisma = createPrisma(pool)
  const changes = createKeyChanges(pool, prisma)
  const next = random(seed)
  const lifetimeMs = 300
  const account = await addAccount(pool, 40_000n)
  const keys = await Promise.all([1, 2].map(() => addKey(pool, account, { limitTotalNano: 9_000n, limitMonthNano: 7_000n })))
  const ledgers = await Promise.all([1, 2, 3].map(() => openLedger(pool, url, lifetimeMs)))
  const months = [new Date(), new Date(Date.now() - 40 * DAY_MS)]
  const faults: unknown[] = []
  const end = performance.now() + 5_000
  let [admitted, changed] = [0, 0]
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T

  const request = async (ledger: (typeof ledgers)[number]) => {
    const [{ keyId }, at] = [pick(keys), pick(months)]
    const { rows } = await pool.query('select limit_total_nano, limit_month_nano from api_key where id = $1', [keyId])
    // What a process remembers of a key may be a second old.
    if (next() < 0.3) await sleep(next() * 40)
    const ids = keyPurses(keyId, at)
    const limits = [
      { purseId: ids.total, limit: rows[0]?.limit_total_nano, monthStart: null },
      { purseId: ids.month, limit: rows[0]?.limit_month_nano, monthStart: startOfMonth(at) },
    ]
    const budgets = limits.flatMap((one) => (one.limit == null ? [] : [{ ...one, limit: BigInt(one.limit) }]))
    const amount = BigInt(1 + Math.floor(next() * 30))
    const hold = await ledger.wallet.hold({ accountId: account, keyId, budgets, amount })
    if ('refused' in hold) return await sleep(5)
    admitted++
    if (next() < 0.3) await sleep(next() * 50)
    const actual = next() < 0.1 ? amount + 9n : BigInt(Math.floor(next() * Number(amount)))
    const budgetFields = { budgets: hold.budgets, budgetLeases: hold.budgetLeases }
    await ledger.committer.post(settlementOf(account, hold, actual, { keyId, at, ...budgetFields }))
    hold.end(actual)
  }
  const runRequests = async (ledger: (typeof ledgers)[number]) => {
    while (performance.now() < end) await Promise.all(Array.from({ length: 6 }, () => request(ledger)))
  }
  const keepAlive = async (ledger: (typeof ledgers)[number]) => {
    while (performance.now() < end) {
      await sleep(next() < 0.2 ? lifetimeMs * 1.5 : lifetimeMs / 6)
      await ledger.membership.sendHeartbeat().catch((error) => faults.push(error))
      await ledger.membership.sweep().catch((error) => faults.push(error))
    }
  }
  const runChanges = async () => {
    while (performance.now() < end) {
      const { keyId } = pick(keys)
      const limit = () => (next() < 0.2 ? null : BigInt(Math.floor(next() * 9_000)))
      const settings = next() < 0.5 ? { limitTotalNano: limit(), limitMonthNano: limit() } : { limitMonthNano: limit() }
      await changes.update(account, keyId, settings, new Date()).catch((error) => faults.push(error))
      const secretHmac = Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
      const rotation = { secretHmac, hint: 'test', at: new Date(), until: new Date(), maxFormer: 5 }
      await changes.rotate(account, keyId, rotation).catch((error) => faults.push(error))
      changed++
      await sleep(next() * 10)
    }
  }
  await Promise.all([...ledgers.map(runRequests), ...ledgers.map(keepAlive), runChanges(), runChanges()])

  for (const ledger of ledgers) await ledger.close()
  await expectBalancedBooks(pool)
  for (const ledger of ledgers) await pool.query('SELECT release_process($1)', [ledger.membership.owner])
  expect(await balanceOf(pool, account)).toMatchObject({ leased: 0n })
  await expectBalancedBooks(pool)
  await prisma.$disconnect()
  expect(faults).toEqual([])
  expect(admitted).toBeGreaterThan(100)
  expect(changed).toBeGreaterThan(20)
})
