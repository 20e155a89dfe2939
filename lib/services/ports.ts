/**
 * What the console's verbs need from the world, as interfaces. A verb names the ports it uses in its
 * `ctx` type (`Ctx<'keys' | 'clock'>`), so that a test hands it those and nothing else. Money is bigint
 * nano-dollars, times are Date; every method that reads an account's things takes the account's id.
 */
import type { Role } from '#lib/contracts/session'

/** Who is behind a request, as the database said within the last few seconds. */
export interface SignedIn {
  userId: string
  accountId: string
  email: string
  name: string
  role: Role
  sessionEpoch: number
}

export interface Clock {
  now(): Date
}

export interface Ids {
  /** A new id that sorts by time, such as `key_…`. */
  create(prefix: 'acc' | 'usr' | 'key'): string
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
}

export interface UserWithPassword extends SignedIn {
  passwordHash: string
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
  passwordHash: string
  role: Role
  at: Date
  /** Becomes a `grant` entry where it is above zero. */
  creditNano: bigint
}

export interface Accounts {
  /** Account, purse, user and first credit, all or nothing. */
  create(account: NewAccount): Promise<'created' | 'email_taken'>
  suspended(accountId: string): Promise<boolean>
}

export interface NewCredit {
  /** Unique; the same credit given twice counts once. */
  id: string
  accountId: string
  kind: 'grant' | 'top_up'
  amountNano: bigint
  reason: string
  actor: string
  at: Date
}

/** `repeated`: this very credit was there already. `conflict`: the id belongs to another one. */
export type CreditOutcome =
  | { outcome: 'credited' | 'repeated'; paidOwedNano: bigint }
  | { outcome: 'no_account' | 'conflict' | 'too_much' }

export interface PurseSums {
  balanceNano: bigint
  owedNano: bigint
}

export interface Purses {
  /** Pays what is owed first and adds the rest to the balance, in one transaction with its entry. */
  credit(credit: NewCredit): Promise<CreditOutcome>
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

export interface Catalog {
  /** The groups that an account's keys may be bound to, the default one first. */
  groups(accountId: string): Promise<GroupRecord[]>
  /** True while no deployment in use runs on a vendor other than the sandbox. */
  sandboxOnly(): Promise<boolean>
}

export interface KeyRecord {
  id: string
  name: string
  hint: string
  groupName: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
  limitTotalNano: bigint | null
  limitMonthNano: bigint | null
  modelAllow: string[]
  addressAllow: string[]
  rpm: number | null
  tpm: number | null
  historyEnabled: boolean
}

export interface NewKey extends Omit<KeyRecord, 'groupName' | 'lastUsedAt' | 'revokedAt'> {
  accountId: string
  groupId: string
  secretHmac: Uint8Array
}

export interface Keys {
  /** Inserts the key and tells every process, in one transaction. */
  create(key: NewKey): Promise<void>
  /** Keys in use first, each part newest first, 500 at most. */
  list(accountId: string): Promise<KeyRecord[]>
  countUnrevoked(accountId: string): Promise<number>
  /** Revokes and tells every process, in one transaction. False where the account has no such key. */
  revoke(accountId: string, keyId: string, at: Date): Promise<boolean>
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
  /** From the hour of `from` on, by day and then by model. */
  byDay(accountId: string, from: Date): Promise<DayUsage[]>
  /** Charged in the hours of each of two periods, `from` to below `to`. */
  spent(accountId: string, periods: [Period, Period]): Promise<[bigint, bigint]>
  /** Median milliseconds to the first token over the newest `rows` requests since `from`; null without any. */
  firstTokenMedian(accountId: string, from: Date, rows: number): Promise<number | null>
  /** Which first steps an account has taken. */
  steps(accountId: string): Promise<Steps>
}

export interface RequestFilter {
  before: string | null
  model: string | null
  keyId: string | null
  status: 'ok' | 'error' | null
}

export interface RequestRecord {
  id: string
  at: Date
  modelId: string
  keyId: string
  keyName: string
  endpoint: string
  stream: boolean
  status: number
  outcome: string
  errorCode: string | null
  inputUnits: bigint
  outputUnits: bigint
  tookMs: number
  chargedNano: bigint
}

export interface RequestRecordWhole extends RequestRecord {
  groupName: string
  errorText: string | null
  finishReason: string | null
  cachedUnits: bigint
  reasoningUnits: bigint
  holdNano: bigint
  shortfallNano: bigint
  estimated: boolean
  receipt: unknown
  trace: unknown
  ownMs: number
  firstTokenMs: number | null
}

export interface Requests {
  /** The newest `rows` that fit, below `before` where it is given. */
  page(accountId: string, filter: RequestFilter, rows: number): Promise<RequestRecord[]>
  find(accountId: string, requestId: string): Promise<RequestRecordWhole | null>
  /** What was said, as it was stored; null where nothing is kept. */
  history(accountId: string, requestId: string): Promise<unknown>
}

interface Held {
  nano: bigint
  requests: number
}

export interface Wallet {
  /** What requests under way in the gateway's processes of this machine hold of an account's balance. */
  held(accountId: string): Held | Promise<Held>
}

export interface ConsoleSettings {
  signUp: 'open' | 'closed'
  /** What a new account starts with. */
  signUpCreditNano: bigint
  /** The address that API clients use. */
  baseUrl(): string
}

export interface ConsolePorts {
  clock: Clock
  ids: Ids
  passwords: Passwords
  keySecrets: KeySecrets
  limits: Limits
  users: Users
  accounts: Accounts
  purses: Purses
  catalog: Catalog
  keys: Keys
  usage: UsageSums
  requests: Requests
  wallet: Wallet
  settings: ConsoleSettings
}

/** What a verb gets: who asks, and the ports it names. */
export type Ctx<Names extends keyof ConsolePorts> = { user: SignedIn } & Pick<ConsolePorts, Names>

/** What a verb gets that strangers may call: their address instead of their name. */
export type GuestCtx<Names extends keyof ConsolePorts> = { address: string } & Pick<ConsolePorts, Names>
