/** A console on a database of its own, with a clock that stands still, for the tests beside this file. */
import { encode } from 'next-auth/jwt'
import type pg from 'pg'
import { createConsoleRoutes, type RouteHandler } from '#lib/console/route'
import { buildConsole, type Console, type ConsoleParts } from '#lib/console/runtime'
import { SESSION_MAX_AGE_S, sessionCookieName } from '#lib/console/session'
import type { Locale } from '#lib/contracts/locales'
import type { SettingValues } from '#lib/contracts/settings'
import { ID_RANDOM_BYTES, newId } from '#lib/domain/ids'
import type { Settlement } from '#lib/domain/settlement'
import { defaultSettings, readEnv } from '#lib/env'
import { createPriceRegistry } from '#lib/host/price-registry'
import { createStripe } from '#lib/host/stripe'
import { createVendorBalance, createVendorProbe } from '#lib/host/vendor-probe'
import { settlementRow } from '#lib/ledger/settlement-row'
import { createLiveSettings } from '#lib/services/live-settings'
import type { EmailMessage } from '#lib/services/mail/mail-ports'
import type { ConsolePorts, Guest, SignedInUser } from '#lib/services/ports'
import { openSession } from '#lib/services/sign-in/open-session'
import { createPasswords } from '#lib/services/sign-in/password'
import type { SessionUser } from '#lib/services/sign-in/sign-in-ports'
import { signUp } from '#lib/services/sign-in/sign-up'
import { encodeSettlements, postSettlements } from '#lib/store/ledger/settle'
import { createPrisma } from '#lib/store/prisma'
import { createKeyring } from '#lib/store/seal'
import { createSettingStore } from '#lib/store/settings-store'
import { createDatabase } from '../support/database.ts'

export const ORIGIN = 'http://localhost:3000'
export const PASSWORD = 'correct horse battery'
export const PEPPER = Buffer.alloc(32, 7)
export const NOW = new Date('2026-11-20T15:20:00.000Z')
export const KEYRING = createKeyring([Buffer.alloc(32, 8)])
const SECRET = 'a secret for tests only'

/** Makes the routes of the console find it, as the runtime of this process. */
export function provideConsole(console: Console): void {
  Object.assign(globalThis, { [Symbol.for('tollgate.runtime')]: Promise.resolve({ console }) })
}

export interface ConsoleCall {
  method?: string
  path?: string
  params?: Record<string, string>
  body?: unknown
  /** The raw body, instead of `body`. */
  text?: string
  as?: SignedInUser & { sessionId?: string }
  headers?: Record<string, string>
}

export interface ConsoleWorld {
  console: Console
  url: string
  pool: pg.Pool
  /** Everything that was logged as an error. */
  errors: object[]
  clock: { at: Date }
  held: { nano: bigint; requests: number; tasks: number }
  /** Addresses of the files that were to be removed. */
  removedUrls: string[]
  /** Why each delivery to the webhook was rejected. */
  rejectedEvents: string[]
  /** The settings in force, for a test to change. */
  settings: SettingValues
  /** Every mail, the newest last. Await `console.ports.background.idle()` first. */
  mails: EmailMessage[]
  /** The ports as a verb gets them. */
  as(user: SignedInUser): ConsolePorts & { user: SessionUser }
  guest(address?: string, locale?: Locale): ConsolePorts & Guest
  newUser(role?: SignedInUser['role']): Promise<SignedInUser>
  /** Calls a route as the browser of `as` would. */
  call(handler: RouteHandler, call?: ConsoleCall): Promise<Response>
  routes: ReturnType<typeof createConsoleRoutes>
  settle(user: SignedInUser, request: Partial<Settlement> & { at: Date; total?: bigint }): Promise<string>
  close(): Promise<void>
}

