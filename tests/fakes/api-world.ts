import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect } from 'vitest'
import { CONDITION_TABLE, type Condition } from '#lib/domain/errors'
import type { Attempt } from '#lib/domain/settlement'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf, type KeyOptions } from '../support/fixtures.ts'
import { startGateway, type TestGateway, waitUntilModelKnown } from '../support/gateway.ts'
import type { RawAnswer, RawRequest } from '../support/raw-client.ts'
import { sendDocumented } from './send-documented.ts'
import { sendSpent, spendBody } from './spend.ts'
import { type FakeVendor, startFakeVendor } from './vendor.ts'

export const VENDOR_SECRET = 'vendor-credential-Zq81xPv0'
export const UPSTREAM_MODEL = 'upstream-model'
export const BALANCE = 500_000_000n

export interface Holder {
  accountId: string
  keyId: string
  secret: string
}

/** What the tests read of a usage record. Money is in nano-dollars. */
export interface UsageRow {
  id: string
  status: number
  outcome: string
  errorCode: string | null
  errorText: string | null
  finishReason: string | null
  model: string
  input: bigint
  cached: bigint
  output: bigint
  reasoning: bigint
  hold: bigint
  charged: bigint
  shortfall: bigint
  estimated: boolean
  why: string | null
  trace: Attempt[]
}

/** A gateway process with a database, a vendor that answers as told, and a vendor that uses up a whole balance. */
export interface ApiWorld extends AsyncDisposable {
  readonly url: string
  readonly pool: pg.Pool
  readonly databaseUrl: string
  readonly gateway: TestGateway
  readonly vendor: FakeVendor
  /** Creates an account with BALANCE and a key. */
  holder(options?: KeyOptions, balance?: bigint): Promise<Holder>
  send(request: RawRequest | Buffer): Promise<RawAnswer>
  /** Sends POST /v1/chat/completions for the model `fake/chat`. */
  chat(secret: string, body?: object, headers?: [string, string][]): Promise<RawAnswer>
  /** The account's usage records, oldest first, once there are at least `minCount`. */
  records(accountId: string, minCount: number): Promise<UsageRow[]>
  /** The account's only usage record. */
  record(accountId: string): Promise<UsageRow>
  /** Throws if the books do not add up or if anything of the account is still held. Spends the whole balance. */
  expectSettledBooks(holder: Holder, records: number): Promise<void>
  /**
   * Sends a request of a new account and checks how it is refused: status, error, headers, a record without a charge, no call to
   * the vendor, nothing held.
   */
  expectRefused(request: (secret: string) => RawRequest | Buffer, expected: ExpectedRefusal): Promise<RawAnswer>
  /** Throws if an answer shows what its reader must not see: credentials, vendors, internals. */
  expectNoLeaks(answer: { text: string }): void
}

export interface ExpectedRefusal {
  condition: Condition
  param?: string | null
  message?: RegExp
  /** The vendor's, if it is not the condition's. */
  code?: string
  /** How many usage records it leaves. 1 by default. */
  records?: number
  /** Whether money was held and given back. */
  holds?: boolean
}

let addresses = 0

