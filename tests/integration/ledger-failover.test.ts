import { expect, test } from 'vitest'
import { buildLedger } from '#lib/host/ledger'
import type { LedgerStore } from '#lib/ledger/ports'
import { PgLedgerStore } from '#lib/store/ledger-store'
import { createDatabase } from '../support/database.ts'
import { expectBooks, settlementOf } from '../support/ledger.ts'
import { addAccount, balanceOf } from '../support/world.ts'

const quiet = { info() {}, warn() {}, error() {} }

test('after a failover leases are dropped, and settlements that it lost are posted again by their ids', async () => {
  await using before = await createDatabase()
  await using after = await createDatabase()
  const account = await addAccount(before.pool, 1_000n)
  // The standby knows the account and its credit, but none of the charges: its last commits were lost.
  for (const table of ['account', 'purse', 'entry']) {
    const { rows } = await before.pool.query(`SELECT to_jsonb(t) AS row FROM ${table} t`)
    for (const { row } of rows)
      await after.pool.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`, [
        { ...row, leased: 0 },
      ])
  }
  const [old, standby] = [before, after].map(({ pool, url }) => new PgLedgerStore({ pool, url })) as [
    PgLedgerStore,
    PgLedgerStore,
  ]
  let timeline = 'one'
  const current = (): PgLedgerStore => (timeline === 'one' ? old : standby)
  const store: LedgerStore = {
    encode: (rows) => current().encode(rows),
    settle: (...posting) => current().settle(...posting),
    grow: (request) => current().grow(request),
    giveBack: (...change) => current().giveBack(...change),
    register: (owner, lifeMs) => current().register(owner, lifeMs),
    beat: async (owner) => ({ recalled: (await current().beat(owner))?.recalled ?? [], timeline }),
    sweepOne: (lifeMs) => current().sweepOne(lifeMs),
    release: (owner) => current().release(owner),
  }
  const { committer, membership, wallet } = buildLedger(store, quiet, 30_000)
  await membership.join()
  await membership.beat()
  const hold = await wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 100n })
  if ('refused' in hold) throw new Error(hold.refused)
  await committer.post(settlementOf(account, hold, 70n))
  hold.end(70n)
  const owner = membership.owner

  timeline = 'two'
  await membership.beat()

  expect(membership.owner).not.toBe(owner)
  // The lost charge is there again, once, although its lease is not.
  expect(await balanceOf(after.pool, account)).toMatchObject({ balance: 930n, leased: 0n })
  expect(await wallet.hold({ accountId: account, keyId: 'k', budgets: [], amount: 930n })).toMatchObject({ amount: 930n })
  await expectBooks(after.pool)
  await old.close()
  await standby.close()
})
