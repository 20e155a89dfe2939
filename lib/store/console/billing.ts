import type { Pool } from 'pg'
import type { BillingAccounts } from '../../services/billing/billing-ports.ts'
import { saveCustomer } from '../billing/customer.ts'
import type { PrismaClient } from '../generated/client.ts'
import { collectOnce } from '../ledger/book-entry.ts'
import { lockOpenAccount } from '../ledger/closed-account-guards.ts'
import { putNotice } from '../notices.ts'
import { inTransaction } from '../transaction.ts'

// A holder whose balance is above the mark again is told the next time it falls below.
const CLEAR_LOW_MARKS = `
  update billing_account b set low_told_at = null from purse p
  where p.id = b.account_id and b.low_told_at is not null
    and (b.low_balance_nano is null or p.credit - p.spent >= b.low_balance_nano)`

// If two processes look at once, one of them tells. The webhook event is written together with this mark.
const MARK_LOW = `
  with due as (
    select b.account_id, p.credit - p.spent as balance from billing_account b join purse p on p.id = b.account_id
    where b.low_told_at is null and p.credit - p.spent < b.low_balance_nano
    order by b.account_id limit 100 for update of b skip locked
  )
  update billing_account b set low_told_at = $1 from due where b.account_id = due.account_id
  returning b.account_id, b.low_balance_nano, due.balance`

interface LowRow {
  account_id: string
  balance: string
  low_balance_nano: string
}

/** The billing settings of account holders. */
export function createBillingAccounts(pool: Pool, prisma: PrismaClient): BillingAccounts {
  return {
    async find(accountId) {
      const row = await prisma.billingAccount.findUnique({ where: { accountId } })
      return { customerId: row?.customerId ?? null, lowBalanceNano: row?.lowBalanceNano ?? null }
    },
    setCustomer: (accountId, customerId) => saveCustomer(pool, accountId, customerId),
    setLowBalance: (accountId, lowBalanceNano) =>
      inTransaction(pool, async (client) => {
        await lockOpenAccount(client, accountId)
        await client.query(
          `insert into billing_account (account_id, low_balance_nano) values ($1, $2)
           on conflict (account_id) do update set low_balance_nano = $2, low_told_at = null`,
          [accountId, lowBalanceNano],
        )
      }),
    async markLowBalances(at) {
      await pool.query(CLEAR_LOW_MARKS)
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<LowRow>(MARK_LOW, [at])
        for (const { account_id: accountId, balance, low_balance_nano } of rows)
          await putNotice(client, {
            id: `low_${accountId}_${at.getTime()}`,
            accountId,
            at,
            kind: 'balance.low',
            balanceNano: BigInt(balance),
            lowBalanceNano: BigInt(low_balance_nano),
          })
        return rows.length
      })
    },
    async collectDebts(at) {
      const { rows } = await pool.query<{ id: string }>(
        "select id from purse where kind = 'account' and owed > 0 and credit - spent - leased > 0 order by id limit 100",
      )
      let paid = 0
      for (const { id } of rows) {
        const entry = {
          id: `col_${id}_${at.getTime()}`,
          accountId: id,
          reason: 'Debt paid from the balance',
          actor: 'system',
          at,
        }
        if (await inTransaction(pool, (client) => collectOnce(client, entry))) paid++
      }
      return paid
    },
  }
}
