import { z } from 'zod'
import { nano, pageLimit, pageSchema, time } from './common.ts'
import { beforeTimedId } from './cursor.ts'

/** One million currency units. */
export const MAX_AMOUNT_NANO = 1_000_000_000_000_000n
/** Positive amount of money as a string of nano-dollars. */
export const amount = nano.refine((value) => BigInt(value) > 0n && BigInt(value) <= MAX_AMOUNT_NANO, {
  error: 'Enter an amount above zero and at most one million.',
})

const paymentState = z.enum(['open', 'processing', 'paid', 'expired', 'failed'])

/** GET /api/billing/payments/{id} */
export const payment = z.object({
  id: z.string(),
  state: paymentState,
  amountNano: nano,
  /** How much of it paid off a debt; the rest is in the balance. */
  paidOwedNano: nano,
  createdAt: time,
})
export type PaymentView = z.infer<typeof payment>

/** GET /api/billing: what the billing page shows above its list. */
export const billing = z.object({
  balanceNano: nano,
  owedNano: nano,
  /** Three letters in lower case. */
  currency: z.string(),
  /** False while no Stripe keys are set, so that nothing can be paid. */
  payable: z.boolean(),
  /** False while mail is only written to the server's log. */
  mail: z.boolean(),
  /** The address that mail goes to. */
  email: z.string(),
  /** Amounts that can be paid: the minimum, the maximum, and the step that they are multiples of. */
  minNano: nano,
  maxNano: nano,
  stepNano: nano,
  lowBalanceNano: nano.nullable(),
  /** The address that Stripe has to send its events to. */
  webhookUrl: z.string(),
  /** Payments that were made but whose money has not arrived yet. */
  processing: z.array(payment),
})
export type Billing = z.infer<typeof billing>

/** POST /api/billing/top-up. `requestId` is created for each press of the button: a repeat pays once. */
export const topUpInput = z.strictObject({
  requestId: z.uuid(),
  amountNano: amount,
  /** Saves the card for automatic payments. */
  saveCard: z.boolean().default(false),
})
export type TopUpInput = z.infer<typeof topUpInput>
/** The address to pay at. */
export const topUp = z.object({ paymentId: z.string(), url: z.url() })
export type TopUp = z.infer<typeof topUp>

/** POST /api/billing/redeem */
export const redeemInput = z.strictObject({ code: z.string().trim().min(1).max(64) })
export const redeemResult = z.object({ amountNano: nano, paidOwedNano: nano })

/** POST /api/billing/low-balance: null turns the mail off. */
export const lowBalanceInput = z.strictObject({ amountNano: amount.nullable() })

/** GET /api/billing/transactions?before=&limit= : newest first. */
export const transactionQuery = z.strictObject({
  before: beforeTimedId,
  limit: pageLimit(25, 100),
})
export type TransactionQuery = z.infer<typeof transactionQuery>

export const transaction = z.object({
  id: z.string(),
  at: time,
  kind: z.enum(['grant', 'top_up', 'code', 'deduction', 'refund', 'dispute', 'collection', 'reversal']),
  /** Signed: above zero is credit. */
  amountNano: nano,
  /** What became a debt (above zero) or paid one off (below zero). */
  owedNano: nano,
  reason: z.string(),
  invoiceUrl: z.string().nullable(),
  receiptUrl: z.string().nullable(),
  /** Whether the gateway made the payment itself, with a saved card. */
  automatic: z.boolean(),
})
export type Transaction = z.infer<typeof transaction>
export const transactionPage = pageSchema(transaction)
