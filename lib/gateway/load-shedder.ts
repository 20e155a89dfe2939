import { Refusal } from '../domain/errors.ts'
import type { LogPort, ShedPort } from './ports.ts'

/** The load of this process. */
export interface Load {
  /** How many charges wait for the database, and how long the oldest of them has waited. */
  settling(): { count: number; oldestMs: number }
  /** The lag of the event loop in milliseconds, smoothed. */
  lagMs(): number
}

export type ShedReason = 'under_way' | 'lag' | 'settling'

interface Episode {
  reason: ShedReason
  sinceMs: number
  lastMs: number
  count: number
}

/** An episode ends after this long without a refusal. */
const QUIET_MS = 2000

const MESSAGES: Record<ShedReason, { text: string; retryAfter: number }> = {
  under_way: { text: 'The gateway is serving as many requests as it can. Try again in a moment.', retryAfter: 1 },
  lag: { text: 'The gateway has more work than it can finish in time. Try again in a moment.', retryAfter: 1 },
  settling: { text: 'The gateway is waiting for its ledger. Nothing is charged. Try again in a moment.', retryAfter: 2 },
}

/**
 * Refuses requests at once when they would only wait: when too many are in flight in this process, when its event loop lags,
 * and when charges pile up because the database does not take them. It runs before everything else.
 */
export class LoadShedder implements ShedPort {
  readonly #load: Load
  readonly #limits: { inFlight: number; lagMs: number; settling: number; settlingMs: number }
  readonly #ticks: () => number
  readonly #log: LogPort
  readonly #onShed: (reason: ShedReason) => void
  #inFlight = 0
  #isLagging = false
  #episode: Episode | null = null

  constructor(options: {
    load: Load
    limits: { inFlight: number; lagMs: number; settling: number; settlingMs: number }
    /** Monotonic milliseconds. */
    ticks: () => number
    log: LogPort
    /** Called for each request that is refused. */
    onShed: (reason: ShedReason) => void
  }) {
    this.#load = options.load
    this.#limits = options.limits
    this.#ticks = options.ticks
    this.#log = options.log
    this.#onShed = options.onShed
  }

  get inFlight(): number {
    return this.#inFlight
  }

  enter(kind: 'read' | 'paid'): void {
    const reason = this.#findReason(kind)
    if (reason !== null) throw this.#refuse(reason)
    if (this.#episode) this.#endEpisode(this.#episode)
    this.#inFlight++
  }

  leave(): void {
    this.#inFlight--
  }

  #findReason(kind: 'read' | 'paid'): ShedReason | null {
    const { inFlight, lagMs, settling, settlingMs } = this.#limits
    if (this.#inFlight >= inFlight) return 'under_way'
    // Once it lags, it has to be clearly on time again. Otherwise the state would flip back and forth.
    this.#isLagging = this.#load.lagMs() > (this.#isLagging ? lagMs / 2 : lagMs)
    if (this.#isLagging) return 'lag'
    if (kind === 'read') return null
    const { count, oldestMs } = this.#load.settling()
    return count >= settling || oldestMs > settlingMs ? 'settling' : null
  }

  /** Logs one line when an episode begins, and one when it ends. */
  #refuse(reason: ShedReason): Refusal {
    const now = this.#ticks()
    this.#onShed(reason)
    if (this.#episode) {
      this.#episode.count++
      this.#episode.lastMs = now
    } else {
      this.#episode = { reason, sinceMs: now, lastMs: now, count: 1 }
      const { count, oldestMs } = this.#load.settling()
      const load = {
        underWay: this.#inFlight,
        lagMs: Math.round(this.#load.lagMs()),
        settling: count,
        oldestMs: Math.round(oldestMs),
      }
      this.#log.warn({ reason, ...load }, 'overloaded: new requests are refused immediately')
    }
    const { text, retryAfter } = MESSAGES[reason]
    return new Refusal('overloaded', text, { retryAfter, detail: reason })
  }

  #endEpisode({ reason, sinceMs, lastMs, count }: Episode): void {
    if (this.#ticks() - lastMs < QUIET_MS) return
    this.#episode = null
    this.#log.info({ reason, count, tookMs: Math.round(lastMs - sinceMs) }, 'no longer overloaded')
  }
}
