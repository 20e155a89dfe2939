import { z } from 'zod'
import type { PaymentChange, StripeEvent } from './billing-ports.ts'
import type { CardChange } from './card-ports.ts'
import { CARD_READERS } from './stripe-card-changes.ts'
import { failureOf } from './stripe-failure.ts'
import { ACCOUNT_MARK, PAYMENT_MARK, SAVE_MARK } from './stripe-marks.ts'

// Only the fields that are used, so that other versions of Stripe's API work too. An expanded object is reduced to its id.
const id = z.union([z.string(), z.looseObject({ id: z.string() }).transform((object) => object.id)])
const mark = z.string().optional()
const metadata = z.looseObject({ [PAYMENT_MARK]: mark, [ACCOUNT_MARK]: mark, [SAVE_MARK]: mark }).nullish()
const count = z.number().int().nonnegative()
const link = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .nullish()
  .catch(null)

const session = z.looseObject({
  id: z.string(),
  mode: z.string(),
  payment_status: z.string(),
  amount_total: count.nullable(),
  currency: z.string().nullable(),
  client_reference_id: z.string().nullish(),
  payment_intent: id.nullish(),
  customer: id.nullish(),
  setup_intent: id.nullish(),
  metadata,
})
const intent = z.looseObject({
  id: z.string(),
  amount: count,
  amount_received: count.nullish(),
  currency: z.string(),
  customer: id.nullish(),
  payment_method: id.nullish(),
  last_payment_error: z.looseObject({ code: z.string().nullish(), decline_code: z.string().nullish() }).nullish(),
  metadata,
})
const reclaim = z.looseObject({
  id: z.string(),
  amount: count,
  currency: z.string(),
  payment_intent: id.nullish(),
  status: z.string().nullish(),
})
const charge = z.looseObject({ payment_intent: id.nullish(), receipt_url: link, metadata })
const invoice = z.looseObject({ hosted_invoice_url: link, metadata })

/** What an event requires: changes that it reports, or refunds to fetch from Stripe. */
export type Reading = { changes: (PaymentChange | CardChange)[] } | { refundsOf: string } | null

const one = (change: PaymentChange | CardChange): Reading => ({ changes: [change] })

type Session = z.infer<typeof session>

/** The card that was saved at a page, with or without a payment. */
function savedCard({ client_reference_id, customer, setup_intent, payment_intent, metadata: marks }: Session): CardChange[] {
  const from =
    setup_intent != null ? { setupIntentId: setup_intent } : payment_intent != null ? { intentId: payment_intent } : null
  if (marks?.[SAVE_MARK] !== 'yes' || from === null || client_reference_id == null || customer == null) return []
  return [{ kind: 'card_saved', accountId: client_reference_id, customerId: customer, from }]
}

function readSession(event: StripeEvent): Reading {
  const given = session.parse(event.object)
  if (given.mode === 'setup') return event.type === 'checkout.session.completed' ? { changes: savedCard(given) } : null
  const paymentId = given.metadata?.[PAYMENT_MARK]
  if (paymentId === undefined || given.mode !== 'payment') return null
  const at = { paymentId, sessionId: given.id }
  switch (event.type) {
    case 'checkout.session.expired':
      return one({ kind: 'moved', ...at, state: 'expired' })
    case 'checkout.session.async_payment_failed':
      return one({ kind: 'moved', ...at, state: 'failed' })
    default:
      if (given.payment_status !== 'paid') return one({ kind: 'moved', ...at, state: 'processing' })
      return { changes: [paidBySession(paymentId, given), ...savedCard(given)] }
  }
}

const paidBySession = (paymentId: string, given: Session): PaymentChange => ({
  kind: 'paid',
  paymentId,
  sessionId: given.id,
  accountId: given.client_reference_id ?? null,
  amountMinor: BigInt(given.amount_total ?? 0),
  currency: given.currency ?? '',
  intentId: given.payment_intent ?? null,
  customerId: given.customer ?? null,
  methodId: null,
})

/** Reads a payment without a page. Intents of pages carry our mark too; our row tells whether a payment has a page. */
function readIntent(event: StripeEvent): Reading {
  const given = intent.parse(event.object)
  const paymentId = given.metadata?.[PAYMENT_MARK]
  if (paymentId === undefined) return null
  if (event.type !== 'payment_intent.succeeded')
    return one({ kind: 'declined', paymentId, intentId: given.id, reason: failureOf(given.last_payment_error) })
  return one({
    kind: 'paid',
    paymentId,
    sessionId: null,
    accountId: given.metadata?.[ACCOUNT_MARK] ?? null,
    amountMinor: BigInt(given.amount_received ?? 0),
    currency: given.currency,
    intentId: given.id,
    customerId: given.customer ?? null,
    methodId: given.payment_method ?? null,
  })
}

