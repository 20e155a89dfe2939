/**
 * What the console's verbs need from the world, as interfaces. A verb names the ports it uses in its
 * `ctx` type (`Ctx<'keys' | 'clock'>`), so that a test hands it those and nothing else. Money is bigint
 * nano-dollars, times are Date; every method that reads an account's things takes the account's id.
 */
import type { Role } from '#lib/contracts/session'
import type { Soon } from '../domain/soon.ts'
import type { Closings, MailWishStore } from './account-ports.ts'
import type { Alerts, AlertWatch, Balances, VendorBalance } from './alert-ports.ts'
import type { BillingAccounts, BillingSettings, CodeHashes, Codes, Entries, Payments, Stripe } from './billing-ports.ts'
import type { AutoTopUps, Cards, SpendingAlerts } from './card-ports.ts'
import type { Charts, Histories, Media, Views } from './history-ports.ts'
import type { KeyChanges, Keys } from './key-ports.ts'
import type { Holders, NoticeBox } from './notices-ports.ts'
import type { OperatorAccounts } from './operator-account-ports.ts'
import type { Actor, OperatorPorts } from './operator-ports.ts'
import type { PlaygroundKeys } from './playground-ports.ts'
import type { Requests } from './request-ports.ts'
import type { LiveSettings, SettingStore } from './settings-ports.ts'
import type { IdentityKey, SessionUser, SignedIn, SignInPorts } from './sign-in-ports.ts'
import type { Slots, UsageExports, UsageReports } from './usage-ports.ts'
import type { WebhookSecrets, Webhooks } from './webhook-ports.ts'

export type { SignedIn } from './sign-in-ports.ts'

export interface Clock {
  now(): Date
}

export interface Ids {
  /** A new id that sorts by time, such as `key_…`. */
  create(
    prefix: 'acc' | 'usr' | 'key' | 'pay' | 'ses' | 'view' | 'alr' | 'hook' | 'con' | 'prc' | 'dep' | 'grp' | 'code' | 'aud',
  ): string
}

export interface Passwords {
  /** Throws a ServiceError `rate_limit_exceeded` when too many are waiting to be worked out. */
  hash(password: string): Promise<string>
  verify(password: string, stored: string): Promise<boolean>
  /** A stored form that costs as much to verify as a real one and that no password matches. */
  readonly decoy: string
}

export interface KeySecrets {
  create(): { secret: string; hmac: Uint8Array; hint: string }
}

export interface Limit {
  /** Counts one try. Null where it may go on, else the milliseconds to wait. */
  take(key: string): Promise<number | null>
  /** Forgets the tries of a key. */
  forget(key: string): Promise<void>
}

export interface Limits {
  signInAddress: Limit
  signInEmail: Limit
  signUpAddress: Limit
  /** Codes of the second step. */
  secondStepUser: Limit
  /** Passwords that somebody who is signed in is asked for. */
  passwordUser: Limit
  /** Links that an address asks for, and those that it tries. */
  linkAddress: Limit
  /** Mails with a link, by who gets them. */
  linkEmail: Limit
  topUpAccount: Limit
  redeemAccount: Limit
  playgroundAccount: Limit
  webhookAccount: Limit
  closeAccount: Limit
  exportAccount: Limit
}

export interface UserWithPassword extends SignedIn {
  /** Null for who signs in through a provider only. */
  passwordHash: string | null
  emailVerified: boolean
}

export interface Users {
  byEmail(email: string): Promise<UserWithPassword | null>
  byId(userId: string): Promise<SignedIn | null>
}

export interface NewAccount {
  accountId: string
  userId: string
  name: string
  email: string
  /** Null for who signs in through a provider only. */
  passwordHash: string | null
  role: Role
  at: Date
  /** Whether somebody has proved that the address is theirs. */
  emailVerified: boolean
  /** Who it is to the provider that they signed up through. */
  identity?: IdentityKey
  /** Becomes a `grant` entry where it is above zero. */
  creditNano: bigint
  /** The credit is given once to who has this mark, and to nobody who had it before; always where there is none. */
  creditMark?: Uint8Array
  historyDays: number
}

/** How it is remembered, without the address, that an address had its credit. */
export interface CreditMarks {
  of(email: string): Uint8Array
}

export interface Accounts {
  /** Account, purse, user and first credit, all or nothing. */
  create(account: NewAccount): Promise<'created' | 'email_taken' | 'identity_taken'>
  suspended(accountId: string): Promise<boolean>
  /** Why an account is suspended: `debt`, or what an operator wrote; null where it is not. */
  suspension(accountId: string): Promise<{ reason: string | null } | null>
}

export interface NewCredit {
  /** Unique; the same credit given twice counts once. */
  id: string
  accountId: string
  kind: 'grant' | 'top_up' | 'code'
  amountNano: bigint
  reason: string
  actor: string
  at: Date
}

/** `repeated`: this very credit was there already. `conflict`: the id belongs to another one. */
export type CreditOutcome =
  | { outcome: 'credited' | 'repeated'; paidOwedNano: bigint }
  | { outcome: 'no_account' | 'conflict' | 'too_much' | 'closed' }

/** `not_free`: that much is not there, or requests under way hold it. */
export type DeductOutcome = { outcome: 'deducted' | 'no_account' } | { outcome: 'not_free'; freeNano: bigint } | CreditOutcome

export interface PurseSums {
  balanceNano: bigint
  owedNano: bigint
}

