/** A console on a database of its own, with a clock that stands still, for the tests beside this file. */
import { encode } from 'next-auth/jwt'
import type pg from 'pg'
import { createConsoleRoutes, type RouteHandler } from '#lib/console/route'
import { buildConsole, type Console } from '#lib/console/runtime'
import { sessionCookieName } from '#lib/console/session'
import { ID_RANDOM_BYTES, newId } from '#lib/domain/ids'
import type { Settlement } from '#lib/domain/settlement'
import { settlementRow } from '#lib/ledger/settlement-row'
import { createPasswords } from '#lib/services/password'
import type { ConsolePorts, SignedIn } from '#lib/services/ports'
import { signUp } from '#lib/services/sign-up'
import { createPrisma } from '#lib/store/prisma'
import { encodeSettlements, postSettlements } from '#lib/store/settle'
import { createDatabase } from '../support/database.ts'

export const ORIGIN = 'http://localhost:3000'
export const PASSWORD = 'correct horse battery'
export const PEPPER = Buffer.alloc(32, 7)
export const NOW = new Date('2026-11-20T15:20:00.000Z')
const SECRET = 'a secret for tests only'

export interface Call {
  method?: string
  path?: string
  params?: Record<string, string>
  body?: unknown
  /** The body as it is, instead of `body`. */
  text?: string
  as?: SignedIn
  headers?: Record<string, string>
}

export interface World {
  console: Console
  url: string
  pool: pg.Pool
  /** Everything that was logged as an error. */
  errors: object[]
  clock: { at: Date }
  held: { nano: bigint; requests: number }
  settings: { signUp: 'open' | 'closed'; signUpCreditNano: bigint }
  /** The ports as a verb gets them. */
  as(user: SignedIn): ConsolePorts & { user: SignedIn }
  guest(address?: string): ConsolePorts & { address: string }
  newUser(role?: SignedIn['role']): Promise<SignedIn>
  /** Calls a route as the browser of `as` would. */
  call(handler: RouteHandler, call?: Call): Promise<Response>
  routes: ReturnType<typeof createConsoleRoutes>
  settle(user: SignedIn, request: Partial<Settlement> & { at: Date; total?: bigint }): Promise<string>
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
    insert into deployment (id, model_id, connection_id, upstream_model) values ('dep_box', 'small', 'con_box', 'small')`)
}

async function cookieOf(user: SignedIn): Promise<string> {
  const token = await encode({ token: { sub: user.userId, sessionEpoch: user.sessionEpoch }, secret: SECRET })
  return `${sessionCookieName(ORIGIN)}=${token}`
}

async function requestOf({ method = 'GET', path = '/api/x', as, headers, ...rest }: Call): Promise<Request> {
  const text = rest.text ?? (rest.body === undefined ? undefined : JSON.stringify(rest.body))
  const usual: Record<string, string> = { host: 'localhost:3000', ...(as ? { cookie: await cookieOf(as) } : {}) }
  if (method !== 'GET') Object.assign(usual, { origin: ORIGIN, 'content-type': 'application/json' })
  const all = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '')
  return new Request(ORIGIN + path, { method, headers: Object.fromEntries(all), ...(text === undefined ? {} : { body: text }) })
}

const NO_UNITS = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 0n, reasoning: 0n, requests: 0n }

/** A finished request of `small` that cost nothing; a test says what differs. */
function settlementOf(user: SignedIn, at: Date, total: bigint): Settlement {
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

function receiptOf(total: bigint): Settlement['receipt'] {
  const amount = total as NonNullable<Settlement['receipt']>['total']
  return {
    priceId: 'price_1',
    priceFrom: new Date('2026-01-01T00:00:00Z'),
    groupName: 'main',
    multiplierBp: 10_000n,
    lines: [{ unit: 'output', count: 3n, price: 500_000n, amount }],
    total: amount,
    vendorCost: amount,
    certainty: { exact: true },
  }
}

let users = 0

/** Opens a world. Close it. */
export async function openWorld(): Promise<World> {
  const database = await createDatabase()
  const { pool } = database
  await addCatalog(pool)
  const prisma = createPrisma(pool)
  const errors: object[] = []
  const clock = { at: NOW }
  const held = { nano: 0n, requests: 0 }
  const console = buildConsole({
    env: { SIGN_UP: 'open', SIGN_UP_CREDIT: '0' },
    pool,
    prisma,
    wallet: { held: () => held },
    secrets: { pepper: PEPPER, nextAuthSecret: SECRET },
    publicUrl: () => ORIGIN,
    log: { error: (fields) => errors.push(fields), warn: (fields) => errors.push(fields) },
    clock: { now: () => clock.at },
    passwords: createPasswords({ logN: 4, r: 8, p: 1 }),
  })
  const { ports } = console
  const world: World = {
    console,
    url: database.url,
    pool,
    errors,
    clock,
    held,
    settings: ports.settings,
    routes: createConsoleRoutes(async () => console),
    as: (user) => ({ ...ports, user }),
    guest: (address = '203.0.113.7') => ({ ...ports, address }),
    async newUser(role = 'holder') {
      const email = `person-${++users}@example.com`
      await signUp({ ctx: world.guest(`10.0.0.${users}`), input: { name: 'A person', email, password: PASSWORD } })
      await pool.query('update app_user set role = $2 where email = $1', [email, role])
      const user = await ports.users.byEmail(email)
      if (!user) throw new Error('signing up made no user')
      const { passwordHash: _, ...signedIn } = user
      return signedIn
    },
    async call(handler, call = {}) {
      return handler(await requestOf(call), { params: Promise.resolve(call.params ?? {}) })
    },
    async settle(user, { at, total = 0n, ...rest }) {
      const item = { ...settlementOf(user, at, total), ...rest }
      await postSettlements(pool, encodeSettlements([settlementRow(item)]), false)
      return item.id
    },
    async close() {
      await prisma.$disconnect()
      await database.drop()
    },
  }
  return world
}
