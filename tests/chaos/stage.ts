import { rm } from 'node:fs/promises'
import pg from 'pg'
import { readEnv } from '#lib/env'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import type { Random } from '../support/random.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { createMember, type Member } from './member.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { startFaultyVendor } from './vendor.ts'

/** How long a process that sends no heartbeat keeps what it leased, in milliseconds. */
export const LEASE_LIFETIME_MS = 3000
/** A balance that one request can spend completely: a vendor's count is at most a billion. */
const HIGH_BALANCE_NANO = 900_000_000n
const LOW_BALANCE_NANO = 200_000n
const UNITS = { input: '2500000', cached_input: '1250000', output: '10000000' }

export interface Account {
  id: string
  secret: string
  /** Almost empty all the time. Its balance is topped up now and then. */
  hasLowBalance: boolean
}

/** Everything to which a run of faults happens. */
export interface Stage extends AsyncDisposable {
  readonly server: TestServer
  /** A pool connected straight to the database, past every proxy. */
  readonly pool: pg.Pool
  readonly disk: SmallDisk | null
  /** Null if the gateway has no setting REDIS_URL, or if there is no Redis here. */
  readonly redis: TestRedis | null
  readonly vendor: Awaited<ReturnType<typeof startFaultyVendor>>
  /** The wire from the gateways to the vendor. */
  readonly vendorProxy: TcpProxy
  readonly members: readonly Member[]
  readonly accounts: readonly Account[]
  readonly log: (line: string) => void
}

/** Builds the stage: a database of its own, a vendor, two gateways, and accounts with money. */
export async function openStage(
  random: Random,
  log: (line: string) => void,
  extraEnv: Record<string, string> = {},
): Promise<Stage> {
  const stack = new AsyncDisposableStack()
  try {
    const disk = await mountSmallDisk()
    if (disk) {
      process.once('exit', disk.unmount)
      stack.defer(async () => {
        disk.unmount()
        process.off('exit', disk.unmount)
        await rm(disk.dir, { recursive: true, force: true })
      })
    }
    const settings = { shared_buffers: '64MB', max_wal_size: '128MB', min_wal_size: '32MB' }
    const server = await startServer({ fsync: false, settings, ...(disk ? { dir: disk.dir } : {}) })
    stack.defer(async () => {
      await server.signal('SIGCONT')
      await disk?.free()
      await server.restart()
      await server.stop().catch((error: unknown) => {
        // A mount point cannot be removed before it is unmounted.
        if (!disk) throw error
      })
    })
    const pool = new pg.Pool({ connectionString: server.url, max: 6, connectionTimeoutMillis: 3000 })
    pool.on('error', () => undefined)
    stack.defer(() => pool.end())
    const vendor = stack.use(await startFaultyVendor(random))
    const vendorProxy = stack.use(await startTcpProxy(() => Number(new URL(vendor.url).port)))
    const redis = supportsRedis() ? stack.use(await startRedis()) : null
    const env = {
      ...extraEnv,
      ...(redis ? { REDIS_URL: redis.url } : {}),
      LEASE_LIFE_MS: String(LEASE_LIFETIME_MS),
      SETTLE_TIMEOUT_MS: '1500',
      REQUEST_TIMEOUT_MS: '6000',
      READER_TIMEOUT_MS: '1500',
      LOG_LEVEL: 'warn',
    }
    const members: Member[] = []
    for (const name of ['first', 'second']) {
      const member = stack.use(await createMember({ name, databaseUrl: () => server.url, env }))
      members.push(member)
      await member.start()
    }
    const accounts = await seedAccounts(pool, `http://127.0.0.1:${vendorProxy.port}/v1`)
    const resources = stack.move()
    return {
      server,
      pool,
      disk,
      redis,
      vendor,
      vendorProxy,
      members,
      accounts,
      log,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

const supportsRedis = (): boolean => hasRedis && 'REDIS_URL' in readEnv({ REDIS_URL: 'redis://127.0.0.1:6379' })

async function seedAccounts(pool: pg.Pool, baseUrl: string): Promise<Account[]> {
  const timeouts = { connectTimeoutMs: 1500, headersTimeoutMs: 2000, idleTimeoutMs: 2000, maxOutput: 16_384 }
  await addModel(pool, { id: 'fake/chat', baseUrl, units: UNITS, ...timeouts })
  await addModel(pool, { id: 'fake/reasoner', baseUrl, units: UNITS, capabilities: ['hidden-reasoning'], ...timeouts })
  const spend = { contextWindow: 2_147_483_647, ...timeouts, maxOutput: 1_000_000_000 }
  await addModel(pool, { id: 'fake/spend', baseUrl, upstreamModel: 'spend', units: { input: '0', output: '1000000' }, ...spend })
  const accounts: Account[] = []
  for (const [balance, limits] of [
    [HIGH_BALANCE_NANO, {}],
    [HIGH_BALANCE_NANO, { limitTotalNano: HIGH_BALANCE_NANO, limitMonthNano: HIGH_BALANCE_NANO }],
    [LOW_BALANCE_NANO, {}],
    [LOW_BALANCE_NANO, { limitMonthNano: HIGH_BALANCE_NANO }],
  ] as const) {
    const id = await addAccount(pool, balance)
    accounts.push({ id, secret: (await addKey(pool, id, limits)).secret, hasLowBalance: balance === LOW_BALANCE_NANO })
  }
  return accounts
}
