import { setTimeout as sleep } from 'node:timers/promises'
import { LLMock } from '@copilotkit/aimock'
import OpenAI, { type ClientOptions } from 'openai'
import { type FakeVendor, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { ensureConsoleBuilt } from '../support/ensure-console-built.ts'
import { addAccount, addKey, addModel, balanceOf, type KeyOptions } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { addFixtures } from './aimock-fixtures.ts'
import { type AudioModels, addAudioModels, audioModelsOf } from './audio-models.ts'
import { Recorder } from './recorder.ts'

export const HOSTS = ['lane', 'next'] as const
export type HostName = (typeof HOSTS)[number]

const DOLLAR = 1_000_000_000n

/** How a request ended, according to its usage record. */
export interface UsageRow {
  model_id: string
  status: number
  outcome: string
  input_units: bigint
  output_units: bigint
  charged_nano: bigint
  estimated: boolean
}

/** An account with a key, and what its books say. */
export interface TestAccount {
  readonly accountId: string
  readonly key: string
  /** Nano-dollars that were taken from it. */
  spent(): Promise<bigint>
  /** Waits up to 5 s for `count` usage records. Returns them, oldest first. */
  waitForRecords(count: number): Promise<UsageRow[]>
}

/** One of the two ways in which the same handlers are served. Its getters throw before `openWorld`. */
export class Host {
  readonly name: HostName
  readonly recorder = new Recorder()
  /** The model for which this host's fake vendor answers. */
  readonly fakeModel: string
  /** The model for which this host's aimock answers. */
  readonly aimockModel: string
  /** The models for which this host's fake vendor answers as Anthropic and as Google. */
  readonly bridgedModels: { anthropic: string; google: string }
  /** Models of other kinds for which this host's fake vendor answers. */
  readonly otherModels: { instruct: string; embed: string }
  /** The audio models for which this host's fake vendor and its aimock answer. */
  readonly audioModels: AudioModels
  #world: { gateway: TestGateway; database: TestDatabase; vendor: FakeVendor; aimock: LLMock; account: TestAccount } | null = null

  constructor(name: HostName) {
    this.name = name
    this.fakeModel = `fake/${name}`
    this.aimockModel = `aimock/${name}`
    this.otherModels = { instruct: `instruct/${name}`, embed: `embed/${name}` }
    this.audioModels = audioModelsOf(name)
    this.bridgedModels = { anthropic: `claude/${name}`, google: `gemini/${name}` }
  }

  open(world: { gateway: TestGateway; database: TestDatabase; vendor: FakeVendor; aimock: LLMock; account: TestAccount }): void {
    this.#world = world
  }

  get #opened() {
    if (!this.#world) throw new Error(`the host "${this.name}" is not started`)
    return this.#world
  }

  /** With `/v1`, as SDKs take it. */
  get baseURL(): string {
    return `${this.#opened.gateway.url}/v1`
  }

  /** The key of an account with $100. */
  get key(): string {
    return this.#opened.account.key
  }

  /** The process itself. */
  get gateway(): TestGateway {
    return this.#opened.gateway
  }

  get vendor(): FakeVendor {
    return this.#opened.vendor
  }

  get aimock(): LLMock {
    return this.#opened.aimock
  }

  /** What the gateway has printed. */
  log(): string {
    return this.#opened.gateway.log()
  }

  /** An official client of this host. It does not retry by default. */
  openai(options: ClientOptions = {}): OpenAI {
    return new OpenAI({ baseURL: this.baseURL, apiKey: this.key, fetch: this.recorder.fetch, maxRetries: 0, ...options })
  }

  /** Makes a new account with a key of its own. The balance is one dollar by default. */
  async newAccount(balanceNano: bigint = DOLLAR, options: KeyOptions = {}): Promise<TestAccount> {
    return await createAccount(this.#opened.database, balanceNano, options)
  }
}

async function createAccount(database: TestDatabase, balanceNano: bigint, options: KeyOptions = {}): Promise<TestAccount> {
  const { pool } = database
  const accountId = await addAccount(pool, balanceNano)
  const { secret } = await addKey(pool, accountId, options)
  const rows = async () => {
    const result = await pool.query<UsageRow>(
      `SELECT model_id, status, outcome, input_units, output_units, charged_nano, estimated
         FROM usage_record WHERE account_id = $1 ORDER BY at, id`,
      [accountId],
    )
    return result.rows.map((row) => ({
      ...row,
      input_units: BigInt(row.input_units),
      output_units: BigInt(row.output_units),
      charged_nano: BigInt(row.charged_nano),
    }))
  }
  return {
    accountId,
    key: secret,
    spent: async () => balanceNano - (await balanceOf(pool, accountId)).balance,
    async waitForRecords(count) {
      for (let tries = 0; tries < 100; tries++) {
        const found = await rows()
        if (found.length >= count) return found
        await sleep(50)
      }
      throw new Error(`the account has ${(await rows()).length} usage records after 5 s, not ${count}`)
    },
  }
}

/** Both hosts on one database, each with its own fake vendor and its own aimock. */
export interface World extends AsyncDisposable {
  close(): Promise<void>
}

/** Waits until a gateway offers all of these models. It hears of changes a moment after they are made. */
async function waitUntilOffered(gateway: TestGateway, key: string, models: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await answer.json()) as { data: { id: string }[] }
    if (models.every((id) => data.some((model) => model.id === id))) return
    await sleep(50)
  }
  throw new Error(`the gateway does not offer ${models.join(', ')}:\n${gateway.log().slice(-2000)}`)
}

