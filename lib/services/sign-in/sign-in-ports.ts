/** The interfaces that signing in and its settings need. Times are Date. */
import type { Locale } from '#lib/contracts/locales'
import type { Role } from '#lib/contracts/session'
import type { Provider } from '#lib/contracts/sign-in'
import type { Mailer, Recipient } from '../mail/mail-ports.ts'

/** The user behind a request, as read from the database within the last few seconds. */
export interface SignedInUser {
  userId: string
  accountId: string
  email: string
  name: string
  role: Role
  sessionEpoch: number
  /** The language in which they last used the console. Their mails are in it. */
  locale: Locale
}

/** The same, with the session of the request. */
export interface SessionUser extends SignedInUser {
  sessionId: string
}

/** Where a user signs in: the client address in its counted form, and the browser and system in words, empty if unknown. */
export interface Visitor {
  address: string
  browser: string
  system: string
}

export interface SessionRecord extends Visitor {
  id: string
  createdAt: Date
  /** To the minute. */
  lastSeenAt: Date
}

export interface NewSession extends Visitor {
  id: string
  userId: string
  at: Date
  expiresAt: Date
}

export interface UserSessions {
  /** Records a session and deletes expired ones of its user. */
  open(session: NewSession): Promise<void>
  /** The user of a session, noting that it is in use. Null if it was ended or has expired. */
  find(sessionId: string, at: Date): Promise<SessionUser | null>
  /** Active sessions, most recently used first. */
  list(userId: string, at: Date): Promise<SessionRecord[]>
  /** Ends a session and the user's playground keys. Returns false if the user has no such session. */
  end(userId: string, sessionId: string, at: Date): Promise<boolean>
  /** Ends all sessions but one, and the user's playground keys. Returns how many. */
  endOthers(userId: string, exceptSessionId: string, at: Date): Promise<number>
}

/**
 * The purpose of a token. `verify` confirms its user's address, `email` changes it, `reset` sets a new password, and
 * `second_step` stands for a provider sign-in that still waits for its code.
 */
export type TokenKind = 'verify' | 'email' | 'reset' | 'second_step'

export interface NewToken {
  hash: Uint8Array
  kind: TokenKind
  userId: string
  /** The address that the token was sent to. */
  email: string
  at: Date
  expiresAt: Date
}

export interface OneTimeTokens {
  /** Stores a token. Earlier ones of the same user and kind become invalid. */
  issue(token: NewToken): Promise<void>
  /** The user of a token, without spending it. Null if it was spent or has expired. */
  find(hash: Uint8Array, kind: TokenKind, at: Date): Promise<SignedInUser | null>
  /** The token of a user and kind that has neither been spent nor expired: where it was sent. Null if there is none. */
  pending(userId: string, kind: TokenKind, at: Date): Promise<{ email: string; expiresAt: Date } | null>
  /** Makes the tokens of a user and kind invalid. */
  cancel(userId: string, kind: TokenKind): Promise<void>
  /** Spends a token. Of two concurrent calls, only one returns true. */
  spend(hash: Uint8Array, kind: TokenKind, at: Date): Promise<boolean>
}

export interface TokenSecrets {
  create(): { token: string; hash: Uint8Array }
  hash(token: string): Uint8Array
}

/** A confirmed address. `before` is the address that it replaced. */
export interface ConfirmedEmail extends Recipient {
  userId: string
  before: string | null
}

export interface Credentials {
  find(userId: string): Promise<{ passwordHash: string | null; emailVerified: boolean }>
  rename(userId: string, name: string): Promise<void>
  /** Spends a `verify` or `email` token and does what it is for. Otherwise returns null and changes nothing. */
  confirmEmail(hash: Uint8Array, at: Date): Promise<ConfirmedEmail | null>
  /**
   * Spends a `reset` token, sets the password, and ends all sessions, playground keys and tokens of the user, in one transaction.
   * Returns null and changes nothing if the token is invalid. `unproved`: nobody had confirmed the address before, so somebody
   * else may have made the account; its keys are revoked and its webhooks removed.
   */
  resetPassword(hash: Uint8Array, passwordHash: string, at: Date): Promise<(Recipient & { unproved: boolean }) | null>
  /**
   * Sets a password and ends all sessions but one, all playground keys, and all tokens that could change something, in one
   * transaction.
   */
  setPassword(userId: string, passwordHash: string, exceptSessionId: string, at: Date): Promise<void>
}

export interface SecondStep {
  /** In base32. */
  secret: string
  startedAt: Date
  /** Null until the first code was given. Until then no code is required. */
  confirmedAt: Date | null
  recoveryLeft: number
}

export interface SecondSteps {
  find(userId: string): Promise<SecondStep | null>
  /** Stores a secret that waits for its first code. Returns false if one is in use. */
  start(userId: string, secret: string, at: Date): Promise<boolean>
  /**
   * Activates the secret that was started at `startedAt`, with its recovery codes. Returns false if it was replaced or one is in
   * use.
   */
  confirm(userId: string, startedAt: Date, step: number, codeHmacs: Uint8Array[], at: Date): Promise<boolean>
  /** Records that the code of a 30-second step was used. Returns false if it, or a later one, was already used. */
  spend(userId: string, step: number): Promise<boolean>
  spendRecovery(userId: string, codeHmac: Uint8Array): Promise<boolean>
  replaceRecovery(userId: string, codeHmacs: Uint8Array[]): Promise<void>
  /** Turns it off and deletes the recovery codes. Returns false if it is not on. */
  remove(userId: string): Promise<boolean>
}

export interface RecoverySecrets {
  /** Makes new codes of a user, with the hashes that are stored. */
  create(userId: string): { codes: string[]; hmacs: Uint8Array[] }
  /** The hash by which a code is looked up. */
  hash(userId: string, code: string): Uint8Array
}

export interface IdentityKey {
  provider: Provider
  providerAccountId: string
}

export interface IdentityRecord {
  provider: Provider
  createdAt: Date
}

export interface Identities {
  find(key: IdentityKey): Promise<SignedInUser | null>
  /** Returns false if it already belongs to a user. */
  link(key: IdentityKey, userId: string, at: Date): Promise<boolean>
  list(userId: string): Promise<IdentityRecord[]>
  /** Returns false if there is none of this provider, or if its user could not sign in without it. */
  remove(userId: string, provider: Provider): Promise<boolean>
}

export interface Background {
  /** Runs a task after the answer is sent, so that response times do not reveal what was done. A failure is logged. */
  defer(label: string, task: () => Promise<void>): void
  /** Resolves when all tasks are done. */
  idle(): Promise<void>
}

export interface SignInSettings {
  /** The address of a page, as browsers reach it. The token follows `#`, so it is not sent to any server or other page. */
  pageUrl(path: string, token?: string): string
  /** Whether mail can be sent. If not, it is only written to the log. */
  mail: boolean
  providers: readonly Provider[]
}

export interface SignInPorts {
  userSessions: UserSessions
  oneTimeTokens: OneTimeTokens
  tokenSecrets: TokenSecrets
  userCredentials: Credentials
  secondSteps: SecondSteps
  recoverySecrets: RecoverySecrets
  identities: Identities
  mailer: Mailer
  background: Background
  signInSettings: SignInSettings
}
