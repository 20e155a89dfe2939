import type { Pool, PoolClient } from 'pg'
import { currencyOf, toMinor, toNano } from '../../domain/currency.ts'
import { formatDecimal } from '../../domain/money.ts'
import type { ChangeOutcome, EventRef, PaymentChange } from '../../services/billing/billing-ports.ts'
import type { CreditOutcome } from '../../services/billing/purse-ports.ts'
import { creditOnce, type NewEntry, reclaimOnce } from '../ledger/book-entry.ts'
import { isClosed } from '../ledger/closed-account-guards.ts'
import { recallWhile } from '../ledger/recall.ts'
import { failAutoPayment, notifyFailure, onPaymentCredited, onPaymentReclaimed, type PaymentRow } from './auto-payments.ts'
import { saveCustomer } from './customer.ts'

interface Row extends PaymentRow {
  amount_minor: string
  currency: string
  session_id: string | null
  intent_id: string | null
  customer_id: string | null
}

type PaidChange = Extract<PaymentChange, { kind: 'paid' }>
type MovedChange = Extract<PaymentChange, { kind: 'moved' }>
type Reclaim = Extract<PaymentChange, { kind: 'refund' | 'dispute' }>
type DeclinedChange = Extract<PaymentChange, { kind: 'declined' }>
type DocumentsChange = Extract<PaymentChange, { kind: 'paper' }>

const COLUMNS =
  'id, account_id, state, source, amount_nano, amount_minor, currency, session_id, intent_id, customer_id, method_id'
/** The entry that credits a payment. There is one, however often the payment is reported. */
export const topUpEntryId = (paymentId: string): string => `top_${paymentId}`
/** The entry that takes back a refund or dispute. There is one, whatever events report it. */
const reclaimEntryId = (reclaimId: string): string => `ent_${reclaimId}`
/** The entry that gives it back. */
const returnEntryId = (reclaimId: string): string => `${reclaimEntryId(reclaimId)}_back`
const isReclaim = (change: PaymentChange): change is Reclaim => change.kind === 'refund' || change.kind === 'dispute'
const refusal = (why: string): ChangeOutcome => ({ outcome: 'refused', why })

async function lockPayment(client: PoolClient, change: PaymentChange): Promise<Row | null> {
  const [column, value] = isReclaim(change) ? ['intent_id', change.intentId] : ['id', change.paymentId]
  // Nothing is taken back before it is credited, even though an automatic payment's intent is known earlier.
  const credited = isReclaim(change) ? "and state = 'paid'" : ''
  const { rows } = await client.query<Row>(`select ${COLUMNS} from payment where ${column} = $1 ${credited} for update`, [value])
  return rows[0] ?? null
}

/** For a payment through a page, the events of the page's session count, not those of the intent that the session creates. */
const isIntentEventOfPage = (payment: Row, change: PaymentChange): boolean =>
  payment.source !== 'auto' && (change.kind === 'declined' || (change.kind === 'paid' && change.sessionId === null))

/** A page that nobody was sent to expires some day. That says nothing about the payment, which has another page. */
const isOtherPageExpiry = (payment: Row, change: PaymentChange): boolean =>
  change.kind === 'moved' && change.state === 'expired' && payment.session_id !== null && payment.session_id !== change.sessionId

/** Checks that the page's session is the one in our row. */
const pageContradiction = (payment: Row, change: PaidChange | MovedChange | DeclinedChange): string | null =>
  'sessionId' in change && payment.session_id !== null && payment.session_id !== change.sessionId
    ? `another checkout session, ${change.sessionId}`
    : null

/** The same check for a payment without a page: its intent and customer must be those in our row. */
function autoContradiction(payment: Row, change: PaidChange | MovedChange | DeclinedChange): string | null {
  if ('sessionId' in change && change.sessionId !== null) return `a checkout session, ${change.sessionId}`
  if (!('intentId' in change)) return null
  if (payment.intent_id !== null && payment.intent_id !== change.intentId) return `another intent, ${change.intentId}`
  if (change.kind === 'paid' && change.customerId !== payment.customer_id) return `the customer ${change.customerId ?? 'nobody'}`
  return null
}