/** Starts everything and opens the hosts. The lane comes first, because only it migrates and seeds. */
export async function openWorld(hosts: readonly Host[]): Promise<World> {
  await using stack = new AsyncDisposableStack()
  await ensureConsoleBuilt()
  const database = stack.use(await createDatabase())
  const gateways = new Map<HostName, TestGateway>()
  for (const host of HOSTS) gateways.set(host, stack.use(await startGateway({ databaseUrl: database.url, host })))
  const upstreams = new Map<HostName, { vendor: FakeVendor; aimock: LLMock }>()
  for (const host of hosts) {
    const vendor = stack.use(await startFakeVendor())
    const aimock = await LLMock.create({ port: 0, logLevel: 'silent', strict: true })
    stack.defer(() => aimock.stop())
    addFixtures(aimock)
    upstreams.set(host.name, { vendor, aimock })
    await addModel(database.pool, { id: host.fakeModel, baseUrl: vendor.url, upstreamModel: 'upstream-model' })
    const other = { baseUrl: vendor.url, upstreamModel: 'upstream-model' }
    await addModel(database.pool, { id: host.otherModels.instruct, modality: 'completion', ...other })
    const facts = { dimensions: 4, shortens: true, inputs: 2048 }
    await addModel(database.pool, { id: host.otherModels.embed, modality: 'embedding', facts, ...other })
    for (const kind of ['anthropic', 'google'] as const)
      await addModel(database.pool, { id: host.bridgedModels[kind], baseUrl: vendor.url, kind, secret: 'x' })
    await addAudioModels(database.pool, host.audioModels, vendor.url, `${aimock.url}/v1`)
    await addModel(database.pool, { id: host.aimockModel, baseUrl: `${aimock.url}/v1`, upstreamModel: 'gpt-4o' })
  }
  const models = hosts.flatMap((host) => [
    host.fakeModel,
    host.aimockModel,
    ...Object.values(host.bridgedModels),
    ...Object.values(host.otherModels),
    ...Object.values(host.audioModels),
  ])
  for (const host of hosts) {
    const [gateway, upstream] = [gateways.get(host.name), upstreams.get(host.name)]
    if (!gateway || !upstream) throw new Error(`no gateway for ${host.name}`)
    const account = await createAccount(database, 100n * DOLLAR)
    await waitUntilOffered(gateway, account.key, models)
    host.open({ gateway, database, ...upstream, account })
  }
  const resources = stack.move()
  const close = () => resources.disposeAsync()
  return { close, [Symbol.asyncDispose]: close }
}
