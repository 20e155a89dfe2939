import type { Pool, PoolClient } from 'pg'
import { currencyOf, toMinor, toNano } from '../../domain/currency.ts'
import { formatDecimal } from '../../domain/money.ts'
import type { ChangeOutcome, EventRef, PaymentChange } from '../../services/billing/billing-ports.ts'
import { assertBooked, creditOnce, type NewEntry, reclaimOnce } from '../ledger/book-entry.ts'
import { recallWhile } from '../ledger/recall.ts'
import { onPaymentReclaimed } from './auto-payments.ts'
import { type ChangedPayment, isReclaim, type Reclaim, refusal } from './changed-payment.ts'

/** The entry that takes back a refund or dispute. There is one, whatever events report it. */
const reclaimEntryId = (reclaimId: string): string => `ent_${reclaimId}`
/** The entry that gives it back. */
const returnEntryId = (reclaimId: string): string => `${reclaimEntryId(reclaimId)}_back`

/**
 * A refund or dispute as it was taken. The first of its events sets the amount, no later one changes it, and all of it is what
 * is given back. If another event names a different amount, a person has to decide about the difference.
 */
export async function withTakenAmount(client: PoolClient, payment: ChangedPayment, change: Reclaim): Promise<Reclaim> {
  const currency = currencyOf(payment.currency)
  const { rows } = await client.query<{ taken: string }>(
    'select -amount_nano as taken from entry where id = $1 and kind = $2 and payment_id = $3',
    [reclaimEntryId(change.id), change.kind, payment.id],
  )
  const amountMinor = rows[0] && currency && toMinor(BigInt(rows[0].taken), currency)
  return amountMinor ? { ...change, amountMinor } : change
}

/** What a person has to do if an event names another amount than was taken. */
function amountChangeNote(payment: ChangedPayment, reported: Reclaim, taken: Reclaim): string | null {
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
async function lateLossNote(
  client: PoolClient,
  event: EventRef,
  payment: ChangedPayment,
  change: Reclaim,
): Promise<string | null> {
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
async function secondWinNote(
  client: PoolClient,
  event: EventRef,
  payment: ChangedPayment,
  change: Reclaim,
): Promise<string | null> {
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
export async function collectNotes(
  client: PoolClient,
  event: EventRef,
  payment: ChangedPayment,
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

const REASONS = {
  refund: { taken: 'Refund', back: 'A refund that failed' },
  dispute: { taken: 'Dispute', back: 'A dispute that was won' },
}

/** Takes back once per refund or dispute id. Gives back once, and only what was taken. */
export async function reclaim(
  client: PoolClient,
  event: EventRef,
  payment: ChangedPayment,
  change: Reclaim,
): Promise<ChangeOutcome> {
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
