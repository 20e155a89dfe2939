import type { Pool, PoolClient } from 'pg'
import { least } from '../domain/money.ts'
import type { CreditOutcome, NewCredit, Purses } from '../services/ports.ts'
import { inTransaction } from './console-transaction.ts'

interface PurseRow {
  credit: string
  owed: string
}

/** An entry with this id was there before: the same credit given again, or a slip. */
async function repeatOf(client: PoolClient, credit: NewCredit): Promise<CreditOutcome> {
  const { rows } = await client.query<{ same: boolean; owed_nano: string }>(
    'select account_id = $2 and kind = $3 and amount_nano = $4 as same, owed_nano from entry where id = $1',
    [credit.id, credit.accountId, credit.kind, credit.amountNano],
  )
  const entry = rows[0]
  return entry?.same ? { outcome: 'repeated', paidOwedNano: -BigInt(entry.owed_nano) } : { outcome: 'conflict' }
}

async function creditOnce(client: PoolClient, credit: NewCredit): Promise<CreditOutcome> {
  // Money that somebody was told of must survive a crash, whatever the server's default is.
  await client.query('set local synchronous_commit = on')
  const locked = await client.query<PurseRow>("select credit, owed from purse where id = $1 and kind = 'account' for update", [
    credit.accountId,
  ])
  const purse = locked.rows[0]
  if (!purse) return { outcome: 'no_account' }
  const paid = least(BigInt(purse.owed), credit.amountNano)
  const inserted = await client.query(
    `insert into entry (id, account_id, kind, amount_nano, owed_nano, reason, actor, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do nothing`,
    [credit.id, credit.accountId, credit.kind, credit.amountNano, -paid, credit.reason, credit.actor, credit.at],
  )
  if (inserted.rowCount === 0) return repeatOf(client, credit)
  await client.query('update purse set credit = credit + $2, owed = owed - $3 where id = $1', [
    credit.accountId,
    credit.amountNano - paid,
    paid,
  ])
  return { outcome: 'credited', paidOwedNano: paid }
}

/** What accounts hold and owe, and how credit reaches them. */
export function createPurses(pool: Pool): Purses {
  return {
    async credit(credit) {
      try {
        return await inTransaction(pool, (client) => creditOnce(client, credit))
      } catch (error) {
        // 22003: the sum does not fit into a bigint.
        if ((error as { code?: unknown }).code === '22003') return { outcome: 'too_much' }
        throw error
      }
    },
    async sums(accountId) {
      const { rows } = await pool.query<{ balance: string; owed: string }>(
        'select credit - spent as balance, owed from purse where id = $1',
        [accountId],
      )
      return { balanceNano: BigInt(rows[0]?.balance ?? 0), owedNano: BigInt(rows[0]?.owed ?? 0) }
    },
  }
}
