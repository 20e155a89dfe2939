import { afterEach, beforeEach } from 'vitest'
import type { Ask } from './ask.ts'
import { Counts } from './counts.ts'
import { LeasedLimiter } from './leased-limiter.ts'
import { LeasedRoom } from './leased-room.ts'
import { Reach } from './reach.ts'

const PROBE_MS = 5

/** Counts that processes share and may lose. Its clock is set by hand. Fresh for each test of the file that opens it. */
class SharedCounts {
  now = 0
  lost = false
  asked: Ask[] = []
  counts = this.empty()
  readonly #reaches: Reach[] = []

  /** Counts that are empty. */
  empty(): Counts {
    return new Counts({ ticks: () => this.now })
  }

  reset(): void {
    this.now = 1000
    this.lost = false
    this.asked = []
    this.counts = this.empty()
  }

  // A process that is still cut off would report what it owes to the next test's counts.
  stop(): void {
    for (const reach of this.#reaches.splice(0)) reach.stop()
  }

  process(name: string, sharers: number) {
    const heard: boolean[] = []
    const reach = new Reach({
      counts: {
        send: async (asks) => {
          if (this.lost) throw new Error('lost')
          this.asked.push(...asks)
          return { sharers, answers: asks.map((ask) => this.counts.answer(ask, sharers, name)) }
        },
      },
      timeoutMs: 1000,
      probeMs: PROBE_MS,
      sharers,
      changed: (reached) => heard.push(reached),
    })
    this.#reaches.push(reach)
    const limiter = new LeasedLimiter({ reach, ticks: () => this.now, own: this.empty() })
    return { limiter, room: new LeasedRoom({ reach, most: () => 100 }), reach, heard }
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
