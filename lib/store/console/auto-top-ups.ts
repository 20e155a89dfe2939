import type { Pool } from 'pg'
import type { OffReason, TopUpFailure } from '../../domain/auto-top-up.ts'
import type { AutoPayment, AutoTopUps } from '../../services/billing/card-ports.ts'
import { failAutoPayment, type PaymentRow } from '../billing/auto-payments.ts'
import { MAX_CREDIT_NANO } from '../ledger/book-entry.ts'
import { recallWhile } from '../ledger/recall.ts'
import { inTransaction } from '../transaction.ts'

const IN_PROGRESS = "source = 'auto' and state in ('open', 'processing')"
const MONTH = "date_trunc('month', $1::timestamptz, 'UTC')"

// A failed payment took no money and leaves room below the ceiling. One in progress may still take it.
const PAID_THIS_MONTH = `
  select coalesce(sum(y.amount_nano), 0) from payment y
  where y.account_id = a.account_id and y.source = 'auto' and y.state in ('open', 'processing', 'paid') and y.created_at >= ${MONTH}`

/** All conditions for topping up an account. `$1` is now. */
const DUE = `
  auto_top_up a
  join purse p on p.id = a.account_id
  join account c on c.id = a.account_id
  join saved_card s on s.account_id = a.account_id and s.removed_at is null
  where a.enabled and (a.retry_at is null or a.retry_at <= $1::timestamptz)
    and c.suspended_at is null and p.owed = 0
    and p.credit - p.spent - p.leased < a.threshold_nano
    and p.credit <= ${MAX_CREDIT_NANO} - a.amount_nano
    and not exists (select from payment y where y.account_id = a.account_id and y.${IN_PROGRESS.replace(' and ', ' and y.')})
    and (${PAID_THIS_MONTH}) + a.amount_nano <= a.ceiling_nano`

// Accounts whose money is spent come before those whose money is only leased, which may come back each time it is asked for.
// Among the former, those paid for longest ago come first; the order of the latter is random. Accounts that cannot be paid for,
// as after a change of the currency, are left out, because they would stay at the front forever.
const LIST = `
  select account_id, amount_nano, lent from (
    select a.account_id, a.amount_nano, p.credit - p.spent >= a.threshold_nano as lent,
           (select max(y.created_at) from payment y where y.account_id = a.account_id and y.source = 'auto') as last
      from ${DUE} and a.amount_nano % $2::bigint = 0) due
   order by lent, case when not lent then last end nulls first, random() limit 50`

const BEGIN = `
  insert into payment (id, account_id, request_id, source, amount_nano, amount_minor, currency, customer_id, method_id,
    created_at, asked_at)
  select $2::text, a.account_id, $2::text, 'auto', a.amount_nano, $4::bigint, $5::text, s.customer_id, s.method_id,
    $1::timestamptz, $1::timestamptz
  from ${DUE} and a.account_id = $3 and a.amount_nano = $6
  returning *, true as wanted`

// Longer than a call to Stripe takes with all its retries, so whoever asked is no longer asking.
const CLAIM_UNFINISHED = `
  with left_over as (
    select id from payment y where y.source = 'auto' and y.state = 'open' and y.asked_at < $1::timestamptz - interval '2 minutes'
    order by y.asked_at limit 20 for update skip locked
  )
  update payment y set asked_at = $1::timestamptz from left_over where y.id = left_over.id
  returning y.*, exists (
    select from auto_top_up a join saved_card s on s.account_id = a.account_id and s.removed_at is null
    where a.account_id = y.account_id and a.enabled and s.method_id = y.method_id) as wanted`

const LEASED_BELOW_THRESHOLD = `
  select p.id from purse p join auto_top_up a on a.account_id = p.id
  where p.id = any ($1) and p.credit - p.spent - p.leased < a.threshold_nano and p.credit - p.spent >= a.threshold_nano`

interface AutoRow {
  id: string
  account_id: string
  amount_nano: string
  amount_minor: string
  currency: string
  customer_id: string
  method_id: string
  created_at: Date
  wanted: boolean
}

const paymentOf = (row: AutoRow): AutoPayment => ({
  id: row.id,
  accountId: row.account_id,
  amountNano: BigInt(row.amount_nano),
  amountMinor: BigInt(row.amount_minor),
  currency: row.currency,
  customerId: row.customer_id,
  methodId: row.method_id,
  createdAt: row.created_at,
  wanted: row.wanted,
})

interface SettingsRow {
  enabled: boolean
  threshold_nano: string
  amount_nano: string
  ceiling_nano: string
  consented_at: Date
  failures: number
  retry_at: Date | null
  off_reason: string | null
}

