/** What saved cards, automatic top-up and spending alerts need from the world. Money is bigint nano-dollars, times are Date. */
import type { OffReason, TopUpFailure } from '../../domain/auto-top-up.ts'

/** What people recognize a card by. `brand` is Stripe's word: `visa`. */
export interface CardFace {
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

export interface SavedCard extends CardFace {
  /** Stripe's ids of the payment method and of the customer that it is attached to. */
  methodId: string
  customerId: string
}

export interface Cards {
  find(accountId: string): Promise<SavedCard | null>
  /**
   * Puts a card in the place of the account's card, whose failures are forgotten. `stale`: the account has a newer one or
   * is closed, or this one was removed meanwhile. Both ways, what is not kept is left to be detached.
   */
  save(accountId: string, card: SavedCard, at: Date): Promise<'saved' | 'stale' | 'no_account'>
  /** Takes the account's card away and switches automatic top-up off. False where there is none. */
  remove(accountId: string, at: Date): Promise<boolean>
  /** The same for what Stripe has let go: a card, or all cards of a customer. Answers whether there was any. */
  gone(what: { methodId: string } | { customerId: string }): Promise<boolean>
  /** A bank has replaced or renewed a card. False where it is none of ours. */
  renew(methodId: string, face: CardFace): Promise<boolean>
  /** Cards that were replaced or removed and that Stripe still has. */
  left(): Promise<string[]>
  detached(methodId: string): Promise<void>
  /** Customers of closed accounts whom Stripe still has. */
  leftCustomers(): Promise<string[]>
  /** Stripe has deleted one of them. */
  customerDeleted(customerId: string): Promise<void>
}

export interface AutoTopUpSettings {
  thresholdNano: bigint
  amountNano: bigint
  /** The most that is paid automatically in a UTC month. */
  ceilingNano: bigint
}

export interface AutoTopUpRecord extends AutoTopUpSettings {
  enabled: boolean
  consentedAt: Date
  /** In a row. */
  failures: number
  retryAt: Date | null
  offReason: OffReason | null
}

/** A payment with a saved card, as it was written down before Stripe was asked. */
export interface AutoPayment {
  id: string
  accountId: string
  amountNano: bigint
  amountMinor: bigint
  currency: string
  customerId: string
  methodId: string
  createdAt: Date
  /** False where its holder has switched automatic top-up off since, or has another card. */
  wanted: boolean
}

/** An account whose free balance looks too small. */
export interface DueTopUp {
  accountId: string
  amountNano: bigint
  /** The balance would do, but gateways hold some of it, which may be idle. */
  lent: boolean
}

export interface NewAutoPayment {
  id: string
  accountId: string
  amountNano: bigint
  amountMinor: bigint
  currency: string
  at: Date
}

/** The last automatic payment that failed. */
export interface FailedTopUp {
  amountNano: bigint
  reason: TopUpFailure
  at: Date
}

export interface AutoTopUps {
  find(accountId: string): Promise<AutoTopUpRecord | null>
  /** Switches it on, or only off with null. Failures are forgotten. False where there is no card. */
  set(accountId: string, settings: AutoTopUpSettings | null, at: Date): Promise<boolean>
  /** What was paid automatically in the UTC month that begins at `from`, or is on its way. */
  paidSince(accountId: string, from: Date): Promise<bigint>
  /** Whether an automatic payment is under way. */
  underWay(accountId: string): Promise<boolean>
  lastFailure(accountId: string): Promise<FailedTopUp | null>
  /** Accounts that should be topped up now, by multiples of `stepNano`: some of them, in an order in which nobody waits for ever. */
  due(at: Date, stepNano: bigint): Promise<DueTopUp[]>
  /** Asks gateways for the idle money that they hold of accounts, and waits a moment for it. */
  recall(accountIds: string[]): Promise<void>
  /**
   * Writes a payment down, where everything that it needs is still so: on, a card, free balance below the threshold, no
   * other one under way, below the ceiling, neither suspended nor owing. Else null. It is this caller's to ask Stripe for.
   */
  begin(payment: NewAutoPayment): Promise<AutoPayment | null>
  /** Payments that somebody began long ago and nobody knows the end of. They are this caller's for some minutes. */
  unfinished(at: Date): Promise<AutoPayment[]>
  /** Stripe has taken it on: its event credits it. */
  taken(paymentId: string, intentId: string): Promise<void>
  /** It came to nothing. Once, however often it is told, and by whom. */
  failed(paymentId: string, reason: TopUpFailure, intentId: string | null, at: Date): Promise<void>
  /** It was never asked for, and is not wanted any more. */
  drop(paymentId: string): Promise<void>
}

/** `unknown`: nobody can say whether it was made. */
export type PayOutcome =
  | { outcome: 'taken'; intentId: string }
  | { outcome: 'failed'; intentId: string | null; reason: TopUpFailure }
  | { outcome: 'unknown' }

export interface CardPageRequest {
  accountId: string
  email: string
  /** Who the account is to Stripe; a customer is made where it is nobody, or somebody that Stripe has lost. */
  customerId: string | null
  successUrl: string
  cancelUrl: string
}

/** Stripe, as far as cards are concerned. Calls reject with a ServiceError `unavailable` while it cannot be used. */
export interface StripeCards {
  /** Makes a page to save a card at, and the customer that it is saved for. */
  createCardPage(request: CardPageRequest): Promise<{ url: string; customerId: string }>
  /** The card behind what an event names; null where it is no card, or attached to nobody. */
  cardOf(from: CardSource): Promise<SavedCard | null>
  /** Lets go of a card. One that is gone is no error. */
  detach(methodId: string): Promise<void>
  /** Deletes a customer, with all that Stripe knows of who it is. One that is gone is no error. */
  deleteCustomer(customerId: string): Promise<void>
  /** Pays with a saved card while its holder is away. The same payment asked again is the same payment. Never rejects. */
  payAway(payment: AutoPayment): Promise<PayOutcome>
  /** What became of a payment that was asked for; null where it was never made. */
  findPaidAway(payment: AutoPayment): Promise<PayOutcome | null>
}

/** Where a saved card is found. */
export type CardSource = { intentId: string } | { setupIntentId: string } | { methodId: string }

/** What an event of Stripe says of cards. */
export type CardChange =
  | { kind: 'card_saved'; accountId: string; customerId: string; from: CardSource }
  | { kind: 'card_gone'; methodId: string }
  | { kind: 'customer_gone'; customerId: string }
  | { kind: 'card_renewed'; methodId: string; face: CardFace }

export interface SpendingAlert {
  id: string
  keyId: string | null
  /** The key's name; null for the whole account. */
  keyName: string | null
  period: 'day' | 'month'
  amountNano: bigint
  /** Spent in the running period. */
  spentNano: bigint
}

export interface SpendingAlerts {
  /** An account's rules in the order in which they were made, with what was spent by `at`. */
  list(accountId: string, at: Date): Promise<SpendingAlert[]>
  /** `no_key`: the account has no such key. `twice`: it has this very rule. `full`: it has as many as it may. */
  add(rule: {
    id: string
    accountId: string
    keyId: string | null
    period: 'day' | 'month'
    amountNano: bigint
    at: Date
  }): Promise<'added' | 'no_key' | 'twice' | 'full'>
  /** False where the account has no such rule. */
  remove(accountId: string, alertId: string): Promise<boolean>
  /** Writes down what has to be told now, each rule once in a period. Answers how many. */
  raise(at: Date): Promise<number>
}