/** A new client address for each request, so that failures of one do not limit another. */
export const newClientIp = (): string => {
  addresses++
  return `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

/** The headers of an ordinary request. */
export const headersOf = (secret: string | null, more: readonly (readonly [string, string])[] = []): [string, string][] => [
  ...(secret === null ? [] : [['authorization', `Bearer ${secret}`] as [string, string]]),
  ['content-type', 'application/json'],
  ['x-forwarded-for', newClientIp()],
  ...more.map(([name, value]): [string, string] => [name, value]),
]

export const chatBody = (more: object = {}): object => ({
  model: 'fake/chat',
  messages: [{ role: 'user', content: 'Hello there.' }],
  ...more,
})

/** Starts everything. `fake/chat` costs TEST_UNITS, and `fake/spend` costs one nano-dollar per output token. */
export async function openApiWorld(env: Record<string, string> = {}): Promise<ApiWorld> {
  const database = await createDatabase()
  const vendor = await startFakeVendor()
  const spender = await startFakeVendor()
  spender.answer(sendSpent)
  const gateway = await startGateway({
    databaseUrl: database.url,
    env: { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn', ...env },
  })
  const { pool } = database
  await addModel(pool, { id: 'fake/chat', baseUrl: vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET })
  const units = { input: '0', output: '1000000' }
  const size = { contextWindow: 2_147_483_647, maxOutput: 2_000_000_000 }
  await addModel(pool, { id: 'fake/spend', baseUrl: spender.url, units, ...size })
  const world: ApiWorld = {
    url: gateway.url,
    pool,
    databaseUrl: database.url,
    gateway,
    vendor,
    async holder(options = {}, balance = BALANCE) {
      const accountId = await addAccount(pool, balance)
      return { accountId, ...(await addKey(pool, accountId, options)) }
    },
    send: (request) => sendDocumented(gateway.url, request),
    chat: (secret, body = {}, headers = []) =>
      sendDocumented(gateway.url, { headers: headersOf(secret, headers), body: JSON.stringify(chatBody(body)) }),
    records: (accountId, minCount) => recordsOf(pool, accountId, minCount),
    async record(accountId) {
      const [row, ...others] = await recordsOf(pool, accountId, 1)
      if (!row || others.length > 0) throw new Error(`${others.length + 1} usage records instead of one`)
      return row
    },
    async expectSettledBooks({ accountId }, records) {
      const rows = await recordsOf(pool, accountId, records)
      expect(rows.length).toBe(records)
      const { balance } = await balanceOf(pool, accountId)
      const credit = await creditOf(pool, accountId)
      expect(credit - balance, 'spent is the sum of the charges').toBe(rows.reduce((sum, row) => sum + row.charged, 0n))
      if (balance < 2n) return
      // The hold is exactly the balance, so it is refused if even one nano-dollar is still held.
      const { secret } = await addKey(pool, accountId)
      const answer = await sendDocumented(gateway.url, { headers: headersOf(secret), body: JSON.stringify(spendBody(balance)) })
      expect(answer.status, `spending all of it: ${answer.text}`).toBe(200)
      expect((await balanceOf(pool, accountId)).balance).toBe(0n)
    },
    async expectRefused(request, expected) {
      const holder = await world.holder()
      const posts = vendor.posts.length
      const answer = await sendDocumented(gateway.url, request(holder.secret))
      expectError(answer, expected)
      world.expectNoLeaks(answer)
      expect(vendor.posts.length, 'calls to the vendor').toBe(posts)
      const records = await recordsOf(pool, holder.accountId, expected.records ?? 1)
      for (const row of records) {
        expect(row).toMatchObject({ status: answer.status, outcome: 'refused', errorCode: answer.error().code })
        expect(row).toMatchObject({ charged: 0n, shortfall: 0n, input: 0n, output: 0n })
        expect(row.hold > 0n, 'money was held').toBe(expected.holds ?? false)
      }
      await world.expectSettledBooks(holder, expected.records ?? 1)
      return answer
    },
    expectNoLeaks({ text }) {
      const hidden = [
        VENDOR_SECRET,
        vendor.url,
        new URL(vendor.url).host,
        UPSTREAM_MODEL,
        database.name,
        'postgres',
        process.cwd(),
      ]
      for (const item of hidden) expect(text).not.toContain(item)
      expect(text).not.toMatch(/\.ts:\d+|node_modules|\bat async\b|sk-tg-\w{8}|acc_\w{26}|key_\w{26}/)
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await vendor[Symbol.asyncDispose]()
      await spender[Symbol.asyncDispose]()
      await database.drop()
    },
  }
  await untilModelKnown(world, 'fake/spend')
  return world
}

const NO_RETRY = new Set<Condition>(['no_quota', 'idempotency_spent'])
const RETRY_AFTER = new Set<Condition>(['idempotency_running', 'too_many_requests', 'too_many_tokens'])

/** Throws if an answer differs from the table of conditions. */
export function expectError(answer: RawAnswer, { condition, param = null, message, code: vendorCode }: ExpectedRefusal): void {
  const { status, type, code: ownCode } = CONDITION_TABLE[condition]
  const code = vendorCode ?? ownCode
  expect(answer.status, answer.text.slice(0, 2000)).toBe(status)
  expect(answer.error()).toEqual({ message: expect.stringMatching(message ?? /^[A-Z].{10,}\.$/su), type, code, param })
  expect(Object.keys(answer.json())).toEqual(['error'])
  expect(answer.header('content-type')).toBe('application/json')
  expect(answer.header('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  expect(answer.header('cache-control')).toBe('no-store, no-transform')
  expect(answer.header('x-should-retry')).toBe(NO_RETRY.has(condition) ? 'false' : null)
  if (RETRY_AFTER.has(condition)) expect(answer.header('retry-after')).toMatch(/^[1-9]\d*$/)
  if (status < 429) expect(answer.header('retry-after')).toBe(condition === 'idempotency_running' ? '1' : null)
  expect(answer.header('allow') !== null).toBe(condition === 'wrong_method')
}

/** Waits until a gateway knows a model that was added while it ran. */
export async function untilModelKnown(world: ApiWorld, modelId: string): Promise<void> {
  const { secret } = await world.holder()
  await waitUntilModelKnown(world.url, secret, modelId)
}

async function creditOf(pool: pg.Pool, accountId: string): Promise<bigint> {
  const { rows } = await pool.query<{ credit: string }>('SELECT credit FROM purse WHERE id = $1', [accountId])
  return BigInt(rows[0]?.credit ?? 0)
}

interface Row {
  id: string
  status: number
  outcome: string
  error_code: string | null
  error_text: string | null
  finish_reason: string | null
  model_id: string
  input_units: string
  cached_units: string
  output_units: string
  reasoning_units: string
  hold_nano: string
  charged_nano: string
  shortfall_nano: string
  estimated: boolean
  receipt: { why?: string | null }
  trace: UsageRow['trace']
}

async function recordsOf(pool: pg.Pool, accountId: string, minCount: number): Promise<UsageRow[]> {
  for (let tries = 0; ; tries++) {
    const { rows } = await pool.query<Row>('SELECT * FROM usage_record WHERE account_id = $1 ORDER BY id', [accountId])
    if (rows.length >= minCount) return rows.map(rowOf)
    // A request whose client does not wait for it is recorded a little later.
    if (tries > 500) throw new Error(`${rows.length} usage records after 5 s, expected ${minCount}`)
    await sleep(10)
  }
}

const rowOf = (row: Row): UsageRow => ({
  id: row.id,
  status: row.status,
  outcome: row.outcome,
  errorCode: row.error_code,
  errorText: row.error_text,
  finishReason: row.finish_reason,
  model: row.model_id,
  input: BigInt(row.input_units),
  cached: BigInt(row.cached_units),
  output: BigInt(row.output_units),
  reasoning: BigInt(row.reasoning_units),
  hold: BigInt(row.hold_nano),
  charged: BigInt(row.charged_nano),
  shortfall: BigInt(row.shortfall_nano),
  estimated: row.estimated,
  why: row.receipt.why ?? null,
  trace: row.trace,
})
