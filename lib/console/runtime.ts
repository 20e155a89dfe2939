import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { formatKey, KEY_RANDOM_BYTES, keyHint } from '../domain/api-key.ts'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import { parseDecimal } from '../domain/money.ts'
import { CODE_RANDOM_BYTES, formatCode, normalizeCode } from '../domain/redemption-code.ts'
import type { Env } from '../env.ts'
import type { VendorBalance } from '../services/alerts/alert-ports.ts'
import type { BillingSettings, EventRejection, Stripe } from '../services/billing/billing-ports.ts'
import { createCodeHashes } from '../services/billing/code-hash.ts'
import { creditMark } from '../services/billing/credit-mark.ts'
import type { Wallet } from '../services/billing/purse-ports.ts'
import type { Media } from '../services/history/history-ports.ts'
import { hmacKey } from '../services/keys/key-hash.ts'
import type { Mailer } from '../services/mail/mail-ports.ts'
import type { PriceRegistry, VendorProbe } from '../services/operator/operator-ports.ts'
import type { Clock, ConsolePorts, ConsoleSettings, Ids, KeySecrets, Limits, Passwords } from '../services/ports.ts'
import type { LiveSettings } from '../services/settings-ports.ts'
import { createPasswords } from '../services/sign-in/password.ts'
import type { RecoverySecrets, SignInSettings, TokenSecrets } from '../services/sign-in/sign-in-ports.ts'
import { SECRET_PREFIX } from '../services/webhooks/webhook-signature.ts'
import { createAlerts } from '../store/alert-rules.ts'
import { createAlertWatch } from '../store/alert-watch.ts'
import { createBalances } from '../store/balances.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createWebhooks } from '../store/console/webhooks.ts'
import type { Prisma } from '../store/prisma.ts'
import type { Keyring } from '../store/seal.ts'
import { createSignInStore } from '../store/sign-in/sign-in-store.ts'
import { createBackground } from './background.ts'
import { type CallerQueue, createCallerQueue } from './caller-queue.ts'
import { createEventRejections } from './event-rejections.ts'
import type { ConsoleLog } from './problem.ts'
import { type ProviderEnv, providersOf } from './providers.ts'
import { createMemoryLimits } from './rate-limits.ts'
import { createSessions, type Sessions } from './session.ts'
import { createSlots } from './slots.ts'

export interface ConsoleParts {
  env: Pick<Env, 'CURRENCY' | 'SMTP_URL'> & ProviderEnv
  liveSettings: LiveSettings
  stripe: Stripe
  pool: Pool
  prisma: Prisma
  wallet: Wallet
  mailer: Mailer
  media: Media
  secrets: {
    /** The secret with which keys are hashed. The gateway must use the same one. */
    pepper: Uint8Array
    /** Seals vendor credentials and the secrets of authenticator apps and webhooks. */
    credentials: Keyring
    nextAuthSecret: string
  }
  vendorProbe: VendorProbe
  vendorBalance: VendorBalance
  priceRegistry: PriceRegistry
  /** Where the gateway is reached, for example `http://localhost:3000`. Called each time, because a port can be chosen late. */
  publicUrl: () => string
  log: ConsoleLog
  /** Counts a delivery that is not accepted as Stripe's. */
  countEventRejection(reason: EventRejection): void
  /** Replacements for tests, or for limits that several machines share. */
  clock?: Clock
  passwords?: Passwords
  limits?: Limits
}

/** What the console's routes need: the ports of all verbs, and what runs before a verb. */
export interface Console {
  ports: ConsolePorts
  sessions: Sessions
  /** The queues: per account, and per address for `guests`. Slow reads have their own, so that quick ones do not wait. */
  queues: { reads: CallerQueue; slowReads: CallerQueue; changes: CallerQueue; guests: CallerQueue }
  providers: ReturnType<typeof providersOf>
  nextAuthSecret: string
  publicUrl: () => string
  log: ConsoleLog
  eventRejections: ReturnType<typeof createEventRejections>
  /** Rejects while the database does not respond. */
  ping(): Promise<void>
}

/** Concurrent exports of one account. Each runs one statement after another, so a few do not slow down others. */
const MAX_EXPORTS = 2
/** Concurrent searches of one account's history: each decompresses texts in the process that serves everybody. */
const MAX_SEARCHES = 4
/**
 * Concurrent requests of one account: quick reads, reads that go through much data, and changes, which wait for each other in
 * the database. Then those of visitors at one address, and how many requests may wait in each of these queues.
 */
const MAX_READS = 8
const MAX_SLOW_READS = 3
const MAX_CHANGES = 4
const MAX_GUEST_REQUESTS = 8
const MAX_WAITING = 300
const WEBHOOK_SECRET_BYTES = 32

const createIds = (clock: Clock): Ids => ({
  create: (prefix) => newId(prefix, clock.now().getTime(), randomBytes(ID_RANDOM_BYTES)),
})

const createKeySecrets = (pepper: Uint8Array): KeySecrets => ({
  create() {
    const secret = formatKey(randomBytes(KEY_RANDOM_BYTES))
    return { secret, hmac: hmacKey(pepper, secret), hint: keyHint(secret) }
  },
})

