/** The interfaces that the billing verbs need. Money is bigint nano-dollars, times are Date. */
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
  /** Whether the card that pays is saved for automatic payments. */
  saveCard: boolean
  /** The Stripe page where it can be paid; null before there is one. */
  sessionId: string | null
}

export interface NewPayment {
  id: string
  accountId: string
  /** Made by the client: the same press of a button is the same payment. */
  requestId: string
  amountNano: bigint
  amountMinor: bigint
  currency: string
  saveCard: boolean
  at: Date
}

/** A payment whose end no event has reported. */
export interface WaitingPayment extends Pick<PaymentRecord, 'id' | 'accountId' | 'createdAt'> {
  automatic: boolean
}

/** A payment that Stripe knows and we have lost, as Stripe reports it. */
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

/** The event that a change comes from, for its key. */
export interface EventRef {
  id: string
  type: string
  at: Date
}

interface ClaimedAmount {
  amountMinor: bigint
  currency: string
}

/**
 * What a Stripe event means, in our terms. `back` undoes what the same id took. With `gone` the money is withdrawn, or lost for
 * good. `sessionId` is null if the gateway paid by itself, without a Stripe page.
 */
export type PaymentChange =
  | ({
      kind: 'paid'
      paymentId: string
      accountId: string | null
      sessionId: string | null
      intentId: string | null
      customerId: string | null
      /** The card that paid, if the event names it. */
      methodId: string | null
    } & ClaimedAmount)
  | { kind: 'moved'; paymentId: string; sessionId: string; state: 'processing' | 'expired' | 'failed' }
  | { kind: 'declined'; paymentId: string; intentId: string; reason: TopUpFailure }
  | ({ kind: 'refund' | 'dispute'; id: string; intentId: string; back: boolean; gone: boolean } & ClaimedAmount)
  | { kind: 'paper'; paymentId: string; invoiceUrl: string | null; receiptUrl: string | null }

/**
 * The outcome of a change. `refused`: it contradicts our own records, and `why` says how; nothing was changed. `unknown`: no
 * payment here has this id or this intent. `ignored`: another event reports this for such a payment. `note` is what a person has
 * to do about something that was done, or is already known.
 */
export type ChangeOutcome =
  | { outcome: 'done' | 'repeated'; note?: string }
  | { outcome: 'unknown' | 'ignored' }
  | { outcome: 'refused'; why: string }

export interface Payments {
  /** Records a payment, or returns the existing one of the same request. */
  open(payment: NewPayment): Promise<PaymentRecord>
  /** Records a lost payment again, as one that is not credited. Returns false if its account does not exist here. */
  recreate(payment: LostPayment): Promise<boolean>
  /** Records where it can be paid, once. Returns the recorded session, which a concurrent press may have made first. */
  recordSession(paymentId: string, sessionId: string): Promise<string>
  find(accountId: string, paymentId: string): Promise<PaymentRecord | null>
  /** How much of a credited payment went to the account's debt. */
  debtPaidBy(paymentId: string): Promise<bigint>
  /** Payments that were made and that Stripe is still waiting for, newest first. */
  processing(accountId: string): Promise<PaymentRecord[]>
  /**
   * Payments that could be paid, or that Stripe accepted, minutes ago, and that no event has ended. They are reserved for this
   * caller, and returned less and less often, for as long as Stripe keeps events.
   */
  claimWaiting(at: Date): Promise<WaitingPayment[]>
  /** Applies what an event reports, its key and its entries in one transaction, once however often it comes. */
  apply(event: EventRef, change: PaymentChange): Promise<ChangeOutcome>
}

/** A verified event, with its object as Stripe sent it. */
export interface StripeEvent extends EventRef {
  object: unknown
}

/** Why a delivery is not accepted: it is not signed with our secret, or was signed too long ago. */
export type EventRejection = 'wrong_signature' | 'too_old'

