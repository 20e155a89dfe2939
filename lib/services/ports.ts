/**
 * What the console's verbs need from the world, as interfaces. A verb names the ports it uses in its
 * `ctx` type (`Ctx<'keys' | 'clock'>`), so that a test hands it those and nothing else. Money is bigint
 * nano-dollars, times are Date; every method that reads an account's things takes the account's id.
 */
import type { Locale } from '#lib/contracts/locales'
import type { Role } from '#lib/contracts/session'
import type { Closings, MailWishStore } from './account/account-ports.ts'
import type { Alerts, AlertWatch, Balances, VendorBalance } from './alerts/alert-ports.ts'
import type { Holders, NoticeBox } from './alerts/notices-ports.ts'
import type { BillingAccounts, BillingSettings, CodeHashes, Codes, Entries, Payments, Stripe } from './billing/billing-ports.ts'
import type { AutoTopUps, Cards, SpendingAlerts } from './billing/card-ports.ts'
import type { Purses, Wallet } from './billing/purse-ports.ts'
import type { Catalog } from './catalog-ports.ts'
import type { Charts, Histories, Media, Views } from './history/history-ports.ts'
import type { Requests } from './history/request-ports.ts'
import type { KeyChanges, Keys } from './keys/key-ports.ts'
import type { OperatorAccounts } from './operator/operator-account-ports.ts'
import type { OperatorPorts } from './operator/operator-ports.ts'
import type { PlaygroundKeys } from './playground/playground-ports.ts'
import type { LiveSettings, SettingStore } from './settings-ports.ts'
import type { IdentityKey, SessionUser, SignedIn, SignInPorts } from './sign-in/sign-in-ports.ts'
import type { Slots, UsageExports, UsageReports, UsageSums } from './usage/usage-ports.ts'
import type { WebhookSecrets, Webhooks } from './webhooks/webhook-ports.ts'

export type { SignedIn } from './sign-in/sign-in-ports.ts'

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
  /** Mails with a link that somebody asked for to their own address, by who gets them. */
  linkEmail: Limit
  /** Mails to an address that somebody wants for an account: whoever that is, its owner's own links are not counted with them. */
  wantedEmail: Limit
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
  /** Notes in which language somebody uses the console. */
  setLocale(userId: string, locale: Locale): Promise<void>
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
  locale: Locale
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

/** Read anew each time: operators change them while the console runs. */
export interface ConsoleSettings {
  /** `later`: during maintenance. */
  readonly signUp: 'open' | 'closed' | 'later'
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

/** A stranger: where they are, and the language of the pages that they see. */
export interface Guest {
  address: string
  locale: Locale
}

/** What a verb gets that strangers may call. */
export type GuestCtx<Names extends keyof ConsolePorts> = Guest & Pick<ConsolePorts, Names>
