/** Objects as Stripe sends them, with every field that the gateway reads and the usual neighbors of these fields. */

export interface FakeSession {
  id: string
  object: 'checkout.session'
  mode: string
  status: string
  payment_status: string
  amount_total: number
  currency: string
  client_reference_id: string | null
  customer: string | null
  customer_email: string | null
  invoice: string | null
  payment_intent: string | null
  setup_intent: string | null
  metadata: Record<string, string>
  success_url: string
  cancel_url: string | null
  url: string | null
  created: number
  livemode: boolean
}

/** What else the fake stores of a session: the data of its future payment. */
export interface SessionPlan {
  intentMetadata: Record<string, string>
  invoiceMetadata: Record<string, string> | null
  /** Whether the card used for payment is saved, and which one it was. */
  savesCard: boolean
  method: string | null
}

export const refundObject = (id: string, intent: string, amount: number, more: object = {}) => ({
  id,
  object: 'refund',
  amount,
  currency: 'usd',
  charge: `ch_${intent}`,
  payment_intent: intent,
  status: 'succeeded',
  reason: null,
  metadata: {},
  created: 1_795_000_000,
  ...more,
})

export const disputeObject = (id: string, intent: string, amount: number, more: object = {}) => ({
  id,
  object: 'dispute',
  amount,
  currency: 'usd',
  charge: `ch_${intent}`,
  payment_intent: intent,
  status: 'needs_response',
  reason: 'fraudulent',
  metadata: {},
  livemode: false,
  created: 1_795_000_000,
  ...more,
})

export const chargeObject = (intent: string, amount: number, metadata: Record<string, string>, more: object = {}) => ({
  id: `ch_${intent}`,
  object: 'charge',
  amount,
  amount_refunded: 0,
  currency: 'usd',
  payment_intent: intent,
  paid: true,
  status: 'succeeded',
  receipt_url: `https://pay.stripe.example/receipts/${intent}`,
  metadata,
  livemode: false,
  created: 1_795_000_000,
  ...more,
})

export const invoiceObject = (id: string, metadata: Record<string, string>) => ({
  id,
  object: 'invoice',
  status: 'paid',
  currency: 'usd',
  hosted_invoice_url: `https://invoice.stripe.example/i/${id}`,
  invoice_pdf: `https://invoice.stripe.example/i/${id}/pdf`,
  metadata,
  livemode: false,
  created: 1_795_000_000,
})

export interface FakeMethod {
  id: string
  object: 'payment_method'
  type: string
  customer: string | null
  card: { brand: string; last4: string; exp_month: number; exp_year: number } | null
  livemode: boolean
  created: number
  metadata: Record<string, string>
}

/** A card that is attached to a customer. */
export const methodObject = (id: string, customer: string, last4 = '4242'): FakeMethod => ({
  id,
  object: 'payment_method',
  type: 'card',
  customer,
  card: { brand: last4 === '4444' ? 'mastercard' : 'visa', last4, exp_month: 8, exp_year: 2030 },
  livemode: false,
  created: 1_795_000_000,
  metadata: {},
})

export const setupIntentObject = (id: string, customer: string, method: string, metadata: Record<string, string>) => ({
  id,
  object: 'setup_intent',
  status: 'succeeded',
  customer,
  payment_method: method,
  usage: 'off_session',
  metadata,
  livemode: false,
  created: 1_795_000_000,
})

export interface FakeIntent {
  id: string
  object: 'payment_intent'
  status: string
  amount: number
  amount_received: number
  currency: string
  customer: string | null
  payment_method: string | null
  last_payment_error: { type: string; code: string; decline_code?: string; message: string } | null
  metadata: Record<string, string>
  livemode: boolean
  created: number
}

export const intentObject = (
  id: string,
  amount: number,
  metadata: Record<string, string>,
  more: Partial<FakeIntent> = {},
): FakeIntent => ({
  id,
  object: 'payment_intent',
  status: 'succeeded',
  amount,
  amount_received: amount,
  currency: 'usd',
  customer: null,
  payment_method: null,
  last_payment_error: null,
  metadata,
  livemode: false,
  created: Math.floor(Date.now() / 1000),
  ...more,
})