export interface CheckoutRequest {
  payment: PaymentRecord
  email: string
  /** The account's Stripe customer, if it paid before. */
  customerId: string | null
  /** The text of the line item on Stripe's page. */
  title: string
  successUrl: string
  cancelUrl: string
}

/**
 * The part of Stripe that is used. Calls reject with a ServiceError: `unavailable` while Stripe cannot be used, `invalid_input`
 * (amountNano) for an amount that it does not accept.
 */
export interface Stripe extends StripeCards {
  readonly configured: boolean
  /**
   * Makes a page to pay at. Calling it again for the same payment returns the same page, unless the payment's customer has
   * changed. If the card is to be saved and `customerId` is null, a customer is made for it. Returns the page's customer, or null
   * if the payment makes its own.
   */
  createCheckout(request: CheckoutRequest): Promise<{ sessionId: string; url: string; customerId: string | null }>
  /** The address of an existing page, or null if it can no longer be used to pay. */
  findCheckout(sessionId: string): Promise<string | null>
  /** Reads a webhook delivery, or says why it is not accepted as Stripe's. */
  verify(body: Buffer, signature: string | null): Promise<StripeEvent | { rejected: EventRejection }>
  /** Our id of the payment that a payment intent was made for; null if the intent is not ours. */
  paymentOfIntent(intentId: string): Promise<string | null>
  /** Events of these kinds since then, oldest first. Stripe keeps 30 days of them. */
  eventsSince(since: Date, types: readonly string[]): Promise<StripeEvent[]>
  /** The refunds of a payment intent, as Stripe objects. */
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
  /** The newest `rows` entries before `before`. */
  page(accountId: string, before: TimedId | null, rows: number): Promise<EntryRecord[]>
}

export interface BillingAccount {
  customerId: string | null
  lowBalanceNano: bigint | null
}

export interface BillingAccounts {
  find(accountId: string): Promise<BillingAccount>
  /** Stores the account's Stripe customer. */
  setCustomer(accountId: string, customerId: string): Promise<void>
  setLowBalance(accountId: string, amountNano: bigint | null): Promise<void>
  /**
   * Records which holders have to be notified of a low balance, once each time that it falls below their threshold. Returns how
   * many.
   */
  markLowBalances(at: Date): Promise<number>
  /** Pays debts from balances that became available after the debts were made. Returns how many. */
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
  /** The token that identifies the minting, so that a repeat is recognized, and the place of the code in it. */
  mintToken: string
  mintPlace: number
}

export type RedeemOutcome =
  | { outcome: 'redeemed'; amountNano: bigint; paidOwedNano: bigint }
  /**
   * `own`: this account itself has already redeemed it. `own_minting`, `owners`: who minted it is no owner, and this is their own
   * account or an owner's. The code stays valid.
   */
  | { outcome: 'invalid' | 'own' | 'too_much' | 'closed' | 'own_minting' | 'owners' }

export interface Codes {
  /** Stores the codes of one minting, all or none, with one line in the log. Returns false if its token was used before. */
  add(codes: NewCode[], by: Actor): Promise<boolean>
  /** Newest first. */
  page(filter: CodeFilter, rows: number): Promise<CodeRecord[]>
  /** Invalidates a code. `taken`: it was already redeemed or withdrawn. */
  withdraw(codeId: string, at: Date, by: Actor): Promise<'withdrawn' | 'taken' | 'not_found'>
  /** The same for all valid codes that were minted together with a code. Returns how many, or null if there is no such code. */
  withdrawMinting(codeId: string, at: Date, by: Actor): Promise<number | null>
  /** Credits an account with the value of a code and marks the code as redeemed, in one transaction. */
  redeem(accountId: string, codeHmac: Uint8Array, at: Date): Promise<RedeemOutcome>
}

/** Generates codes, and the hash by which they are looked up. */
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
  /** The address of the page where operators configure alerts. */
  alertsUrl(): string
  /** The address that Stripe has to send its events to. */
  webhookUrl(): string
  /** Whether mail can be sent. If not, it is only written to the log. */
  mail: boolean
}
