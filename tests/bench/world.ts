import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { seedGroup } from '#lib/store/seed-store'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts'
import { startServer } from '../support/server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { Child } from './child.ts'

/**
 * The models of the benchmark: the same vendor over its own wire format, never ending, at a model's pace, and over the bridge.
 */
export const MODEL = 'bench/chat'
export const SLOW_MODEL = 'bench/slow'
export const PACED_MODEL = 'bench/chat-paced'
export const BRIDGED_MODEL = 'bench/bridged'
/** Models of other modalities. */
export const EMBED_MODEL = 'bench/embed'
export const IMAGE_MODEL = 'bench/image'
export const TRANSCRIPTION_MODEL = 'bench/hear'

/** The limits of the benchmark's only key are too high to be reached, but each is enforced and counted. */
const LIMITS = {
  KEY_RPM: '100000000',
  KEY_TPM: '100000000000',
  MAX_CONCURRENCY_PER_KEY: '100000',
  MAX_CONCURRENCY_PER_ACCOUNT: '100000',
  LOG_LEVEL: 'error',
  BREAKER_FAILURES: '5',
}

/** Everything that runs next to the measured gateway. */
export interface BenchWorld {
  pool: pg.Pool
  databaseUrl: string
  /** The database, reached through a proxy that can be blocked. */
  blockable: { url: string; wire: TcpProxy }
  accountId: string
  secret: string
  mock: Child
  proxy: Child
  /** The baseline for what is stored and spooled. */
  storing: Child
  load: Child
  start(options?: Partial<GatewayOptions>): Promise<TestGateway>
  stop(): Promise<void>
}

/** Starts a durable PostgreSQL, the mock upstream, the bare proxy and the client. */
export async function startWorld(): Promise<BenchWorld> {
  const server = await startServer()
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => undefined)
  const mock = await Child.start('mock-upstream.ts')
  const proxy = await Child.start('bare-proxy.ts', [String(mock.port)])
  const storing = await Child.start('storing-proxy.ts', [String(mock.port)])
  const load = await Child.start('load.ts')
  await seedGroup(pool)
  const accountId = await addAccount(pool, 10n ** 17n)
  const { secret } = await addKey(pool, accountId)
  const vendor = { upstreamModel: 'bench-upstream', secret: randomBytes(8).toString('hex') }
  await addModel(pool, { ...vendor, id: MODEL, baseUrl: `http://127.0.0.1:${mock.port}/v1` })
  await addModel(pool, {
    ...vendor,
    id: PACED_MODEL,
    upstreamModel: 'bench-paced',
    baseUrl: `http://127.0.0.1:${mock.port}/v1`,
  })
  await addModel(pool, { ...vendor, id: SLOW_MODEL, baseUrl: `http://127.0.0.1:${mock.port}/slow/v1`, idleTimeoutMs: 60_000 })
  await addModel(pool, { ...vendor, id: BRIDGED_MODEL, kind: 'anthropic', baseUrl: `http://127.0.0.1:${mock.port}/anthropic/v1` })
  const baseUrl = `http://127.0.0.1:${mock.port}/v1`
  await addModel(pool, { ...vendor, id: EMBED_MODEL, baseUrl, modality: 'embedding', units: { input: '20000000' } })
  await addModel(pool, {
    ...vendor,
    id: IMAGE_MODEL,
    baseUrl,
    modality: 'image',
    facts: { sizes: ['1024x1024'] },
    units: { image: '40000000000000' },
  })
  await addModel(pool, {
    ...vendor,
    id: TRANSCRIPTION_MODEL,
    baseUrl,
    modality: 'transcription',
    units: { audio_second: '100000000000' },
  })
  const port = Number(new URL(server.url).port)
  const wire = await startTcpProxy(() => port)
  const blockable = new URL(server.url)
  blockable.port = String(wire.port)
  return {
    pool,
    databaseUrl: server.url,
    blockable: { url: blockable.href, wire },
    accountId,
    secret,
    mock,
    proxy,
    storing,
    load,
    start: (options) => startGateway({ databaseUrl: server.url, ...options, env: { ...LIMITS, ...options?.env } }),
    async stop() {
      for (const child of [mock, proxy, storing, load]) child.stop()
      await wire[Symbol.asyncDispose]()
      await pool.end()
      await server.stop()
    },
  }
}
