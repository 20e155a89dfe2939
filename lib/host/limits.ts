import type { Logger } from 'pino'
import type { SettingValues } from '#lib/contracts/settings'
import type { Env } from '../env.ts'
import { ConcurrencyLimiter, type ConcurrencyLimits } from '../gateway/concurrency-limiter.ts'
import { Counts } from '../gateway/limits/counts.ts'
import type { SharedCounts } from '../gateway/limits/counts-protocol.ts'
import { LeasedCapacity } from '../gateway/limits/leased-capacity.ts'
import { LeasedLimiter } from '../gateway/limits/leased-limiter.ts'
import type { LimiterPort } from '../gateway/limits/ports.ts'
import { SharedCountsClient } from '../gateway/limits/shared-counts-client.ts'
import { MemoryLimiter } from '../gateway/memory-limiter.ts'
import type { Metrics } from './metrics.ts'
import type { Primary } from './primary.ts'

const TICK_MS = 250
const SWEEP_MS = 10_000
/** How often a process without requests reports that it is alive and learns how many others are. */
const HEARTBEAT_MS = 1000
const PRIMARY_TIMEOUT_MS = 2500
const PROBE_INTERVAL_MS = 500
/** How long a start waits for Redis. */
const FIRST_CONNECT_TIMEOUT_MS = 2000

export interface Limits {
  limiter: LimiterPort
  concurrencyLimiter: ConcurrencyLimiter
  stop(): Promise<void>
}

export interface LimitParts {
  env: Pick<Env, 'REDIS_URL' | 'REDIS_TIMEOUT_MS' | 'WORKERS'>
  live: SettingValues
  log: Logger
  metrics: Metrics
  /** Null if this process is not a worker. */
  primary: Primary | null
  newProcessId: () => string
}

const ticks = (): number => performance.now()

const concurrencyLimitsOf = (live: SettingValues): ConcurrencyLimits => ({
  ofKey: () => live.keyConcurrency,
  ofAccount: () => live.accountConcurrency,
})

/** Opens the limits of this process: its own, or shared through the cluster's primary or, with REDIS_URL, across machines. */
export async function openLimits(parts: LimitParts): Promise<Limits> {
  const { env, primary } = parts
  if (env.REDIS_URL) return await openRedisLimits(env.REDIS_URL, parts)
  if (primary) return createSharedLimits(primary.counts, PRIMARY_TIMEOUT_MS, parts)
  const counts = new Counts({ ticks })
  const timer = setInterval(() => counts.sweep(), SWEEP_MS).unref()
  return {
    limiter: new MemoryLimiter(counts),
    concurrencyLimiter: new ConcurrencyLimiter({ limits: concurrencyLimitsOf(parts.live) }),
    stop: async () => clearInterval(timer),
  }
}

async function openRedisLimits(url: string, parts: LimitParts): Promise<Limits> {
  // Loaded only if it is needed.
  const { RedisCounts } = await import('./redis-counts.ts')
  const counts = new RedisCounts({ url, process: parts.newProcessId() })
  await counts.waitUntilReady(FIRST_CONNECT_TIMEOUT_MS)
  const limits = createSharedLimits(counts, parts.env.REDIS_TIMEOUT_MS, parts)
  return {
    ...limits,
    async stop() {
      await limits.stop()
      await counts.stop()
    },
  }
}

function createSharedLimits(counts: SharedCounts, timeoutMs: number, { env, live, log, metrics }: LimitParts): Limits {
  const countsClient = new SharedCountsClient({
    counts,
    timeoutMs,
    probeMs: PROBE_INTERVAL_MS,
    sharers: Math.max(1, env.WORKERS),
    onChange(reached, error) {
      if (reached) log.info({}, 'the shared limits are reachable again')
      else
        log.warn(
          { error: String(error), sharers: countsClient.sharers },
          'the shared limits are unreachable: this process keeps to its share',
        )
    },
  })
  metrics.registerGauge(
    'tollgate_shared_limits_reached',
    'Whether limits hold across processes; 0: each keeps to its share.',
    () => (countsClient.reachable ? 1 : 0),
    'min',
  )
  const limits = concurrencyLimitsOf(live)
  const limiter = new LeasedLimiter({ countsClient, ticks, localCounts: new Counts({ ticks }) })
  const keyCapacity = new LeasedCapacity({ countsClient, max: limits.ofKey })
  const timer = setInterval(() => {
    limiter.tick()
    keyCapacity.tick()
  }, TICK_MS).unref()
  const heartbeatTimer = setInterval(() => countsClient.sendHeartbeat(), HEARTBEAT_MS).unref()
  countsClient.sendHeartbeat()
  return {
    limiter,
    concurrencyLimiter: new ConcurrencyLimiter({ limits, keys: keyCapacity }),
    async stop() {
      clearInterval(timer)
      clearInterval(heartbeatTimer)
      countsClient.stop()
    },
  }
}
