import type { ChangeOutcome, PaymentChange } from '../../services/billing/billing-ports.ts'
import type { PaymentRow } from './auto-payments.ts'

/** A payment as an event finds it, locked until the change is committed. */
export interface ChangedPayment extends PaymentRow {
  amount_minor: string
  currency: string
  session_id: string | null
  intent_id: string | null
  customer_id: string | null
}

export type PaidChange = Extract<PaymentChange, { kind: 'paid' }>
export type MovedChange = Extract<PaymentChange, { kind: 'moved' }>
export type Reclaim = Extract<PaymentChange, { kind: 'refund' | 'dispute' }>
export type DeclinedChange = Extract<PaymentChange, { kind: 'declined' }>
export type DocumentsChange = Extract<PaymentChange, { kind: 'paper' }>

export const isReclaim = (change: PaymentChange): change is Reclaim => change.kind === 'refund' || change.kind === 'dispute'

export const refusal = (why: string): ChangeOutcome => ({ outcome: 'refused', why })
