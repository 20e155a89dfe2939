import { z } from 'zod'
import type { PaymentChange, StripeEvent } from './billing-ports.ts'
import type { CardChange } from './card-ports.ts'
import { CARD_READERS, expandableId } from './stripe-card-changes.ts'
import { failureOf } from './stripe-failure.ts'
import { ACCOUNT_METADATA_KEY, PAYMENT_METADATA_KEY, SAVE_CARD_METADATA_KEY } from './stripe-metadata.ts'

// Only the fields that are used, so that other versions of Stripe's API work too.
const metadataValue = z.string().optional()
const metadata = z
  .looseObject({
    [PAYMENT_METADATA_KEY]: metadataValue,
    [ACCOUNT_METADATA_KEY]: metadataValue,
    [SAVE_CARD_METADATA_KEY]: metadataValue,
  })
  .nullish()
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
  payment_intent: expandableId.nullish(),
  customer: expandableId.nullish(),
  setup_intent: expandableId.nullish(),
  metadata,
})
const intent = z.looseObject({
  id: z.string(),
  amount: count,
  amount_received: count.nullish(),
  currency: z.string(),
  customer: expandableId.nullish(),
  payment_method: expandableId.nullish(),
  last_payment_error: z.looseObject({ code: z.string().nullish(), decline_code: z.string().nullish() }).nullish(),
  metadata,
})
const reclaim = z.looseObject({
  id: z.string(),
  amount: count,
  currency: z.string(),
  payment_intent: expandableId.nullish(),
  status: z.string().nullish(),
})
const charge = z.looseObject({ payment_intent: expandableId.nullish(), receipt_url: link, metadata })
const invoice = z.looseObject({ hosted_invoice_url: link, metadata })

/** What an event requires: changes that it reports, or refunds to fetch from Stripe. */
export type ParsedEvent = { changes: (PaymentChange | CardChange)[] } | { refundsOf: string } | null

const singleChange = (change: PaymentChange | CardChange): ParsedEvent => ({ changes: [change] })

type Session = z.infer<typeof session>

/** The card that was saved at a page, with or without a payment. */
function savedCard({ client_reference_id, customer, setup_intent, payment_intent, metadata: marks }: Session): CardChange[] {
  const from =
    setup_intent != null ? { setupIntentId: setup_intent } : payment_intent != null ? { intentId: payment_intent } : null
  if (marks?.[SAVE_CARD_METADATA_KEY] !== 'yes' || from === null || client_reference_id == null || customer == null) return []
  return [{ kind: 'card_saved', accountId: client_reference_id, customerId: customer, from }]
}

