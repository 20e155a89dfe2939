/** The interfaces that saved cards, automatic top-up and spending alerts need. Money is bigint nano-dollars, times are Date. */
import type { OffReason, TopUpFailure } from '../../domain/auto-top-up.ts'

/** What people recognize a card by. `brand` is Stripe's name, such as `visa`. */
export interface CardDetails {
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

export interface SavedCard extends CardDetails {
  /** Stripe's ids of the payment method and of the customer that it is attached to. */
  methodId: string
  customerId: string
}

export interface Cards {
  find(accountId: string): Promise<SavedCard | null>
  /**
   * Replaces the account's card and clears its failures. `stale`: the account has a newer card or is closed, or this card was
   * removed in the meantime. In either case, the card that is not kept is left to be detached.
   */
  save(accountId: string, card: SavedCard, at: Date): Promise<'saved' | 'stale' | 'no_account'>
  /** Removes the account's card, as its holder wants, and switches automatic top-up off. Returns false if there is no card. */
  remove(accountId: string, at: Date): Promise<boolean>
  /**
   * The same for what Stripe has removed: a card, or all cards of a customer. Holders whose automatic top-up this switches off are
   * told. Returns whether there was any.
   */
  removeGone(target: { methodId: string } | { customerId: string }, at: Date): Promise<boolean>
  /** A bank has replaced or renewed a card. Returns false if the card is not ours. */
  updateDetails(methodId: string, details: CardDetails): Promise<boolean>
  /** Cards that were replaced or removed but still exist at Stripe. */
  listToDetach(): Promise<string[]>
  recordDetached(methodId: string): Promise<void>
  /** Customers of closed accounts who still exist at Stripe. */
  listCustomersToDelete(): Promise<string[]>
  /** Records that Stripe has deleted one of them. */
  recordCustomerDeleted(customerId: string): Promise<void>
}

export interface AutoTopUpSettings {
  thresholdNano: bigint
  amountNano: bigint
  /** The maximum paid automatically in a UTC month. */
  ceilingNano: bigint
}

export interface AutoTopUpRecord extends AutoTopUpSettings {
  enabled: boolean
  consentedAt: Date
  /** Consecutive failures. */
  failures: number
  retryAt: Date | null
  offReason: OffReason | null
}

/** A payment with a saved card, as recorded before Stripe is called. */
export interface AutoPayment {
  id: string
  accountId: string
  amountNano: bigint
  amountMinor: bigint
  currency: string
  customerId: string
  methodId: string
  createdAt: Date
  /** False if its holder has since switched automatic top-up off or changed the card. */
  wanted: boolean
}

/** An account whose free balance appears to be too low. */
export interface DueTopUp {
  accountId: string
  amountNano: bigint
  /** The balance would suffice, but gateways hold part of it, which may be idle. */
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

/** The most recent automatic payment that failed. */
export interface FailedTopUp {
  amountNano: bigint
  reason: TopUpFailure
  at: Date
}

export interface AutoTopUps {
  find(accountId: string): Promise<AutoTopUpRecord | null>
  /** Switches it on with these settings, or off with null. Failures are cleared. Returns false if there is no card. */
  set(accountId: string, settings: AutoTopUpSettings | null, at: Date): Promise<boolean>
  /** The sum of automatic payments, made or in progress, in the UTC month that begins at `from`. */
  paidSince(accountId: string, from: Date): Promise<bigint>
  /** Whether an automatic payment is in progress. */
  isInProgress(accountId: string): Promise<boolean>
  lastFailure(accountId: string): Promise<FailedTopUp | null>
  /** Accounts to top up now, by multiples of `stepNano`. Returns only some of them, ordered so that no account waits forever. */
  listDue(at: Date, stepNano: bigint): Promise<DueTopUp[]>
  /** Asks gateways to return the idle money that they hold of accounts, and waits a moment for it. */
  recall(accountIds: string[]): Promise<void>
  /**
   * Records a payment if all its conditions still hold: switched on, a card, free balance below the threshold, no other one in
   * progress, below the ceiling, neither suspended nor owing. Else returns null. This caller then has to request it from Stripe.
   */
  begin(payment: NewAutoPayment): Promise<AutoPayment | null>
  /** Payments that began long ago and whose outcome is unknown. They are reserved for this caller for some minutes. */
  claimUnfinished(at: Date): Promise<AutoPayment[]>
  /** Stripe has accepted it. Its event credits it. */
  recordAccepted(paymentId: string, intentId: string): Promise<void>
  /** The payment failed. Takes effect once, however often and by whomever it is reported. */
  recordFailure(paymentId: string, reason: TopUpFailure, intentId: string | null, at: Date): Promise<void>
  /** The payment was never requested and is no longer wanted. */
  discard(paymentId: string): Promise<void>
}

/** `unknown`: it cannot be determined whether the payment was made. */
export type PayOutcome =
  | { outcome: 'taken'; intentId: string }
  | { outcome: 'failed'; intentId: string | null; reason: TopUpFailure }
  | { outcome: 'unknown' }

export interface CardPageRequest {
  accountId: string
  email: string
  /** The account's Stripe customer. A customer is made if this is null, or if Stripe no longer has it. */
  customerId: string | null
  successUrl: string
  cancelUrl: string
}

/** The part of Stripe that concerns cards. Calls reject with a ServiceError `unavailable` while Stripe cannot be used. */
export interface StripeCards {
  /** Makes a page to save a card at, and the customer that it is saved for. */
  createCardPage(request: CardPageRequest): Promise<{ url: string; customerId: string }>
  /** The card behind what an event names; null if it is not a card or not attached to a customer. */
  findCard(from: CardSource): Promise<SavedCard | null>
  /** Detaches a card. A card that no longer exists is no error. */
  detach(methodId: string): Promise<void>
  /** Deletes a customer with all personal data at Stripe. A customer that no longer exists is no error. */
  deleteCustomer(customerId: string): Promise<void>
  /** Pays with a saved card while its holder is absent. Repeating the same payment pays once. Never rejects. */
  payOffSession(payment: AutoPayment): Promise<PayOutcome>
  /** The outcome of a requested payment; null if it was never made. */
  findOffSessionPayment(payment: AutoPayment): Promise<PayOutcome | null>
}

/** Where to look up a saved card. */
export type CardSource = { intentId: string } | { setupIntentId: string } | { methodId: string }

/** What a Stripe event says about cards. */
export type CardChange =
  | { kind: 'card_saved'; accountId: string; customerId: string; from: CardSource }
  | { kind: 'card_gone'; methodId: string }
  | { kind: 'customer_gone'; customerId: string }
  | { kind: 'card_renewed'; methodId: string; face: CardDetails }

export interface SpendingAlert {
  id: string
  keyId: string | null
  /** The key's name; null for the whole account. */
  keyName: string | null
  period: 'day' | 'month'
  amountNano: bigint
  /** Spent in the current period. */
  spentNano: bigint
}

export interface SpendingAlerts {
  /** An account's rules in the order of creation, with what was spent by `at`. */
  list(accountId: string, at: Date): Promise<SpendingAlert[]>
  /** `no_key`: the account has no such key. `twice`: it already has this rule. `full`: it has the maximum number. */
  add(rule: {
    id: string
    accountId: string
    keyId: string | null
    period: 'day' | 'month'
    amountNano: bigint
    at: Date
  }): Promise<'added' | 'no_key' | 'twice' | 'full'>
  /** Returns false if the account has no such rule. */
  remove(accountId: string, alertId: string): Promise<boolean>
  /** Records the notices that are due, each rule once per period. Returns how many. */
  raise(at: Date): Promise<number>
}