async function addCatalog(pool: pg.Pool): Promise<void> {
  await pool.query(`
    insert into model (id, owned_by, modality, context_window, max_output, enabled) values
      ('small', 'house', 'text', 8192, 1024, true), ('large', 'house', 'text', 8192, 1024, true),
      ('hidden', 'house', 'text', 8192, 1024, false);
    insert into model_group (id, name, description, multiplier_bp, is_default) values
      ('grp_other', 'another', 'Dearer', 15000, false), ('grp_main', 'main', 'Everything', 10000, true);
    insert into group_model (group_id, model_id) values
      ('grp_main', 'small'), ('grp_main', 'large'), ('grp_main', 'hidden'), ('grp_other', 'large');
    insert into connection (id, name, kind) values ('con_box', 'box', 'sandbox'), ('con_real', 'real', 'openai');
    insert into deployment (id, model_id, connection_id, upstream_model) values
      ('dep_box', 'small', 'con_box', 'small'), ('dep_large', 'large', 'con_box', 'large'), ('dep_hidden', 'hidden', 'con_box', 'hidden')`)
}

/** The first session of each user, by user id. Calls are made in it unless `as` names another. */
const sessions = new Map<string, string>()

async function cookieOf(user: SignedInUser & { sessionId?: string }): Promise<string> {
  const sid = user.sessionId ?? sessions.get(user.userId) ?? 'ses_none'
  const token = await encode({ token: { sub: user.userId, sid, sessionEpoch: user.sessionEpoch }, secret: SECRET })
  return `${sessionCookieName(ORIGIN)}=${token}`
}

async function requestOf({ method = 'GET', path = '/api/x', as, headers, ...rest }: ConsoleCall): Promise<Request> {
  const text = rest.text ?? (rest.body === undefined ? undefined : JSON.stringify(rest.body))
  const baseHeaders: Record<string, string> = { host: 'localhost:3000', ...(as ? { cookie: await cookieOf(as) } : {}) }
  if (method !== 'GET') Object.assign(baseHeaders, { origin: ORIGIN, 'content-type': 'application/json' })
  const headerEntries = Object.entries({ ...baseHeaders, ...headers }).filter(([, value]) => value !== '')
  return new Request(ORIGIN + path, {
    method,
    headers: Object.fromEntries(headerEntries),
    ...(text === undefined ? {} : { body: text }),
  })
}

const NO_UNITS = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 0n, reasoning: 0n, requests: 0n }

/** A finished request for `small` that costs this much. A test passes what differs. */
function settlementOf(user: SignedInUser, at: Date, total: bigint): Settlement {
  return {
    id: newId('req', at.getTime(), crypto.getRandomValues(new Uint8Array(ID_RANDOM_BYTES))),
    at,
    accountId: user.accountId,
    keyId: 'key_none',
    groupId: 'grp_main',
    modelId: 'small',
    endpoint: 'chat.completions',
    stream: false,
    status: 200,
    outcome: 'finished',
    errorCode: null,
    errorText: null,
    finishReason: 'stop',
    usage: NO_UNITS,
    holdNano: total,
    receipt: null,
    trace: [],
    ownMs: 1,
    firstTokenMs: null,
    tookMs: 10,
    leaseId: null,
    budgets: [],
    budgetLeases: [],
    void: false,
    answer: null,
    ...(total > 0n ? { receipt: receiptOf(total) } : {}),
  }
}

/** A receipt for three tokens that cost this much. */
export function receiptOf(total: bigint): NonNullable<Settlement['receipt']> {
  const amount = total as NonNullable<Settlement['receipt']>['total']
  return {
    priceId: 'price_1',
    priceFrom: new Date('2026-01-01T00:00:00Z'),
    groupName: 'main',
    multiplierBp: 10_000n,
    lines: [{ unit: 'output', count: 3n, price: (total * 1_000_000n) / 3n, amount }],
    total: amount,
    vendorCost: amount,
    certainty: { exact: true },
  }
}

export interface ConsoleWorldOptions {
  /** Keys and address of a stand-in for Stripe. Payments are not set up without it. */
  stripe?: { STRIPE_SECRET_KEY: string; STRIPE_WEBHOOK_SECRET: string; STRIPE_API_BASE: string }
  /** Environment settings that differ from the default. */
  env?: Partial<ConsoleParts['env']>
}

