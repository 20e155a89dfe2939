import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-client.ts'
import { addAccount, addKey, addModel, balanceOf, type KeyOptions } from '../support/world.ts'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor, usageOf } from './vendor.ts'

export const VENDOR_SECRET = 'vendor-credential-Zq81xPv0'
export const UPSTREAM_MODEL = 'upstream-model'
export const BALANCE = 500_000_000n

export interface Holder {
  accountId: string
  keyId: string
  secret: string
}

/** What the tests read of a usage record. Money in nano-dollars. */
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
  trace: { status: number | null; result: string }[]
}

/** A gateway process with a database, a vendor that answers as told, and a vendor that takes all one has. */
export interface ApiWorld extends AsyncDisposable {
  readonly url: string
  readonly pool: pg.Pool
  readonly databaseUrl: string
  readonly gateway: TestGateway
  readonly vendor: FakeVendor
  /** An account with BALANCE and a key. */
  holder(options?: KeyOptions, balance?: bigint): Promise<Holder>
  send(request: RawRequest | Buffer): Promise<RawAnswer>
  /** POST /v1/chat/completions of the model `fake/chat`. */
  chat(secret: string, body?: object, headers?: [string, string][]): Promise<RawAnswer>
  /** The account's usage records, oldest first, once there are at least `least`. */
  records(accountId: string, least: number): Promise<UsageRow[]>
  /** The account's only usage record. */
  record(accountId: string): Promise<UsageRow>
  /** Throws where the books do not add up or where anything of the account stays held. Spends all of it. */
  expectWhole(holder: Holder, records: number): Promise<void>
  /** Throws where an answer shows what is not its reader's: credentials, vendors, our insides. */
  expectDiscreet(answer: { text: string }): void
}

let addresses = 0

/** A client address of its own for each request, so that failures of one do not limit another. */
export const newAddress = (): string => {
  addresses++
  return `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

/** The headers of an ordinary request. */
export const headersOf = (secret: string | null, more: readonly (readonly [string, string])[] = []): [string, string][] => [
  ...(secret === null ? [] : [['authorization', `Bearer ${secret}`] as [string, string]]),
  ['content-type', 'application/json'],
  ['x-forwarded-for', newAddress()],
  ...more.map(([name, value]): [string, string] => [name, value]),
]

export const chatBody = (more: object = {}): object => ({
  model: 'fake/chat',
  messages: [{ role: 'user', content: 'Hello there.' }],
  ...more,
})

/** Starts everything. `fake/chat` costs TEST_UNITS; `fake/spend` a nano-dollar per token of output. */
export async function openApiWorld(env: Record<string, string> = {}): Promise<ApiWorld> {
  const database = await createDatabase()
  const vendor = await startFakeVendor()
  const spender = await startFakeVendor()
  spender.answer((call) => sendJson(call, chatAnswer('all', usageOf(0, Number(call.body.max_tokens) + 1))))
  const gateway = await startGateway({
    databaseUrl: database.url,
    env: { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn', ...env },
  })
  const { pool } = database
  await addModel(pool, { id: 'fake/chat', baseUrl: vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET })
  const units = { input: '0', output: '1000000' }
  const size = { contextWindow: 2_147_483_647, maxOutput: 2_000_000_000 }
  await addModel(pool, { id: 'fake/spend', baseUrl: spender.url, units, ...size })
  const world = new Books(pool, gateway, vendor, database.url, async () => {
    await gateway.stop()
    await vendor[Symbol.asyncDispose]()
    await spender[Symbol.asyncDispose]()
    await database.drop()
  })
  await world.ready()
  return world
}

class Books implements ApiWorld {
  readonly url: string
  readonly #close: () => Promise<void>

  constructor(
    readonly pool: pg.Pool,
    readonly gateway: TestGateway,
    readonly vendor: FakeVendor,
    readonly databaseUrl: string,
    close: () => Promise<void>,
  ) {
    this.url = gateway.url
    this.#close = close
  }
}
