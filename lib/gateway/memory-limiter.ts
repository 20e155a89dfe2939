import type { Counts } from './limits/counts.ts'
import type { LimiterPort, LimitState, MinuteLimits } from './limits/ports.ts'

const MAX_STRIKES = 60
const NO_AMOUNTS = { requests: 0, tokens: 0 }

/** Limits in the memory of this process: one-minute windows for each key, and failed authentications for each address. */
export class MemoryLimiter implements LimiterPort {
  readonly #counts: Counts

  constructor(counts: Counts) {
    this.#counts = counts
  }

  take(key: string, { rpm, tpm }: MinuteLimits, tokens: number): LimitState {
    const taken = this.#counts.take(
      { kind: 'take', key, rpm, tpm, tokens: [tokens], window: null, back: NO_AMOUNTS, block: false },
      1,
    )
    const { used, endsInMs: resetMs } = taken
    return {
      requests: { limit: rpm, remaining: rpm - used.requests, resetMs },
      tokens: { limit: tpm, remaining: tpm - used.tokens, resetMs },
      full: taken.full[0] ?? null,
    }
  }

  correct(key: string, _limits: { tpm: number }, tokens: number): void {
    this.#counts.correct(key, tokens)
  }

  strike(address: string): number {
    return waitSecondsOf(this.#counts.strike({ kind: 'strike', address, count: 1 }))
  }

  blockedSeconds(address: string): number {
    return waitSecondsOf(this.#counts.strike({ kind: 'strike', address, count: 0 }))
  }
}

/** The seconds that an address with this many failures must wait, or 0. */
export function waitSecondsOf({ strikes, endsInMs }: { strikes: number; endsInMs: number }): number {
  return strikes > MAX_STRIKES ? Math.max(1, Math.ceil(endsInMs / 1000)) : 0
}
