/** What the verbs of billing need from the world. Money is bigint nano-dollars, times are Date. */
import type { TimedId } from '#lib/contracts/cursor'
import type { TopUpFailure } from '../../domain/auto-top-up.ts'
import type { CodeFilter, CodeRecord } from '../operator/operator-account-ports.ts'
import type { Actor } from '../operator/operator-ports.ts'
import type { StripeCards } from './card-ports.ts'

export type PaymentState = 'open' | 'processing' | 'paid' | 'expired' | 'failed'

export interface PaymentRecord {
  id: string
  accountId: string
  state: PaymentState
  amountNano: bigint
  /** In the smallest units of its currency. */
  amountMinor: bigint
  currency: string
  createdAt: Date
  paidAt: Date | null
  /** The card that it is paid with is kept for automatic payments. */
  saveCard: boolean
  /** The page of Stripe's that it can be paid at; null before there is one. */
  sessionId: string | null
}

export interface NewPayment {
  id: string
  accountId: string
  /** Made by who asks: the same press of a button is the same payment. */
  requestId: string
  amountNano: bigint
  amountMinor: bigint
  currency: string
  saveCard: boolean
  at: Date
}

/** A payment that Stripe knows and we have lost, as what Stripe says of it. */
export interface LostPayment {
  id: string
  accountId: string
  amountMinor: bigint
  currency: string
  sessionId: string | null
  intentId: string | null
  customerId: string | null
  methodId: string | null
  at: Date
}

/** Of which event a change is, for its key. */
export interface EventMark {
  id: string
  type: string
  at: Date
}

interface Claim {
  amountMinor: bigint
  currency: string
}

/**
 * What an event of Stripe says, in our words. `back` undoes what the same id took; with `gone` the money is withdrawn, or lost for
 * good. `sessionId` is null where the gateway paid by itself, without a page of Stripe's.
 */
export type PaymentChange =
  | ({
      kind: 'paid'
      paymentId: string
      accountId: string | null
      sessionId: string | null
      intentId: string | null
      customerId: string | null
      /** The card that it was paid with, where that is told. */
      methodId: string | null
    } & Claim)
  | { kind: 'moved'; paymentId: string; sessionId: string; state: 'processing' | 'expired' | 'failed' }
  | { kind: 'declined'; paymentId: string; intentId: string; reason: TopUpFailure }
  | ({ kind: 'refund' | 'dispute'; id: string; intentId: string; back: boolean; gone: boolean } & Claim)
  | { kind: 'paper'; paymentId: string; invoiceUrl: string | null; receiptUrl: string | null }

/**
 * `refused`: it contradicts our own records, and `why` says how; nothing was changed. `unknown`: no payment here has this
 * id, or this intent. `ignored`: another event is the one that says this of such a payment. `note` is what a person has to
 * do about something that was done, or is known by now.
 */
export type ChangeOutcome =
  | { outcome: 'done' | 'repeated'; note?: string }
  | { outcome: 'unknown' | 'ignored' }
  | { outcome: 'refused'; why: string }

export interface Payments {
  /** Writes a payment down, or answers the one of the same request that was there before. */
  open(payment: NewPayment): Promise<PaymentRecord>
  /** Writes down once more a payment whose row was lost, as one that is not credited. False where its account is not here. */
  writeAgain(lost: LostPayment): Promise<boolean>
  /** Notes where it can be paid, once: answers the session that is noted, which another press may have been first to make. */
  sessionMade(paymentId: string, sessionId: string): Promise<string>
  find(accountId: string, paymentId: string): Promise<PaymentRecord | null>
  /** How much of a payment that was credited paid what its account owed. */
  paidOwed(paymentId: string): Promise<bigint>
  /** Payments that were made and that Stripe still waits for, newest first. */
  processing(accountId: string): Promise<PaymentRecord[]>
  /** Applies what an event says, its key and its entries in one transaction, once however often it comes. */
  apply(mark: EventMark, change: PaymentChange): Promise<ChangeOutcome>
}

/** A verified event: its object as Stripe sent it. */
export interface StripeEvent extends EventMark {
  object: unknown
}

export interface CheckoutRequest {
  payment: PaymentRecord
  email: string
  /** Who the account is to Stripe, where it paid before. */
  customerId: string | null
  /** What the line on Stripe's page says. */
  title: string
  successUrl: string
  cancelUrl: string
}

