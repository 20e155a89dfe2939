import type { Pool } from 'pg'
import type { BillingAccounts } from '../services/billing-ports.ts'
import { collectOnce } from './book-entry.ts'
import { inTransaction } from './console-transaction.ts'
import type { PrismaClient } from './generated/client.ts'

// Who is above the mark again is told the next time it is passed.
const FORGET = `
  update billing_account b set low_told_at = null from purse p
  where p.id = b.account_id and b.low_told_at is not null
    and (b.low_balance_nano is null or p.credit - p.spent >= b.low_balance_nano)`

// Claimed and read in one statement: of two that look at once, one tells.
const CLAIM = `
  with due as (
    select b.account_id from billing_account b join purse p on p.id = b.account_id
    where b.low_told_at is null and p.credit - p.spent < b.low_balance_nano
    order by b.account_id limit 100 for update of b skip locked
  ), told as (
    update billing_account b set low_told_at = $1 from due where b.account_id = due.account_id
    returning b.account_id, b.low_balance_nano
  )
  select distinct on (t.account_id) t.account_id, t.low_balance_nano, u.email, u.name, p.credit - p.spent as balance
  from told t join purse p on p.id = t.account_id join app_user u on u.account_id = t.account_id
  order by t.account_id, u.created_at, u.id`

interface LowRow {
  account_id: string
  email: string
  name: string
  balance: string
  low_balance_nano: string
}

/** What holders have set about billing. */
export function createBillingAccounts(pool: Pool, prisma: PrismaClient): BillingAccounts {
  return {
    async find(accountId) {
      const row = await prisma.billingAccount.findUnique({ where: { accountId } })
      return { customerId: row?.customerId ?? null, lowBalanceNano: row?.lowBalanceNano ?? null }
    },
    async setCustomer(accountId, customerId) {
      await prisma.billingAccount.upsert({ where: { accountId }, create: { accountId, customerId }, update: { customerId } })
    },
    async setLowBalance(accountId, lowBalanceNano) {
      await prisma.billingAccount.upsert({
        where: { accountId },
        create: { accountId, lowBalanceNano },
        update: { lowBalanceNano, lowToldAt: null },
      })
    },
    async claimLow(at) {
      await pool.query(FORGET)
      const { rows } = await pool.query<LowRow>(CLAIM, [at])
      return rows.map((row) => ({
        accountId: row.account_id,
        email: row.email,
        name: row.name,
        balanceNano: BigInt(row.balance),
        lowBalanceNano: BigInt(row.low_balance_nano),
      }))
    },
    async untold(accountId) {
      await prisma.billingAccount.updateMany({ where: { accountId }, data: { lowToldAt: null } })
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
