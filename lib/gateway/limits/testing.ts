import { afterEach, beforeEach } from 'vitest'
import { Counts } from './counts.ts'
import type { CountsAsk } from './counts-protocol.ts'
import { LeasedCapacity } from './leased-capacity.ts'
import { LeasedLimiter } from './leased-limiter.ts'
import { SharedCountsClient } from './shared-counts-client.ts'

const PROBE_MS = 5

/** Counts that processes share and may lose. Its clock is set by hand. Fresh for each test of the file that opens it. */
class SharedCounts {
  now = 0
  lost = false
  sentAsks: CountsAsk[] = []
  counts = this.empty()
  readonly #reaches: SharedCountsClient[] = []

  /** Counts that are empty. */
  empty(): Counts {
    return new Counts({ ticks: () => this.now })
  }

  reset(): void {
    this.now = 1000
    this.lost = false
    this.sentAsks = []
    this.counts = this.empty()
  }

  // A process that is still cut off would report what it owes to the next test's counts.
  stop(): void {
    for (const reach of this.#reaches.splice(0)) reach.stop()
  }

  process(name: string, sharers: number) {
    const reachableChanges: boolean[] = []
    const countsClient = new SharedCountsClient({
      counts: {
        send: async (asks) => {
          if (this.lost) throw new Error('lost')
          this.sentAsks.push(...asks)
          return { sharers, answers: asks.map((ask) => this.counts.answer(ask, sharers, name)) }
        },
      },
      timeoutMs: 1000,
      probeMs: PROBE_MS,
      sharers,
      onChange: (reached) => reachableChanges.push(reached),
    })
    this.#reaches.push(countsClient)
    const limiter = new LeasedLimiter({ countsClient, ticks: () => this.now, localCounts: this.empty() })
    return { limiter, room: new LeasedCapacity({ countsClient, max: () => 100 }), reach: countsClient, heard: reachableChanges }
  }

  group(count: number) {
    return Array.from({ length: count }, (_, n) => this.process(`p${n}`, count))
  }
}

/** Opens shared counts for the tests of a file. */
export function sharedCounts(): SharedCounts {
  const shared = new SharedCounts()
  beforeEach(() => shared.reset())
  afterEach(() => shared.stop())
  return shared
}

export const settle = () => new Promise((resolve) => setTimeout(resolve, 10))
export const nth = <T>(list: T[], n: number): T => list[n % list.length] as T
