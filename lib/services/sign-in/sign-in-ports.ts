/** What signing in, and what settles how somebody signs in, need from the world. Times are Date. */
import type { Locale } from '#lib/contracts/locales'
import type { Role } from '#lib/contracts/session'
import type { Provider } from '#lib/contracts/sign-in'
import type { Mailer, Reader } from '../mail/mail-ports.ts'

/** Who is behind a request, as the database said within the last few seconds. */
export interface SignedIn {
  userId: string
  accountId: string
  email: string
  name: string
  role: Role
  sessionEpoch: number
  /** The language in which they last used the console; their mails are in it. */
  locale: Locale
}

/** The same, with the session that the request came in. */
export interface SessionUser extends SignedIn {
  sessionId: string
}

/** From where somebody signs in: the address as it is counted, and the browser and system in words, empty where unknown. */
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
  /** Writes a session down, and drops those of its user that are over. */
  open(session: NewSession): Promise<void>
  /** Who a session belongs to, noting that it is in use; null where it was ended or is over. */
  find(sessionId: string, at: Date): Promise<SessionUser | null>
  /** Those that are not over, the one used last first. */
  list(userId: string, at: Date): Promise<SessionRecord[]>
  /** Ends a session, and the user's playground keys with it. False where the user has no such session. */
  end(userId: string, sessionId: string, at: Date): Promise<boolean>
  /** Ends all but one, and the user's playground keys; answers how many. */
  endOthers(userId: string, keptId: string, at: Date): Promise<number>
}

/**
 * `verify` proves the address of its user, `email` changes it, `reset` sets a new password, and `second_step` stands for a
 * login by a provider that still waits for its code.
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
  /** Keeps a token. Earlier ones of the same user and kind are good no more. */
  issue(token: NewToken): Promise<void>
  /** Whose token it is, without spending it; null where it was spent or is over. */
  find(hash: Uint8Array, kind: TokenKind, at: Date): Promise<SignedIn | null>
  /** Spends a token. Of two who come at once, one is told true. */
  spend(hash: Uint8Array, kind: TokenKind, at: Date): Promise<boolean>
}

export interface TokenSecrets {
  create(): { token: string; hash: Uint8Array }
  hash(token: string): Uint8Array
}

/** An address that was proved; `before` is the one that it took the place of. */
export interface ConfirmedAddress extends Reader {
  userId: string
  before: string | null
}

export interface Credentials {
  find(userId: string): Promise<{ passwordHash: string | null; emailVerified: boolean }>
  rename(userId: string, name: string): Promise<void>
  /** Spends a `verify` or `email` token and does what it is for, or answers null and changes nothing. */
  confirmAddress(hash: Uint8Array, at: Date): Promise<ConfirmedAddress | null>
  /**
   * Spends a `reset` token, sets the password, and ends all sessions, playground keys and tokens of the user, in one transaction. Null, and
   * nothing changed, where the token is not good. `unproved`: nobody had proved the address before, so that somebody else may
   * have made the account; its keys are revoked and its webhooks removed.
   */
  resetPassword(hash: Uint8Array, passwordHash: string, at: Date): Promise<(Reader & { unproved: boolean }) | null>
  /**
   * Sets a password and ends all sessions but one, all playground keys, and all tokens that could change something, in one
   * transaction.
   */
  setPassword(userId: string, passwordHash: string, keptSessionId: string, at: Date): Promise<void>
}

export interface SecondStep {
  /** In base 32. */
  secret: string
  startedAt: Date
  /** Null while no code was given yet: then nobody is asked for one. */
  confirmedAt: Date | null
  recoveryLeft: number
}

export interface SecondSteps {
  find(userId: string): Promise<SecondStep | null>
  /** Keeps a secret that waits for its first code. False where one is in use. */
  start(userId: string, secret: string, at: Date): Promise<boolean>
  /** Takes the secret that was started then into use, with its recovery codes. False where it was replaced or is in use. */
  confirm(userId: string, startedAt: Date, step: number, codeHmacs: Uint8Array[], at: Date): Promise<boolean>
  /** Notes that the code of a half minute was used. False where it, or one after it, was used before. */
  spend(userId: string, step: number): Promise<boolean>
  spendRecovery(userId: string, codeHmac: Uint8Array): Promise<boolean>
  replaceRecovery(userId: string, codeHmacs: Uint8Array[]): Promise<void>
  remove(userId: string): Promise<boolean>
}

export interface RecoverySecrets {
  /** New codes of a user, with the forms that are kept. */
  create(userId: string): { codes: string[]; hmacs: Uint8Array[] }
  /** The form in which a code is looked up. */
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
  find(key: IdentityKey): Promise<SignedIn | null>
  /** False where it belongs to somebody already. */
  link(key: IdentityKey, userId: string, at: Date): Promise<boolean>
  list(userId: string): Promise<IdentityRecord[]>
  /** False where there is none of this provider, or where its user could not sign in without it. */
  remove(userId: string, provider: Provider): Promise<boolean>
}

export interface Background {
  /** Does something after the answer, so that nobody can tell from its time what was done. A failure goes to the log. */
  later(what: string, task: () => Promise<void>): void
  /** Resolves when all of it is done. */
  idle(): Promise<void>
}

export interface SignInSettings {
  /** The address of a page, as browsers reach it; a token goes behind `#`, which no server and no other page is told. */
  page(path: string, token?: string): string
  /** Whether mail can be sent, or only be written to the log. */
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