export interface Purses {
  /**
   * Pays what is owed first and adds the rest to the balance, in one transaction with its entry. Where that pays all of
   * it, the suspension that the debt was the reason of ends. With an actor it is written in the log too, and a closed
   * account is given nothing.
   */
  credit(credit: NewCredit, by?: Actor): Promise<CreditOutcome>
  /**
   * Takes away what is free, all of the amount or nothing, in one transaction with its entry and its line in the log. What
   * gateways hold without using it is asked back first.
   */
  deduct(deduction: Omit<NewCredit, 'kind'>, by: Actor): Promise<DeductOutcome>
  sums(accountId: string): Promise<PurseSums>
}

export interface GroupRecord {
  id: string
  name: string
  description: string
  multiplierBp: number
  isDefault: boolean
  /** Ids of the models in it that are switched on, in order. */
  models: string[]
}

/** What a catalog entry says of a model of other media, as far as people who choose one want to know it. */
export interface CatalogFacts {
  sizes?: readonly string[]
  qualities?: readonly string[]
  voices?: readonly string[]
  formats?: readonly string[]
  durations?: readonly number[]
  dimensions?: number
  images?: number
}

export interface ModelRecord {
  id: string
  ownedBy: string
  modality: string
  contextWindow: number
  maxOutput: number
  capabilities: string[]
  facts: CatalogFacts
  createdAt: Date
  priceFrom: Date
  /** Whole nano-dollars per million units, by unit, as decimal strings. */
  rates: Record<string, string>
}

export interface Catalog {
  /** The groups that an account's keys may be bound to, the default one first; null is somebody without an account. */
  groups(accountId: string | null): Promise<GroupRecord[]>
  /** The models that are switched on and have a price at a time, in the order of their ids. */
  models(at: Date): Promise<ModelRecord[]>
  /** True while no deployment in use runs on a vendor other than the sandbox. */
  sandboxOnly(): Promise<boolean>
}

export interface KeyUsage {
  requests: bigint
  spentNano: bigint
  spentMonthNano: bigint
}

/** What one model was used for on one UTC day. Times are sums of milliseconds, to be divided by their counts. */
export interface DayUsage {
  day: string
  model: string
  requests: bigint
  errors: bigint
  tokens: bigint
  chargedNano: bigint
  firstTokenMs: number
  firstTokens: bigint
  ownMs: number
}

export interface Period {
  from: Date
  to: Date
}

export interface Steps {
  credited: boolean
  key: boolean
  call: boolean
  limit: boolean
}

export interface UsageSums {
  /** By key id, since the beginning and since `monthStart`. */
  byKey(accountId: string, monthStart: Date): Promise<Map<string, KeyUsage>>
  /** The same of one key; undefined where it was never used. */
  ofKey(accountId: string, keyId: string, monthStart: Date): Promise<KeyUsage | undefined>
  /** From the hour of `from` on, by day and then by model. */
  byDay(accountId: string, from: Date): Promise<DayUsage[]>
  /** Charged in the hours of each of two periods, `from` to below `to`. */
  spent(accountId: string, periods: [Period, Period]): Promise<[bigint, bigint]>
  /** Median milliseconds to the first token over the newest `rows` requests since `from`; null without any. */
  firstTokenMedian(accountId: string, from: Date, rows: number): Promise<number | null>
  /** Which first steps an account has taken. */
  steps(accountId: string): Promise<Steps>
}

interface Held {
  nano: bigint
  requests: number
}

export interface Wallet {
  /** What requests under way in the gateway's processes of this machine hold of an account's balance. */
  held(accountId: string): Soon<Held>
}

/** Read anew each time: operators change them while the console runs. */
export interface ConsoleSettings {
  readonly signUp: 'open' | 'closed'
  /** What a new account starts with. */
  readonly signUpCreditNano: bigint
  /** For how many days the history of a new account is kept. */
  readonly historyDays: number
  /** The address that API clients use. */
  baseUrl(): string
}

export interface ConsolePorts extends SignInPorts, OperatorPorts {
  clock: Clock
  ids: Ids
  passwords: Passwords
  keySecrets: KeySecrets
  limits: Limits
  users: Users
  accounts: Accounts
  creditMarks: CreditMarks
  purses: Purses
  catalog: Catalog
  keys: Keys
  keyChanges: KeyChanges
  playgroundKeys: PlaygroundKeys
  usage: UsageSums
  requests: Requests
  wallet: Wallet
  settings: ConsoleSettings
  liveSettings: LiveSettings
  alerts: Alerts
  alertWatch: AlertWatch
  balances: Balances
  vendorBalance: VendorBalance
  settingStore: SettingStore
  billing: BillingSettings
  payments: Payments
  stripe: Stripe
  entries: Entries
  billingAccounts: BillingAccounts
  codes: Codes
  codeHashes: CodeHashes
  charts: Charts
  views: Views
  histories: Histories
  media: Media
  cards: Cards
  autoTopUps: AutoTopUps
  spendingAlerts: SpendingAlerts
  noticeBox: NoticeBox
  holders: Holders
  usageReports: UsageReports
  usageExports: UsageExports
  exportSlots: Slots
  searchSlots: Slots
  webhooks: Webhooks
  webhookSecrets: WebhookSecrets
  mailWishes: MailWishStore
  closings: Closings
  operatorAccounts: OperatorAccounts
}

/** What a verb gets: who asks, and the ports it names. */
export type Ctx<Names extends keyof ConsolePorts> = { user: SignedIn } & Pick<ConsolePorts, Names>

/** What a verb gets that is about the very session it is called in. */
export type SessionCtx<Names extends keyof ConsolePorts> = { user: SessionUser } & Pick<ConsolePorts, Names>

/** What a verb gets that strangers may call: their address instead of their name. */
export type GuestCtx<Names extends keyof ConsolePorts> = { address: string } & Pick<ConsolePorts, Names>