/** Why an event cannot be about this payment, or null if it can. */
function findContradiction(payment: Row, change: PaymentChange): string | null {
  if (change.kind === 'paper') return null
  if (!isReclaim(change)) {
    const why = payment.source === 'auto' ? autoContradiction(payment, change) : pageContradiction(payment, change)
    if (why !== null) return why
  }
  if (change.kind === 'moved' || change.kind === 'declined') return null
  if (change.currency !== payment.currency) return `the currency ${change.currency} instead of ${payment.currency}`
  const amount = BigInt(payment.amount_minor)
  if (isReclaim(change))
    return change.amountMinor > 0n && change.amountMinor <= amount ? null : `takes ${change.amountMinor} of ${amount}`
  if (change.amountMinor !== amount) return `the amount ${change.amountMinor} instead of ${amount}`
  if (change.accountId !== payment.account_id) return `the account ${change.accountId ?? 'nobody'}`
  return null
}

/**
 * A refund or dispute as it was taken. The first of its events sets the amount, no later one changes it, and all of it is what
 * is given back. If another event names a different amount, a person has to decide about the difference.
 */
async function withTakenAmount(client: PoolClient, payment: Row, change: Reclaim): Promise<Reclaim> {
  const currency = currencyOf(payment.currency)
  const { rows } = await client.query<{ taken: string }>(
    'select -amount_nano as taken from entry where id = $1 and kind = $2 and payment_id = $3',
    [reclaimEntryId(change.id), change.kind, payment.id],
  )
  const amountMinor = rows[0] && currency && toMinor(BigInt(rows[0].taken), currency)
  return amountMinor ? { ...change, amountMinor } : change
}

/** What a person has to do if an event names another amount than was taken. */
function amountChangeNote(payment: Row, reported: Reclaim, taken: Reclaim): string | null {
  const currency = currencyOf(payment.currency)
  if (reported.amountMinor === taken.amountMinor || !currency) return null
  const [was, is] = [taken, reported].map(({ amountMinor }) => formatDecimal(toNano(amountMinor, currency)))
  const back = taken.back ? ' and is given back' : ''
  return `${was} was taken for the ${reported.kind} ${reported.id} of payment ${payment.id}${back}, and it is of ${is} by now`
}

/**
 * What a person has to do if the money of a dispute is withdrawn after it was won and given back, as with an appeal. Events
 * come in any order, so one that was made before the win says nothing new.
 */
async function lateLossNote(client: PoolClient, event: EventRef, payment: Row, change: Reclaim): Promise<string | null> {
  if (!change.gone) return null
  const { rows } = await client.query<{ given: string }>(
    'select amount_nano as given from entry where id = $1 and payment_id = $2 and created_at < $3',
    [returnEntryId(change.id), payment.id, event.at],
  )
  if (!rows[0]) return null
  const given = formatDecimal(BigInt(rows[0].given))
  return `${given} was given back of the dispute ${change.id} of payment ${payment.id}, which is lost since: no more than once is taken for it, so deduct it from account ${payment.account_id} or bear it`
}

/** The same if it comes back again after that loss: no event deducted it then, so no event gives it back. */
async function secondWinNote(client: PoolClient, event: EventRef, payment: Row, change: Reclaim): Promise<string | null> {
  if (!change.back || change.kind !== 'dispute') return null
  const { rowCount } = await client.query(
    `select 1 from entry e join stripe_event s on s.payment_id = e.payment_id and s.created_at > e.created_at
     where e.id = $1 and e.payment_id = $2 and s.lost and s.created_at < $3 limit 1`,
    [returnEntryId(change.id), payment.id, event.at],
  )
  return rowCount === 0
    ? null
    : `the dispute ${change.id} of payment ${payment.id} is won again after a loss: what was deducted for that loss from account ${payment.account_id} is to be given back`
}

