import { Refusal } from '../domain/errors.ts'
import { inTime } from './in-time.ts'

/** What is asked of who sends a body. */
export interface PaceRules {
  /** It may pause this long before its pace counts. */
  graceMs: number
  leastBytesPerSecond: number
  /** No single pause may be longer, however much came before it. */
  stallMs: number
}

const RULES: PaceRules = { graceMs: 15_000, leastBytesPerSecond: 1024, stallMs: 60_000 }

/** Milliseconds from its start within which an upload must have more than so many bytes. */
export const deadlineMs = (bytes: number, { graceMs, leastBytesPerSecond }: PaceRules = RULES): number =>
  graceMs + (bytes / leastBytesPerSecond) * 1000

/** Refuses a body for its pace: throws the Refusal of 408. */
export const tooSlow = (): never => {
  throw new Refusal('upload_too_slow', 'The request body arrived too slowly. Send it again.')
}

/** How fast a body comes. Time that we take ourselves to put away what came is not its sender's. */
export class Pace {
  readonly #rules: PaceRules
  /** Waited for the sender so far, in milliseconds. */
  #waitedMs = 0
  /** How much has come. */
  bytes = 0

  constructor(rules: PaceRules = RULES) {
    this.#rules = rules
  }

  came(bytes: number): void {
    this.bytes += bytes
  }

  /**
   * Waits for the next of it; throws 408 where that takes too long. A sender that stalls sends nothing at which it
   * could be found out: the wait itself is bounded.
   */
  async wait<T>(next: Promise<T>): Promise<T> {
    const startedMs = performance.now()
    const leftMs = deadlineMs(this.bytes, this.#rules) - this.#waitedMs
    try {
      return await inTime(next, Math.min(leftMs, this.#rules.stallMs), tooSlow)
    } finally {
      this.#waitedMs += performance.now() - startedMs
    }
  }
}