const ENV: ConsoleParts['env'] = {
  CURRENCY: 'usd',
  SMTP_URL: undefined,
  GITHUB_CLIENT_ID: undefined,
  GITHUB_CLIENT_SECRET: undefined,
  GITHUB_BASE_URL: 'https://github.com',
  GOOGLE_CLIENT_ID: undefined,
  GOOGLE_CLIENT_SECRET: undefined,
  GOOGLE_ISSUER: 'https://accounts.google.com',
}

let users = 0

/** Opens a world. Close it. */
export async function openConsoleWorld(options: ConsoleWorldOptions = {}): Promise<ConsoleWorld> {
  const database = await createDatabase()
  const { pool } = database
  await addCatalog(pool)
  const prisma = createPrisma(pool)
  const errors: object[] = []
  const log = { error: (fields: object) => errors.push(fields), warn: (fields: object) => errors.push(fields) }
  const clock = { at: NOW }
  const held = { nano: 0n, requests: 0, tasks: 0 }
  const mails: ConsoleWorld['mails'] = []
  const removedUrls: string[] = []
  const rejectedEvents: string[] = []
  const liveSettings = createLiveSettings(defaultSettings(readEnv({})), createSettingStore(pool).list)
  const console = buildConsole({
    liveSettings,
    env: { ...ENV, ...options.env },
    stripe: createStripe({ STRIPE_API_BASE: 'http://127.0.0.1:9', ...options.stripe }, log),
    pool,
    prisma,
    wallet: { held: () => held },
    mailer: { send: async (mail) => void mails.push(mail) },
    secrets: { pepper: PEPPER, credentials: KEYRING, nextAuthSecret: SECRET },
    media: {
      async remove(urls) {
        removedUrls.push(...urls)
        return 0
      },
    },
    vendorProbe: createVendorProbe(),
    vendorBalance: createVendorBalance(),
    priceRegistry: createPriceRegistry(),
    publicUrl: () => ORIGIN,
    log,
    countEventRejection: (reason) => void rejectedEvents.push(reason),
    clock: { now: () => clock.at },
    passwords: createPasswords({ logN: 4, r: 8, p: 1 }),
  })
  const { ports } = console
  const world: ConsoleWorld = {
    console,
    url: database.url,
    pool,
    errors,
    clock,
    held,
    mails,
    removedUrls,
    rejectedEvents,
    settings: liveSettings.values,
    routes: createConsoleRoutes(async () => console),
    as: (user) => ({ ...ports, user: { sessionId: sessions.get(user.userId) ?? 'ses_none', ...user } }),
    guest: (address = '203.0.113.7', locale = 'en') => ({ ...ports, address, locale }),
    async newUser(role = 'holder') {
      const email = `person-${++users}@example.com`
      await signUp({ ctx: world.guest(`10.0.0.${users}`), input: { name: 'A person', email, password: PASSWORD } })
      await ports.background.idle()
      await pool.query('update app_user set role = $2 where email = $1', [email, role])
      const user = await ports.users.byEmail(email)
      if (!user) throw new Error('signing up made no user')
      const { passwordHash: _hash, emailVerified: _verified, ...signedIn } = user
      const visitor = { address: '203.0.113.7', browser: '', system: '' }
      // A test may move the world's clock to the present: a session must last from then on too.
      const lifetimeMs = Math.max(0, Date.now() - clock.at.getTime()) + SESSION_MAX_AGE_S * 1000
      sessions.set(user.userId, (await openSession(ports, signedIn, visitor, lifetimeMs)).sessionId)
      return signedIn
    },
    async call(handler, call = {}) {
      // As in Next: undefined if the address has no parameters.
      return handler(await requestOf(call), { params: Promise.resolve(call.params as Record<string, string>) })
    },
    async settle(user, { at, total = 0n, ...rest }) {
      const item = { ...settlementOf(user, at, total), ...rest }
      const row = settlementRow(item)
      await postSettlements(pool, encodeSettlements([row]), false, [row])
      return item.id
    },
    async close() {
      await prisma.$disconnect()
      await database.drop()
    },
  }
  return world
}
