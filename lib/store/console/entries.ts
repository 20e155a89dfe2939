import type { Pool } from 'pg'
import type { Entries } from '../../services/billing/billing-ports.ts'

interface Row {
  id: string
  kind: string
  amount_nano: string
  owed_nano: string
  reason: string
  created_at: Date
  invoice_url: string | null
  receipt_url: string | null
  automatic: boolean
}

const PAGE = `
  select e.id, e.kind, e.amount_nano, e.owed_nano, e.reason, e.created_at, p.invoice_url, p.receipt_url,
    coalesce(p.source = 'auto', false) as automatic
  from entry e left join payment p on p.id = e.payment_id
  where e.account_id = $1 and ($2::timestamptz is null or (e.created_at, e.id) < ($2, $3))
  order by e.created_at desc, e.id desc limit $4`

/** The entries that changed an account's credit. */
export function createEntries(pool: Pool): Entries {
  return {
    async page(accountId, before, rows) {
      const found = await pool.query<Row>(PAGE, [accountId, before?.at ?? null, before?.id ?? null, rows])
      return found.rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        amountNano: BigInt(row.amount_nano),
        owedNano: BigInt(row.owed_nano),
        reason: row.reason,
        createdAt: row.created_at,
        invoiceUrl: row.invoice_url,
        receiptUrl: row.receipt_url,
        automatic: row.automatic,
      }))
    },
  }
}