function readSession(event: StripeEvent): ParsedEvent {
  const parsed = session.parse(event.object)
  if (parsed.mode === 'setup') return event.type === 'checkout.session.completed' ? { changes: savedCard(parsed) } : null
  const paymentId = parsed.metadata?.[PAYMENT_METADATA_KEY]
  if (paymentId === undefined || parsed.mode !== 'payment') return null
  const ids = { paymentId, sessionId: parsed.id }
  switch (event.type) {
    case 'checkout.session.expired':
      return singleChange({ kind: 'moved', ...ids, state: 'expired' })
    case 'checkout.session.async_payment_failed':
      return singleChange({ kind: 'moved', ...ids, state: 'failed' })
    default:
      if (parsed.payment_status !== 'paid') return singleChange({ kind: 'moved', ...ids, state: 'processing' })
      return { changes: [paidBySession(paymentId, parsed), ...savedCard(parsed)] }
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
function readIntent(event: StripeEvent): ParsedEvent {
  const parsed = intent.parse(event.object)
  const paymentId = parsed.metadata?.[PAYMENT_METADATA_KEY]
  if (paymentId === undefined) return null
  if (event.type !== 'payment_intent.succeeded')
    return singleChange({ kind: 'declined', paymentId, intentId: parsed.id, reason: failureOf(parsed.last_payment_error) })
  return singleChange({
    kind: 'paid',
    paymentId,
    sessionId: null,
    accountId: parsed.metadata?.[ACCOUNT_METADATA_KEY] ?? null,
    amountMinor: BigInt(parsed.amount_received ?? 0),
    currency: parsed.currency,
    intentId: parsed.id,
    customerId: parsed.customer ?? null,
    methodId: parsed.payment_method ?? null,
  })
}

/** Reads a refund. It takes money when it is made, and gives it back if it fails or is canceled. */
export function readRefund(object: unknown): PaymentChange | null {
  const parsed = reclaim.parse(object)
  if (parsed.payment_intent == null || parsed.amount === 0) return null
  const back = parsed.status === 'failed' || parsed.status === 'canceled'
  const claim = { amountMinor: BigInt(parsed.amount), currency: parsed.currency }
  return { kind: 'refund', id: parsed.id, intentId: parsed.payment_intent, back, gone: false, ...claim }
}

/**
 * Reads a dispute. An inquiry (`warning_…`) moves no money, nor does a prevented dispute, which is reported as a refund. A
 * dispute takes money, and gives it back if it is won. Whatever its status, a dispute whose funds were withdrawn has taken the
 * money.
 * https://docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute
 */
function readDispute(event: StripeEvent): ParsedEvent {
  const parsed = reclaim.parse(event.object)
  const status = parsed.status ?? ''
  const back = event.type === 'charge.dispute.funds_reinstated' || status === 'won'
  const withdrawn = event.type === 'charge.dispute.funds_withdrawn'
  const movesFunds = withdrawn || !(status.startsWith('warning_') || status === 'prevented')
  if (parsed.payment_intent == null || parsed.amount === 0 || !(movesFunds || back)) return null
  const claim = { amountMinor: BigInt(parsed.amount), currency: parsed.currency }
  return singleChange({
    kind: 'dispute',
    id: parsed.id,
    intentId: parsed.payment_intent,
    back,
    gone: withdrawn || status === 'lost',
    ...claim,
  })
}

function readCharge(event: StripeEvent): ParsedEvent {
  const parsed = charge.parse(event.object)
  // A charge reports only the sum of its refunds. Stripe knows the individual ones.
  if (event.type === 'charge.refunded') return parsed.payment_intent == null ? null : { refundsOf: parsed.payment_intent }
  const paymentId = parsed.metadata?.[PAYMENT_METADATA_KEY]
  if (paymentId === undefined || parsed.receipt_url == null) return null
  return singleChange({ kind: 'paper', paymentId, receiptUrl: parsed.receipt_url, invoiceUrl: null })
}

function readInvoice(event: StripeEvent): ParsedEvent {
  const parsed = invoice.parse(event.object)
  const paymentId = parsed.metadata?.[PAYMENT_METADATA_KEY]
  if (paymentId === undefined || parsed.hosted_invoice_url == null) return null
  return singleChange({ kind: 'paper', paymentId, invoiceUrl: parsed.hosted_invoice_url, receiptUrl: null })
}

function readRefundEvent(event: StripeEvent): ParsedEvent {
  const change = readRefund(event.object)
  return change && singleChange(change)
}

type Readers = Record<string, (event: StripeEvent) => ParsedEvent>

/** Events that end a payment, at a page or without one. */
const ENDING_READERS: Readers = {
  'checkout.session.completed': readSession,
  'checkout.session.async_payment_succeeded': readSession,
  'checkout.session.async_payment_failed': readSession,
  'checkout.session.expired': readSession,
  'payment_intent.succeeded': readIntent,
  'payment_intent.payment_failed': readIntent,
  'payment_intent.canceled': readIntent,
}
const PAYMENT_READERS: Readers = {
  ...ENDING_READERS,
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
}
const READERS = { ...PAYMENT_READERS, ...CARD_READERS }

/** The types of events that end a payment. */
export const ENDING_EVENTS: readonly string[] = Object.keys(ENDING_READERS)
/** The types of events about payments. */
export const PAYMENT_EVENTS: readonly string[] = Object.keys(PAYMENT_READERS)

/**
 * Reads what an event means here. Returns null if it is of another type or not about a payment of ours. Throws if an event of a
 * known type does not have the shape that Stripe documents.
 */
export const readStripeEvent = (event: StripeEvent): ParsedEvent =>
  Object.hasOwn(READERS, event.type) ? (READERS[event.type]?.(event) ?? null) : null
