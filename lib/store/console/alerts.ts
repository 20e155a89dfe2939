import type { Pool } from 'pg'
import type { SpendingAlerts } from '../../services/billing/card-ports.ts'
import { assertAccountOpen } from '../ledger/closed-account-guards.ts'
import { putNotice } from '../notices.ts'
import { inTransaction } from '../transaction.ts'

const MAX_RULES = 20

/** A rule with what was spent in the current period. `$1` is now; days and months are in UTC. */
const WITH_SPENT = `
  spending_alert a
  cross join lateral (select date_trunc(a.period, $1::timestamptz, 'UTC') as start) t
  cross join lateral (
    select coalesce(sum(h.charged_nano), 0) as spent from usage_hour h
    where h.account_id = a.account_id and h.hour >= t.start and (a.key_id is null or h.key_id = a.key_id)
  ) u
  left join api_key k on k.id = a.key_id`

const LIST = `
  select a.id, a.key_id, k.name as key_name, a.period, a.amount_nano, u.spent
  from ${WITH_SPENT} where a.account_id = $2 order by a.created_at, a.id`

const DUE = `
  select a.id, a.account_id, a.key_id, k.name as key_name, a.period, a.amount_nano, u.spent, t.start,
    to_char(t.start at time zone 'UTC', 'YYYY-MM-DD') as since
  from ${WITH_SPENT}
  where (a.told_for is null or a.told_for < t.start) and u.spent >= a.amount_nano
  order by a.id limit 100 for update of a skip locked`

interface Row {
  id: string
  account_id: string
  key_id: string | null
  key_name: string | null
  period: 'day' | 'month'
  amount_nano: string
  spent: string
  start: Date
  since: string
}

/** Alerts that account holders set on their spending. */
export function createSpendingAlerts(pool: Pool): SpendingAlerts {
  return {
    async list(accountId, at) {
      const { rows } = await pool.query<Row>(LIST, [at, accountId])
      return rows.map((row) => ({
        id: row.id,
        keyId: row.key_id,
        keyName: row.key_name,
        period: row.period,
        amountNano: BigInt(row.amount_nano),
        spentNano: BigInt(row.spent),
      }))
    },
    add: ({ id, accountId, keyId, period, amountNano, at }) =>
      inTransaction(pool, async (client) => {
        await client.query('select from account where id = $1 for update', [accountId])
        await assertAccountOpen(client, accountId)
        const rules = await client.query<{ same: boolean }>(
          `select key_id is not distinct from $2 and period = $3 and amount_nano = $4 as same
           from spending_alert where account_id = $1`,
          [accountId, keyId, period, amountNano],
        )
        if (rules.rows.some((rule) => rule.same)) return 'twice'
        if (rules.rows.length >= MAX_RULES) return 'full'
        const { rowCount } = await client.query(
          `insert into spending_alert (id, account_id, key_id, period, amount_nano, created_at)
           select $1, $2, $3, $4, $5, $6
           where $3::text is null or exists (select from api_key where id = $3 and account_id = $2)`,
          [id, accountId, keyId, period, amountNano, at],
        )
        return rowCount === 1 ? 'added' : 'no_key'
      }),
    async remove(accountId, alertId) {
      const { rowCount } = await pool.query('delete from spending_alert where id = $1 and account_id = $2', [alertId, accountId])
      return rowCount === 1
    },
    raise: (at) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<Row>(DUE, [at])
        for (const row of rows) {
          await client.query('update spending_alert set told_for = $2 where id = $1', [row.id, row.start])
          await putNotice(client, {
            id: `spent_${row.id}_${row.since}`,
            accountId: row.account_id,
            at,
            kind: 'spending.alert',
            alertId: row.id,
            period: row.period,
            since: row.since,
            amountNano: BigInt(row.amount_nano),
            spentNano: BigInt(row.spent),
            keyName: row.key_name,
          })
        }
        return rows.length
      }),
  }
}