/** Reads a refund. It takes money when it is made, and gives it back if it fails or is canceled. */
export function readRefund(object: unknown): PaymentChange | null {
  const given = reclaim.parse(object)
  if (given.payment_intent == null || given.amount === 0) return null
  const back = given.status === 'failed' || given.status === 'canceled'
  const claim = { amountMinor: BigInt(given.amount), currency: given.currency }
  return { kind: 'refund', id: given.id, intentId: given.payment_intent, back, gone: false, ...claim }
}

/**
 * Reads a dispute. An inquiry (`warning_…`) moves no money, nor does a prevented dispute, which is reported as a refund. A
 * dispute takes money, and gives it back if it is won. Whatever its status, a dispute whose funds were withdrawn has taken the
 * money.
 * https://docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute
 */
function readDispute(event: StripeEvent): Reading {
  const given = reclaim.parse(event.object)
  const status = given.status ?? ''
  const back = event.type === 'charge.dispute.funds_reinstated' || status === 'won'
  const withdrawn = event.type === 'charge.dispute.funds_withdrawn'
  const moves = withdrawn || !(status.startsWith('warning_') || status === 'prevented')
  if (given.payment_intent == null || given.amount === 0 || !(moves || back)) return null
  const claim = { amountMinor: BigInt(given.amount), currency: given.currency }
  return one({
    kind: 'dispute',
    id: given.id,
    intentId: given.payment_intent,
    back,
    gone: withdrawn || status === 'lost',
    ...claim,
  })
}

function readCharge(event: StripeEvent): Reading {
  const given = charge.parse(event.object)
  // A charge reports only the sum of its refunds. Stripe knows the individual ones.
  if (event.type === 'charge.refunded') return given.payment_intent == null ? null : { refundsOf: given.payment_intent }
  const paymentId = given.metadata?.[PAYMENT_MARK]
  if (paymentId === undefined || given.receipt_url == null) return null
  return one({ kind: 'paper', paymentId, receiptUrl: given.receipt_url, invoiceUrl: null })
}

function readInvoice(event: StripeEvent): Reading {
  const given = invoice.parse(event.object)
  const paymentId = given.metadata?.[PAYMENT_MARK]
  if (paymentId === undefined || given.hosted_invoice_url == null) return null
  return one({ kind: 'paper', paymentId, invoiceUrl: given.hosted_invoice_url, receiptUrl: null })
}

function readRefundEvent(event: StripeEvent): Reading {
  const change = readRefund(event.object)
  return change && one(change)
}

const PAYMENT_READERS: Record<string, (event: StripeEvent) => Reading> = {
  'checkout.session.completed': readSession,
  'checkout.session.async_payment_succeeded': readSession,
  'checkout.session.async_payment_failed': readSession,
  'checkout.session.expired': readSession,
  'refund.created': readRefundEvent,
  'refund.updated': readRefundEvent,
  'refund.failed': readRefundEvent,
  'charge.refund.updated': readRefundEvent,
  'charge.refunded': readCharge,
  'charge.succeeded': readCharge,
  'charge.updated': readCharge,
  'charge.dispute.created': readDispute,
  'charge.dispute.updated': readDispute,
  'charge.dispute.closed': readDispute,
  'charge.dispute.funds_withdrawn': readDispute,
  'charge.dispute.funds_reinstated': readDispute,
  'invoice.paid': readInvoice,
  'invoice.payment_succeeded': readInvoice,
  'payment_intent.succeeded': readIntent,
  'payment_intent.payment_failed': readIntent,
  'payment_intent.canceled': readIntent,
}
const READERS = { ...PAYMENT_READERS, ...CARD_READERS }

/** The types of events about payments. */
export const PAYMENT_EVENTS: readonly string[] = Object.keys(PAYMENT_READERS)

/**
 * Reads what an event means here. Returns null if it is of another type or not about a payment of ours. Throws if an event of a
 * known type does not have the shape that Stripe documents.
 */
export const readStripeEvent = (event: StripeEvent): Reading =>
  Object.hasOwn(READERS, event.type) ? (READERS[event.type]?.(event) ?? null) : null
