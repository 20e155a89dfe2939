import { Refusal } from '../domain/errors.ts'
import type { LogPort, ShedPort } from './ports.ts'

/** How this process is doing. */
export interface Load {
  /** Charges that wait for the database, and for how long the oldest of them has. */
  settling(): { count: number; oldestMs: number }
  /** How late the event loop is, in milliseconds, smoothed. */
  lagMs(): number
}

export type ShedReason = 'under_way' | 'lag' | 'settling'

interface Episode {
  reason: ShedReason
  sinceMs: number
  lastMs: number
  count: number
}

/** Without a refusal for so long an episode is over. */
const QUIET_MS = 2000

const MESSAGES: Record<ShedReason, { text: string; retryAfter: number }> = {
  under_way: { text: 'The gateway is serving as many requests as it can. Try again in a moment.', retryAfter: 1 },
  lag: { text: 'The gateway has more work than it can finish in time. Try again in a moment.', retryAfter: 1 },
  settling: { text: 'The gateway is waiting for its ledger. Nothing is charged. Try again in a moment.', retryAfter: 2 },
}

/**
 * Turns requests down at once where they would only wait: when too many are under way in this process, when its event
 * loop is late, and when charges pile up because the database does not take them. It comes before everything else.
 */
export class Shed implements ShedPort {
  readonly #load: Load
  readonly #most: { underWay: number; lagMs: number; settling: number; settlingMs: number }
  readonly #ticks: () => number
  readonly #log: LogPort
  readonly #shed: (reason: ShedReason) => void
  #underWay = 0
  #late = false
  #episode: Episode | null = null

  constructor(options: {
    load: Load
    most: { underWay: number; lagMs: number; settling: number; settlingMs: number }
    /** Monotonic milliseconds. */
    ticks: () => number
    log: LogPort
    /** Told of each request that is turned down. */
    shed: (reason: ShedReason) => void
  }) {
    this.#load = options.load
    this.#most = options.most
    this.#ticks = options.ticks
    this.#log = options.log
    this.#shed = options.shed
  }

  get underWay(): number {
    return this.#underWay
  }

  enter(kind: 'read' | 'paid'): void {
    const reason = this.#reason(kind)
    if (reason !== null) throw this.#refuse(reason)
    if (this.#episode) this.#calm(this.#episode)
    this.#underWay++
  }

  leave(): void {
    this.#underWay--
  }

  #reason(kind: 'read' | 'paid'): ShedReason | null {
    const { underWay, lagMs, settling, settlingMs } = this.#most
    if (this.#underWay >= underWay) return 'under_way'
    // Once late, it has to be clearly in time again, or it would go back and forth.
    this.#late = this.#load.lagMs() > (this.#late ? lagMs / 2 : lagMs)
    if (this.#late) return 'lag'
    if (kind === 'read') return null
    const { count, oldestMs } = this.#load.settling()
    return count >= settling || oldestMs > settlingMs ? 'settling' : null
  }

  /** One line in the log when an episode begins, and one when it is over. */
  #refuse(reason: ShedReason): Refusal {
    const now = this.#ticks()
    this.#shed(reason)
    if (this.#episode) {
      this.#episode.count++
      this.#episode.lastMs = now
    } else {
      this.#episode = { reason, sinceMs: now, lastMs: now, count: 1 }
      const { count, oldestMs } = this.#load.settling()
      const load = {
        underWay: this.#underWay,
        lagMs: Math.round(this.#load.lagMs()),
        settling: count,
        oldestMs: Math.round(oldestMs),
      }
      this.#log.warn({ reason, ...load }, 'overloaded: new requests are refused immediately')
    }
    const { text, retryAfter } = MESSAGES[reason]
    return new Refusal('overloaded', text, { retryAfter, detail: reason })
  }

  #calm({ reason, sinceMs, lastMs, count }: Episode): void {
    if (this.#ticks() - lastMs < QUIET_MS) return
    this.#episode = null
    this.#log.info({ reason, count, tookMs: Math.round(lastMs - sinceMs) }, 'no longer overloaded')
  }
}
