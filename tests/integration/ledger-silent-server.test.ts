import pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { addAccount, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, openLedger, settlementOf } from '../support/ledger.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

test('a server that is gone without a word: what waits is settled through new connections, once, and money is leased again', async () => {
  await using database = await createDatabase()
  const address = new URL(database.url)
  const port = Number(address.port)
  await using proxy = await startTcpProxy(() => port)
  address.port = String(proxy.port)
  const pool = new pg.Pool({ connectionString: address.href, max: 2 })
  pool.on('error', () => undefined)
  const [account, other] = [await addAccount(database.pool, 1000n), await addAccount(database.pool, 1000n)]
  const ledger = await openLedger(pool, address.href)
  const settle = async (amount: bigint) => {
    const hold = await holdOrThrow(ledger, account, amount)
    await ledger.committer.post(settlementOf(account, hold, amount))
    hold.end(amount)
  }
  await settle(100n)
  proxy.blackhole()
  // Two settlements in flight, and one hold that waits for a connection of the pool, which is silent too.
  await Promise.all([settle(70n), settle(20n), holdOrThrow(ledger, other, 10n)])
  await settle(5n)
  expect((await balanceOf(database.pool, account)).balance).toBe(805n)
  await ledger.close()
  await pool.end()
  await expectBalancedBooks(database.pool)
})
