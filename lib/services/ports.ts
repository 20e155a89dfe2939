/**
 * The interfaces that the console's verbs need. A verb names the ports that it uses in its `ctx` type (`Ctx<'keys' | 'clock'>`),
 * so that a test passes only those. Money is bigint nano-dollars, times are Date. Every method that reads an account's data takes
 * the account's id.
 */
import type { Locale } from '#lib/contracts/locales'
import type { Role } from '#lib/contracts/session'
import type { Closings, EmailPreferenceStore } from './account/account-ports.ts'
import type { Alerts, AlertWatch, Balances, VendorBalance } from './alerts/alert-ports.ts'
import type { Holders, NoticeOutbox } from './alerts/notices-ports.ts'
import type { BillingAccounts, BillingSettings, CodeHashes, Codes, Entries, Payments, Stripe } from './billing/billing-ports.ts'
import type { AutoTopUps, Cards, SpendingAlerts } from './billing/card-ports.ts'
import type { Purses, Wallet } from './billing/purse-ports.ts'
import type { Catalog } from './catalog-ports.ts'
import type { Charts, Histories, Media, Views } from './history/history-ports.ts'
import type { Requests } from './history/request-ports.ts'
import type { RunningTasks } from './history/task-ports.ts'
import type { KeyChanges, Keys } from './keys/key-ports.ts'
import type { OperatorAccounts } from './operator/operator-account-ports.ts'
import type { OperatorPorts } from './operator/operator-ports.ts'
import type { PlaygroundKeys } from './playground/playground-ports.ts'
import type { LiveSettings, SettingStore } from './settings-ports.ts'
import type { IdentityKey, SessionUser, SignedInUser, SignInPorts } from './sign-in/sign-in-ports.ts'
import type { Slots, UsageExports, UsageReports, UsageSums } from './usage/usage-ports.ts'
import type { WebhookSecrets, Webhooks } from './webhooks/webhook-ports.ts'

export type { SignedInUser } from './sign-in/sign-in-ports.ts'

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
  /** Throws a ServiceError `rate_limit_exceeded` if too many hashes are queued. */
  hash(password: string): Promise<string>
  verify(password: string, stored: string): Promise<boolean>
  /** A stored form that costs as much to verify as a real one and matches no password. */
  readonly decoy: string
}

export interface KeySecrets {
  create(): { secret: string; hmac: Uint8Array; hint: string }
}

export interface Limit {
  /** Counts one attempt. Returns null if it may proceed, else the milliseconds to wait. */
  take(key: string): Promise<number | null>
  /** Forgets the attempts of a key. */
  reset(key: string): Promise<void>
}

export interface Limits {
  signInAddress: Limit
  signInEmail: Limit
  signUpAddress: Limit
  /** Codes of two-step verification. */
  secondStepUser: Limit
  /** Passwords that a signed-in user is asked for. */
  passwordUser: Limit
  /** Links requested from a client address, and links tried from it. */
  linkAddress: Limit
  /** Mails with a link that users request for their own address, by recipient. */
  linkEmail: Limit
  /**
   * Mails to an address that somebody wants to use for an account. Links that the address's owner requests are not counted here.
   */
  wantedEmail: Limit
  topUpAccount: Limit
  redeemAccount: Limit
  playgroundAccount: Limit
  webhookAccount: Limit
  closeAccount: Limit
  exportAccount: Limit
}

export interface UserWithPassword extends SignedInUser {
  /** Null for users who sign in through a provider only. */
  passwordHash: string | null
  emailVerified: boolean
}

export interface Users {
  byEmail(email: string): Promise<UserWithPassword | null>
  byId(userId: string): Promise<SignedInUser | null>
  /** Stores the language in which a user reads the console. */
  setLocale(userId: string, locale: Locale): Promise<void>
}

export interface NewAccount {
  accountId: string
  userId: string
  name: string
  email: string
  /** Null for users who sign in through a provider only. */
  passwordHash: string | null
  role: Role
  at: Date
  /** Whether the user has proved that the address is theirs. */
  emailVerified: boolean
  locale: Locale
  /** The identity at the provider that the user signed up through. */
  identity?: IdentityKey
  /** Becomes a `grant` entry if it is above zero. */
  creditNano: bigint
  /** The credit is given only once per mark. Without a mark it is always given. */
  creditMark?: Uint8Array
  historyDays: number
}

/** Marks that an address has had its credit, without storing the address. */
export interface CreditMarks {
  of(email: string): Uint8Array
}

export interface Accounts {
  /** Creates the account, purse, user and first credit, all or nothing. */
  create(account: NewAccount): Promise<'created' | 'email_taken' | 'identity_taken'>
  suspended(accountId: string): Promise<boolean>
  /** Why an account is suspended: `debt`, or what an operator wrote. Null if it is not suspended. */
  suspension(accountId: string): Promise<{ reason: string | null } | null>
}

/** Read on each use, because operators change them while the console runs. */
export interface ConsoleSettings {
  /** `later`: during maintenance. */
  readonly signUp: 'open' | 'closed' | 'later'
  /** The credit of a new account. */
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
  runningTasks: RunningTasks
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
  noticeOutbox: NoticeOutbox
  holders: Holders
  usageReports: UsageReports
  usageExports: UsageExports
  exportSlots: Slots
  searchSlots: Slots
  webhooks: Webhooks
  webhookSecrets: WebhookSecrets
  emailPreferences: EmailPreferenceStore
  closings: Closings
  operatorAccounts: OperatorAccounts
}

/** The context of a verb: the caller, and the ports that the verb names. */
export type Ctx<Names extends keyof ConsolePorts> = { user: SignedInUser } & Pick<ConsolePorts, Names>

/** The context of a verb that concerns the session it is called in. */
export type SessionCtx<Names extends keyof ConsolePorts> = { user: SessionUser } & Pick<ConsolePorts, Names>

/** A visitor who is not signed in: their client address, and the language of the pages that they see. */
export interface Guest {
  address: string
  locale: Locale
}

/** The context of a verb that visitors may call without signing in. */
export type GuestCtx<Names extends keyof ConsolePorts> = Guest & Pick<ConsolePorts, Names>
