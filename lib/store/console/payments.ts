import type { Pool } from 'pg'
import { currencyOf, toNano } from '../../domain/currency.ts'
import type { PaymentRecord, PaymentState, Payments } from '../../services/billing/billing-ports.ts'
import { applyChange, topUpEntryId } from '../billing/payment-changes.ts'
import { recallBeforeReclaim } from '../billing/reclaims.ts'
import type { Payment, PrismaClient } from '../generated/client.ts'
import { isCreditOverflow } from '../ledger/book-entry.ts'
import { AccountClosedError } from '../ledger/closed-account-guards.ts'
import { inTransaction } from '../transaction.ts'

const PROCESSING_ROWS = 20

// If the account is being closed, this waits for its row and then checks it again.
const OPEN = `
  insert into payment (id, account_id, request_id, amount_nano, amount_minor, currency, save_card, created_at)
  select $1, id, $3, $4, $5, $6, $7, $8 from account where id = $2 and closed_at is null for key share
  on conflict do nothing`

// The longer a payment takes, the less often it is looked up: Stripe has to list all events since it was made. Pages are often left
// without paying. Stripe keeps events for 30 days.
const CLAIM_WAITING = `
  with waiting as (
    select id from payment y where y.state in ('open', 'processing') and y.created_at > $1::timestamptz - interval '29 days'
      and case y.source
        when 'auto' then y.state = 'processing'
          and y.asked_at < $1::timestamptz - greatest(interval '10 minutes', ($1::timestamptz - y.created_at) / 10)
        else y.session_id is not null and coalesce(y.asked_at, y.created_at)
          < $1::timestamptz - greatest(interval '2 minutes', ($1::timestamptz - y.created_at) / 2)
      end
    order by coalesce(y.asked_at, y.created_at) limit 100 for update skip locked
  )
  update payment y set asked_at = $1::timestamptz from waiting where y.id = waiting.id
  returning y.id, y.account_id as "accountId", y.created_at as "createdAt", y.source = 'auto' as automatic`

const recordOf = (row: Payment): PaymentRecord => ({
  id: row.id,
  accountId: row.accountId,
  state: row.state as PaymentState,
  amountNano: row.amountNano,
  amountMinor: row.amountMinor,
  currency: row.currency,
  createdAt: row.createdAt,
  paidAt: row.paidAt,
  saveCard: row.saveCard,
  sessionId: row.sessionId,
})

/** Payments, and what Stripe's events do to them and to balances. */
export function createPayments(pool: Pool, prisma: PrismaClient): Payments {
  return {
    async open({ at, ...payment }) {
      const { id, accountId, requestId, amountNano, amountMinor, currency, saveCard } = payment
      await pool.query(OPEN, [id, accountId, requestId, amountNano, amountMinor, currency, saveCard, at])
      const row = await prisma.payment.findUnique({ where: { accountId_requestId: { accountId, requestId } } })
      if (!row) throw new AccountClosedError()
      return recordOf(row)
    },
    async recreate({ at, ...lost }) {
      const currency = currencyOf(lost.currency)
      if (!currency || (await prisma.account.count({ where: { id: lost.accountId } })) === 0) return false
      // Without a page, the gateway paid by itself. A failed payment is never asked for again, but is still credited if it was
      // paid.
      const sourceFields = lost.sessionId === null ? { source: 'auto', askedAt: at } : { source: 'checkout' }
      const amountNano = toNano(lost.amountMinor, currency)
      const row = { ...lost, ...sourceFields, amountNano, state: 'failed', requestId: `lost_${lost.id}`, createdAt: at }
      await prisma.payment.createMany({ data: [row], skipDuplicates: true })
      return true
    },
    async recordSession(paymentId, sessionId) {
      await prisma.payment.updateMany({ where: { id: paymentId, sessionId: null }, data: { sessionId } })
      const noted = await prisma.payment.findUniqueOrThrow({ where: { id: paymentId }, select: { sessionId: true } })
      return noted.sessionId ?? sessionId
    },
    async find(accountId, paymentId) {
      const row = await prisma.payment.findFirst({ where: { id: paymentId, accountId } })
      return row && recordOf(row)
    },
    async debtPaidBy(paymentId) {
      const entry = await prisma.entry.findUnique({ where: { id: topUpEntryId(paymentId) }, select: { owedNano: true } })
      return -(entry?.owedNano ?? 0n)
    },
    async processing(accountId) {
      const rows = await prisma.payment.findMany({
        where: { accountId, state: 'processing' },
        orderBy: { createdAt: 'desc' },
        take: PROCESSING_ROWS,
      })
      return rows.map(recordOf)
    },
    async claimWaiting(at) {
      return (await pool.query(CLAIM_WAITING, [at])).rows
    },
    async apply(eventRef, change) {
      await recallBeforeReclaim(pool, change)
      try {
        return await inTransaction(pool, (client) => applyChange(client, eventRef, change))
      } catch (error) {
        if (!isCreditOverflow(error) || change.kind !== 'paid') throw error
        const why = `${eventRef.type} of payment ${change.paymentId} is more than its account can be credited: refund it at Stripe`
        return { outcome: 'refused', why }
      }
    },
  }
}