/** What a person has to do about an event that is new here. */
async function collectNotes(
  client: PoolClient,
  event: EventRef,
  payment: Row,
  reported: Reclaim,
  taken: Reclaim,
): Promise<{ note?: string }> {
  const all = [
    amountChangeNote(payment, reported, taken),
    await lateLossNote(client, event, payment, taken),
    await secondWinNote(client, event, payment, taken),
  ]
  const notes = all.filter((note) => note !== null)
  return notes.length > 0 ? { note: notes.join('; ') } : {}
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

/** Throws for an outcome that must not be committed: everything is rolled back, and Stripe sends the event again. */
function assertBooked(result: CreditOutcome, entry: NewEntry): boolean {
  if (result.outcome === 'credited') return true
  if (result.outcome === 'repeated') return false
  throw new Error(`the entry ${entry.id} of account ${entry.accountId} cannot be booked: ${result.outcome}`)
}

/** Money for a closed account is booked like any other, but nobody can spend it: it has to be refunded to whoever paid. */
async function closedAccountNote(client: PoolClient, { accountId, paymentId, amountNano }: NewEntry): Promise<{ note?: string }> {
  if (!(await isClosed(client, accountId))) return {}
  const amount = formatDecimal(amountNano)
  return { note: `${amount} of payment ${paymentId} came to the closed account ${accountId}: refund it at Stripe` }
}

async function credit(client: PoolClient, event: EventRef, payment: Row, change: PaidChange): Promise<ChangeOutcome> {
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
async function move(client: PoolClient, event: EventRef, payment: Row, change: MovedChange): Promise<ChangeOutcome> {
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

async function storeDocuments(client: PoolClient, payment: Row, change: DocumentsChange): Promise<ChangeOutcome> {
  // They name the payer, whom closing has erased. Closing locks payments first, so with this one locked it has not begun or is
  // visible.
  if (await isClosed(client, payment.account_id)) return { outcome: 'done' }
  await client.query(
    'update payment set invoice_url = coalesce($2, invoice_url), receipt_url = coalesce($3, receipt_url) where id = $1',
    [payment.id, change.invoiceUrl, change.receiptUrl],
  )
  return { outcome: 'done' }
}

const REASONS = {
  refund: { taken: 'Refund', back: 'A refund that failed' },
  dispute: { taken: 'Dispute', back: 'A dispute that was won' },
}

/** Takes back once per refund or dispute id. Gives back once, and only what was taken. */
async function reclaim(client: PoolClient, event: EventRef, payment: Row, change: Reclaim): Promise<ChangeOutcome> {
  const currency = currencyOf(payment.currency)
  if (!currency) return refusal(`the currency ${payment.currency} is not known`)
  const entry: NewEntry = {
    id: reclaimEntryId(change.id),
    accountId: payment.account_id,
    kind: change.kind,
    amountNano: toNano(change.amountMinor, currency),
    reason: REASONS[change.kind].taken,
    actor: 'stripe',
    at: event.at,
    paymentId: payment.id,
  }
  // The end can arrive before the beginning, which then finds its work done.
  let fresh = assertBooked(await reclaimOnce(client, entry), entry)
  if (fresh && !change.back) await onPaymentReclaimed(client, payment, { ...change, amountNano: entry.amountNano, at: event.at })
  if (change.back) {
    const back: NewEntry = { ...entry, id: returnEntryId(change.id), reason: REASONS[change.kind].back }
    fresh = assertBooked(await creditOnce(client, back), back) || fresh
  }
  return { outcome: fresh ? 'done' : 'repeated' }
}

const SHORT_PURSES = `
  select p.id, p.leased > 0 and p.credit - p.spent - p.leased < least(p.credit - p.spent, $2::bigint * (y.amount_nano / y.amount_minor)) as short
  from payment y join purse p on p.id = y.account_id
  where y.intent_id = $1 and not exists (select 1 from entry where entry.id = $3)`

/**
 * Asks gateways to return the idle money of an account from which something is about to be taken, so that money that is only
 * leased does not cause a debt. What running requests need stays with them.
 */
export async function recallBeforeReclaim(pool: Pool, change: PaymentChange): Promise<void> {
  if (!isReclaim(change) || change.back) return
  await recallWhile(pool, async () => {
    const { rows } = await pool.query<{ id: string; short: boolean }>(SHORT_PURSES, [
      change.intentId,
      change.amountMinor,
      reclaimEntryId(change.id),
    ])
    return rows.filter(({ short }) => short).map(({ id }) => id)
  })
}