const TOKEN_BYTES = 32

// A token is random enough that a plain hash hides it from anyone who reads the table.
const createTokenSecrets = (): TokenSecrets => {
  const hash = (token: string) => createHash('sha256').update(token).digest()
  return {
    create() {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      return { token, hash: hash(token) }
    },
    hash,
  }
}

const RECOVERY_CODES = 10

const createRecoverySecrets = (pepper: Uint8Array): RecoverySecrets => {
  const hash = (userId: string, code: string) => hmacKey(pepper, `recovery code ${userId} ${code}`)
  return {
    create(userId) {
      const codes = Array.from({ length: RECOVERY_CODES }, () => formatCode(randomBytes(CODE_RANDOM_BYTES)))
      return { codes, hmacs: codes.map((code) => hash(userId, normalizeCode(code) ?? code)) }
    },
    hash,
  }
}

function signInSettings({ env, publicUrl }: ConsoleParts): SignInSettings {
  return {
    pageUrl: (path, token) => `${publicUrl()}${path}${token === undefined ? '' : `#token=${token}`}`,
    mail: env.SMTP_URL !== undefined,
    providers: providersOf(env).map(({ id }) => id),
  }
}

function billingSettings({ env, liveSettings: { values }, publicUrl }: ConsoleParts): BillingSettings {
  return {
    currency: env.CURRENCY,
    get topUpMinNano() {
      return parseDecimal(values.topUpMin) ?? 0n
    },
    get topUpMaxNano() {
      return parseDecimal(values.topUpMax) ?? 0n
    },
    billingUrl: () => `${publicUrl()}/billing`,
    webhookUrl: () => `${publicUrl()}/api/stripe/webhook`,
    alertsUrl: () => `${publicUrl()}/operator/alerts`,
    mail: env.SMTP_URL !== undefined,
  }
}

function consoleSettings({ liveSettings: { values }, publicUrl }: ConsoleParts): ConsoleSettings {
  return {
    // New visitors cannot sign up until the maintenance is over.
    get signUp() {
      return values.maintenance ? 'later' : values.signUp
    },
    get signUpCreditNano() {
      return parseDecimal(values.signUpCredit) ?? 0n
    },
    get historyDays() {
      return values.historyDays
    },
    baseUrl: () => `${publicUrl()}/v1`,
  }
}

/** Builds the console part of the process. */
export function buildConsole(parts: ConsoleParts): Console {
  const { pool, prisma, wallet, secrets, publicUrl, log } = parts
  const clock = parts.clock ?? { now: () => new Date() }
  const { ping, ...stores } = createConsoleStore({
    pool,
    prisma,
    onDamagedHistory: (requestId, error) =>
      log.warn({ requestId, error: error instanceof Error ? error.message : String(error) }, 'a history cannot be read'),
  })
  const signIns = createSignInStore({ pool, prisma, sealing: secrets.credentials })
  const webhooks = createWebhooks(pool, prisma, secrets.credentials)
  return {
    ports: {
      ...stores,
      ...signIns,
      tokenSecrets: createTokenSecrets(),
      recoverySecrets: createRecoverySecrets(secrets.pepper),
      mailer: parts.mailer,
      background: createBackground(log),
      signInSettings: signInSettings(parts),
      clock,
      wallet,
      media: parts.media,
      ids: createIds(clock),
      passwords: parts.passwords ?? createPasswords(),
      keySecrets: createKeySecrets(secrets.pepper),
      limits: parts.limits ?? createMemoryLimits(),
      billing: billingSettings(parts),
      stripe: parts.stripe,
      sealing: secrets.credentials,
      vendorProbe: parts.vendorProbe,
      vendorBalance: parts.vendorBalance,
      priceRegistry: parts.priceRegistry,
      alerts: createAlerts(pool, secrets.credentials, webhooks),
      alertWatch: createAlertWatch(pool),
      balances: createBalances(pool),
      exportSlots: createSlots(MAX_EXPORTS),
      searchSlots: createSlots(MAX_SEARCHES),
      creditMarks: { of: (email) => creditMark(secrets.pepper, email) },
      codeHashes: createCodeHashes(secrets.pepper, randomBytes),
      webhooks,
      webhookSecrets: { create: () => `${SECRET_PREFIX}${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}` },
      settings: consoleSettings(parts),
      liveSettings: parts.liveSettings,
    },
    sessions: createSessions({ userSessions: signIns.userSessions, clock, secret: secrets.nextAuthSecret, publicUrl }),
    queues: {
      reads: createCallerQueue(MAX_READS, MAX_WAITING),
      slowReads: createCallerQueue(MAX_SLOW_READS, MAX_WAITING),
      changes: createCallerQueue(MAX_CHANGES, MAX_WAITING),
      guests: createCallerQueue(MAX_GUEST_REQUESTS, MAX_WAITING),
    },
    providers: providersOf(parts.env),
    nextAuthSecret: secrets.nextAuthSecret,
    publicUrl,
    log,
    eventRejections: createEventRejections({ clock, log, count: parts.countEventRejection }),
    ping,
  }
}
