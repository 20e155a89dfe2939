import type { PaymentChange } from '../../services/billing/billing-ports.ts'
import { type ChangedPayment, type DeclinedChange, isReclaim, type MovedChange, type PaidChange } from './changed-payment.ts'

/** For a payment through a page, the events of the page's session count, not those of the intent that the session creates. */
export const isIntentEventOfPage = (payment: ChangedPayment, change: PaymentChange): boolean =>
  payment.source !== 'auto' && (change.kind === 'declined' || (change.kind === 'paid' && change.sessionId === null))

/** A page that nobody was sent to expires some day. That says nothing about the payment, which has another page. */
export const isOtherPageExpiry = (payment: ChangedPayment, change: PaymentChange): boolean =>
  change.kind === 'moved' && change.state === 'expired' && payment.session_id !== null && payment.session_id !== change.sessionId

/** Checks that the page's session is the one in our row. */
const pageContradiction = (payment: ChangedPayment, change: PaidChange | MovedChange | DeclinedChange): string | null =>
  'sessionId' in change && payment.session_id !== null && payment.session_id !== change.sessionId
    ? `another checkout session, ${change.sessionId}`
    : null

/** The same check for a payment without a page: its intent and customer must be those in our row. */
function autoContradiction(payment: ChangedPayment, change: PaidChange | MovedChange | DeclinedChange): string | null {
  if ('sessionId' in change && change.sessionId !== null) return `a checkout session, ${change.sessionId}`
  if (!('intentId' in change)) return null
  if (payment.intent_id !== null && payment.intent_id !== change.intentId) return `another intent, ${change.intentId}`
  if (change.kind === 'paid' && change.customerId !== payment.customer_id) return `the customer ${change.customerId ?? 'nobody'}`
  return null
}

/** Why an event cannot be about this payment, or null if it can. */
export function findContradiction(payment: ChangedPayment, change: PaymentChange): string | null {
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