/** Stripe, as far as it is used. Calls reject with a ServiceError `unavailable` while it cannot be used. */
export interface Stripe extends StripeCards {
  readonly configured: boolean
  /**
   * Makes a page to pay at. The same payment asked again answers the same page, unless its customer has become another
   * one. Where its card is to be kept and `customerId` is null, a customer is made for it. Answers whom the page is for;
   * null where the payment makes its own.
   */
  createCheckout(request: CheckoutRequest): Promise<{ sessionId: string; url: string; customerId: string | null }>
  /** The address of a page that was made before; null where nothing can be paid at it any more. */
  findCheckout(sessionId: string): Promise<string | null>
  /** Reads a delivery of the webhook; null where it is forged, stale or not signed. */
  verify(body: Buffer, signature: string | null): Promise<StripeEvent | null>
  /** The id of ours that a payment intent was made for; null where it is somebody else's. */
  paymentOfIntent(intentId: string): Promise<string | null>
  /** What happened since, of these kinds, oldest first. Stripe keeps 30 days of it. */
  eventsSince(since: Date, types: readonly string[]): Promise<StripeEvent[]>
  /** The refunds of a payment intent, as objects of Stripe. */
  refundsOfIntent(intentId: string): Promise<unknown[]>
}

export interface EntryRecord {
  id: string
  kind: string
  amountNano: bigint
  owedNano: bigint
  reason: string
  createdAt: Date
  invoiceUrl: string | null
  receiptUrl: string | null
  /** The gateway paid it by itself. */
  automatic: boolean
}

export interface Entries {
  /** The newest `rows` entries below `before`. */
  page(accountId: string, before: TimedId | null, rows: number): Promise<EntryRecord[]>
}

export interface BillingAccount {
  customerId: string | null
  lowBalanceNano: bigint | null
}

export interface BillingAccounts {
  find(accountId: string): Promise<BillingAccount>
  /** Notes who an account is to Stripe. */
  setCustomer(accountId: string, customerId: string): Promise<void>
  setLowBalance(accountId: string, amountNano: bigint | null): Promise<void>
  /**
   * Writes down which holders have to be told that their balance is low, once for each time that it falls below what they
   * set. Answers how many.
   */
  raiseLow(at: Date): Promise<number>
  /** Pays debts out of balances that came back after they were made. Answers how many. */
  collectDebts(at: Date): Promise<number>
}

export interface NewCode {
  id: string
  codeHmac: Uint8Array
  hint: string
  amountNano: bigint
  note: string
  at: Date
  expiresAt: Date | null
  /** What the minting is named by, so that a repeat is known as one, and the place of the code in it. */
  mintToken: string
  mintPlace: number
}

export type Redeemed =
  | { outcome: 'redeemed'; amountNano: bigint; paidOwedNano: bigint }
  /** `own`: this very account has redeemed it. */
  | { outcome: 'invalid' | 'own' | 'too_much' | 'closed' }

export interface Codes {
  /** Keeps the codes of one minting, all or none, with one line in the log. False where its token was used before. */
  add(codes: NewCode[], by: Actor): Promise<boolean>
  /** Newest first. */
  page(filter: CodeFilter, rows: number): Promise<CodeRecord[]>
  /** Makes a code good no more. `taken`: it was redeemed, or withdrawn, before. */
  withdraw(codeId: string, at: Date, by: Actor): Promise<'withdrawn' | 'taken' | 'not_found'>
  /** The same for all that were minted together with a code and are still good; how many, or null where there is no such code. */
  withdrawMinting(codeId: string, at: Date, by: Actor): Promise<number | null>
  /** Gives an account what a code is worth, and spends the code, in one transaction. */
  redeem(accountId: string, codeHmac: Uint8Array, at: Date): Promise<Redeemed>
}

/** Codes, and the form in which they are looked up. */
export interface CodeHashes {
  create(): { code: string; hmac: Uint8Array; hint: string }
  hash(code: string): Uint8Array
}

export interface BillingSettings {
  currency: string
  readonly topUpMinNano: bigint
  readonly topUpMaxNano: bigint
  /** The address of the billing page, as browsers reach it. */
  billingUrl(): string
  /** Where operators set alerts. */
  alertsUrl(): string
  /** Where Stripe has to send its events. */
  webhookUrl(): string
  /** Whether mail can be sent, or only be written to the log. */
  mail: boolean
}