// If the account is being closed, this waits for its row and then checks it again, because closing erases what it finds.
const SET = `
  insert into auto_top_up (account_id, enabled, threshold_nano, amount_nano, ceiling_nano, consented_at)
  select c.id, true, $2, $3, $4, $5 from account c
  where c.id = $1 and c.closed_at is null
    and exists (select from saved_card s where s.account_id = c.id and s.removed_at is null)
  for key share of c
  on conflict (account_id) do update set enabled = true, threshold_nano = $2, amount_nano = $3, ceiling_nano = $4,
    consented_at = $5, failures = 0, retry_at = null, off_reason = null`

type PaymentRequests = Pick<
  AutoTopUps,
  'listDue' | 'recall' | 'begin' | 'claimUnfinished' | 'recordAccepted' | 'recordFailure' | 'discard'
>

/** The part that asks Stripe. Any number of processes may run it; each payment is asked for by one of them. */
function createPaymentRequests(pool: Pool): PaymentRequests {
  return {
    async listDue(at, stepNano) {
      const { rows } = await pool.query<{ account_id: string; amount_nano: string; lent: boolean }>(LIST, [at, stepNano])
      return rows.map((row) => ({ accountId: row.account_id, amountNano: BigInt(row.amount_nano), lent: row.lent }))
    },
    recall: (accountIds) =>
      recallWhile(pool, async () => {
        const { rows } = await pool.query<{ id: string }>(LEASED_BELOW_THRESHOLD, [accountIds])
        return rows.map(({ id }) => id)
      }),
    begin: ({ id, accountId, amountNano, amountMinor, currency, at }) =>
      inTransaction(pool, async (client) => {
        // Locked before anything is read, so that the next statement sees what another process has begun in the meantime.
        const { rowCount } = await client.query('select from auto_top_up where account_id = $1 for update skip locked', [
          accountId,
        ])
        if (rowCount !== 1) return null
        const { rows } = await client.query<AutoRow>(BEGIN, [at, id, accountId, amountMinor, currency, amountNano])
        return rows[0] ? paymentOf(rows[0]) : null
      }),
    async claimUnfinished(at) {
      return (await pool.query<AutoRow>(CLAIM_UNFINISHED, [at])).rows.map(paymentOf)
    },
    async recordAccepted(paymentId, intentId) {
      await pool.query("update payment set state = 'processing', intent_id = $2 where id = $1 and state = 'open'", [
        paymentId,
        intentId,
      ])
    },
    recordFailure: (paymentId, reason, intentId, at) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<PaymentRow>('select * from payment where id = $1 for update', [paymentId])
        if (rows[0]) await failAutoPayment(client, rows[0], { reason, intentId, at })
      }),
    async discard(paymentId) {
      await pool.query("update payment set state = 'expired' where id = $1 and state = 'open'", [paymentId])
    },
  }
}

/** When accounts are topped up automatically, and the resulting payments. */
export function createAutoTopUps(pool: Pool): AutoTopUps {
  return {
    ...createPaymentRequests(pool),
    async find(accountId) {
      const { rows } = await pool.query<SettingsRow>('select * from auto_top_up where account_id = $1', [accountId])
      const row = rows[0]
      if (!row) return null
      return {
        enabled: row.enabled,
        thresholdNano: BigInt(row.threshold_nano),
        amountNano: BigInt(row.amount_nano),
        ceilingNano: BigInt(row.ceiling_nano),
        consentedAt: row.consented_at,
        failures: row.failures,
        retryAt: row.retry_at,
        offReason: row.off_reason as OffReason | null,
      }
    },
    async set(accountId, settings, at) {
      if (settings === null) {
        const off =
          'update auto_top_up set enabled = false, failures = 0, retry_at = null, off_reason = null where account_id = $1'
        await pool.query(off, [accountId])
        return true
      }
      const { thresholdNano, amountNano, ceilingNano } = settings
      const { rowCount } = await pool.query(SET, [accountId, thresholdNano, amountNano, ceilingNano, at])
      return rowCount === 1
    },
    async paidSince(accountId, from) {
      const { rows } = await pool.query<{ sum: string }>(
        `select coalesce(sum(amount_nano), 0) as sum from payment
         where account_id = $1 and source = 'auto' and state in ('open', 'processing', 'paid') and created_at >= $2`,
        [accountId, from],
      )
      return BigInt(rows[0]?.sum ?? 0)
    },
    async isInProgress(accountId) {
      return (await pool.query(`select from payment where account_id = $1 and ${IN_PROGRESS}`, [accountId])).rowCount !== 0
    },
    async lastFailure(accountId) {
      const { rows } = await pool.query<{ amount_nano: string; failure: string; failed_at: Date }>(
        `select amount_nano, failure, failed_at from payment
         where account_id = $1 and source = 'auto' and state = 'failed' order by created_at desc limit 1`,
        [accountId],
      )
      const row = rows[0]
      return row ? { amountNano: BigInt(row.amount_nano), reason: row.failure as TopUpFailure, at: row.failed_at } : null
    },
  }
}
