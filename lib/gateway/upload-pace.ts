import { Refusal } from '../domain/errors.ts'
import { withTimeout } from './with-timeout.ts'

/** The pace that is required of the sender of a body. */
export interface PaceRules {
  /** The sender may pause this long before its pace counts. */
  graceMs: number
  minBytesPerSecond: number
  /** No single pause may be longer, however much arrived before it. */
  stallMs: number
}

const DEFAULT_RULES: PaceRules = { graceMs: 15_000, minBytesPerSecond: 1024, stallMs: 60_000 }

/** Milliseconds from its start within which an upload must have sent more than `bytes`. */
export const deadlineMs = (bytes: number, { graceMs, minBytesPerSecond }: PaceRules = DEFAULT_RULES): number =>
  graceMs + (bytes / minBytesPerSecond) * 1000

/** Refuses a body for its pace: throws the Refusal of 408. */
export const throwTooSlow = (): never => {
  throw new Refusal('upload_too_slow', 'The request body arrived too slowly. Send it again.')
}

/** Measures how fast a body arrives. The time that we take to store what arrived does not count against its sender. */
export class UploadPace {
  readonly #rules: PaceRules
  /** The time spent waiting for the sender so far, in milliseconds. */
  #waitedMs = 0
  /** How many bytes have arrived. */
  bytes = 0

  constructor(rules: PaceRules = DEFAULT_RULES) {
    this.#rules = rules
  }

  addBytes(bytes: number): void {
    this.bytes += bytes
  }

  /**
   * Waits for the next piece; throws 408 if that takes too long. A sender that stalls sends nothing by which it could be
   * noticed, so the wait itself is bounded.
   */
  async wait<T>(next: Promise<T>): Promise<T> {
    const startedMs = performance.now()
    const leftMs = deadlineMs(this.bytes, this.#rules) - this.#waitedMs
    try {
      return await withTimeout(next, Math.min(leftMs, this.#rules.stallMs), throwTooSlow)
    } finally {
      this.#waitedMs += performance.now() - startedMs
    }
  }
}
