import type { PoolClient } from 'pg'
import { formatDecimal } from '../../domain/money.ts'
import type { ChangeOutcome, EventRef, PaymentChange } from '../../services/billing/billing-ports.ts'
import { assertBooked, creditOnce, type NewEntry } from '../ledger/book-entry.ts'
import { isClosed } from '../ledger/closed-account-guards.ts'
import { failAutoPayment, notifyFailure, onPaymentCredited } from './auto-payments.ts'
import {
  type ChangedPayment,
  type DocumentsChange,
  isReclaim,
  type MovedChange,
  type PaidChange,
  refusal,
} from './changed-payment.ts'
import { saveCustomer } from './customer.ts'
import { findContradiction, isIntentEventOfPage, isOtherPageExpiry } from './find-contradiction.ts'
import { collectNotes, reclaim, withTakenAmount } from './reclaims.ts'

const COLUMNS =
  'id, account_id, state, source, amount_nano, amount_minor, currency, session_id, intent_id, customer_id, method_id'
/** The entry that credits a payment. There is one, however often the payment is reported. */
export const topUpEntryId = (paymentId: string): string => `top_${paymentId}`

async function lockPayment(client: PoolClient, change: PaymentChange): Promise<ChangedPayment | null> {
  const [column, value] = isReclaim(change) ? ['intent_id', change.intentId] : ['id', change.paymentId]
  // Nothing is taken back before it is credited, even though an automatic payment's intent is known earlier.
  const credited = isReclaim(change) ? "and state = 'paid'" : ''
  const { rows } = await client.query<ChangedPayment>(
    `select ${COLUMNS} from payment where ${column} = $1 ${credited} for update`,
    [value],
  )
  return rows[0] ?? null
}

/**
 * Applies a change in the caller's transaction, which the caller rolls back if this throws. An event that contradicts our
 * records, or is about none of our payments, changes nothing and leaves no key behind.
 */
export async function applyChange(client: PoolClient, event: EventRef, reported: PaymentChange): Promise<ChangeOutcome> {
  const payment = await lockPayment(client, reported)
  if (!payment) return { outcome: 'unknown' }
  const change = isReclaim(reported) ? await withTakenAmount(client, payment, reported) : reported
  if (isIntentEventOfPage(payment, change) || isOtherPageExpiry(payment, change)) return { outcome: 'ignored' }
  const why = findContradiction(payment, change)
  if (why !== null) return refusal(`${event.type} of payment ${payment.id} has ${why}`)
  const { rowCount } = await client.query(
    'insert into stripe_event (id, type, payment_id, created_at, lost) values ($1, $2, $3, $4, $5) on conflict (id) do nothing',
    [event.id, event.type, payment.id, event.at, isReclaim(change) && change.gone],
  )
  // charge.refunded is sent for several refunds, so its key does not identify them. Their entries do.
  if (rowCount === 0 && !isReclaim(change)) return { outcome: 'repeated' }
  switch (change.kind) {
    case 'paid':
      return credit(client, event, payment, change)
    case 'moved':
      return move(client, event, payment, change)
    case 'declined':
      return { outcome: (await failAutoPayment(client, payment, { ...change, at: event.at })) ? 'done' : 'repeated' }
    case 'paper':
      return storeDocuments(client, payment, change)
    default: {
      const note = rowCount === 1 && isReclaim(reported) ? await collectNotes(client, event, payment, reported, change) : {}
      return { ...(await reclaim(client, event, payment, change)), ...note }
    }
  }
}

/** Money for a closed account is booked like any other, but nobody can spend it: it has to be refunded to whoever paid. */
async function closedAccountNote(client: PoolClient, { accountId, paymentId, amountNano }: NewEntry): Promise<{ note?: string }> {
  if (!(await isClosed(client, accountId))) return {}
  const amount = formatDecimal(amountNano)
  return { note: `${amount} of payment ${paymentId} came to the closed account ${accountId}: refund it at Stripe` }
}

async function credit(client: PoolClient, event: EventRef, payment: ChangedPayment, change: PaidChange): Promise<ChangeOutcome> {
  const entry: NewEntry = {
    id: topUpEntryId(payment.id),
    accountId: payment.account_id,
    kind: 'top_up',
    amountNano: BigInt(payment.amount_nano),
    reason: 'Top-up',
    actor: 'stripe',
    at: event.at,
    paymentId: payment.id,
  }
  const fresh = assertBooked(await creditOnce(client, entry), entry)
  await client.query(
    `update payment set state = 'paid', paid_at = coalesce(paid_at, $2), session_id = $3, intent_id = coalesce(intent_id, $4)
     where id = $1`,
    [payment.id, event.at, change.sessionId, change.intentId],
  )
  // An automatic payment is made for a customer that was already known.
  if (change.customerId !== null && payment.source !== 'auto') await saveCustomer(client, payment.account_id, change.customerId)
  if (!fresh) return { outcome: 'repeated' }
  await onPaymentCredited(client, payment, event.at)
  return { outcome: 'done', ...(await closedAccountNote(client, entry)) }
}

/** Whatever the order of events, a paid payment stays paid, and one that has ended does not continue. */
async function move(client: PoolClient, event: EventRef, payment: ChangedPayment, change: MovedChange): Promise<ChangeOutcome> {
  const from = change.state === 'processing' ? ['open'] : ['open', 'processing']
  const { rowCount } = await client.query('update payment set state = $2, session_id = $3 where id = $1 and state = any ($4)', [
    payment.id,
    change.state,
    change.sessionId,
    from,
  ])
  if (rowCount === 1 && change.state === 'failed')
    await notifyFailure(client, payment, event.at, { automatic: false, card: null, reason: 'declined', off: false, waitMs: null })
  return { outcome: rowCount === 1 ? 'done' : 'repeated' }
}

async function storeDocuments(client: PoolClient, payment: ChangedPayment, change: DocumentsChange): Promise<ChangeOutcome> {
  // They name the payer, whom closing has erased. Closing locks payments first, so with this one locked it has not begun or is
  // visible.
  if (await isClosed(client, payment.account_id)) return { outcome: 'done' }
  await client.query(
    'update payment set invoice_url = coalesce($2, invoice_url), receipt_url = coalesce($3, receipt_url) where id = $1',
    [payment.id, change.invoiceUrl, change.receiptUrl],
  )
  return { outcome: 'done' }
}
