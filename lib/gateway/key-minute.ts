import { Refusal } from '../domain/errors.ts'
import type { LimitState, MinuteLimits } from './limits/ports.ts'
import type { GatewayPorts } from './ports.ts'

/** What one request takes from its key's minute. */
export class KeyMinute {
  readonly #ports: Pick<GatewayPorts, 'limiter' | 'ticks'>
  #counted: { keyId: string; limits: MinuteLimits; tokens: number; untilMs: number } | null = null
  /** The state of the minute when the request was counted; null before that. */
  state: LimitState | null = null

  constructor(ports: Pick<GatewayPorts, 'limiter' | 'ticks'>) {
    this.#ports = ports
  }

  /** Counts the request, with roughly this many tokens. Throws 429 if a limit is reached. Null if that was known at once. */
  take(keyId: string, limits: MinuteLimits, tokens: number): Promise<void> | null {
    const state = this.#ports.limiter.take(keyId, limits, tokens)
    if ('then' in state) return state.then((own) => this.#count(own, keyId, limits, tokens))
    this.#count(state, keyId, limits, tokens)
    return null
  }

  #count(state: LimitState, keyId: string, limits: MinuteLimits, tokens: number): void {
    this.state = state
    const { full, requests, tokens: window } = state
    if (full === null) {
      this.#counted = { keyId, limits, tokens, untilMs: this.#ports.ticks() + window.resetMs }
      return
    }
    const [max, { resetMs }] = full === 'requests' ? [limits.rpm, requests] : [limits.tpm, window]
    const retryAfter = Math.max(1, Math.ceil(resetMs / 1000))
    throw new Refusal(
      full === 'requests' ? 'too_many_requests' : 'too_many_tokens',
      `This key can use ${max} ${max === 1 ? full.slice(0, -1) : full} per minute. Try again in ${retryAfter} s.`,
      { retryAfter },
    )
  }

  /** Corrects the tokens of what was counted, once they are known. Only the first call counts. */
  correct(used: number): void {
    if (!this.#counted) return
    const { keyId, limits, tokens, untilMs } = this.#counted
    this.#counted = null
    // If the minute is over, its unused tokens must not be added to the next one.
    if (used < tokens && this.#ports.ticks() >= untilMs) return
    this.#ports.limiter.correct(keyId, limits, used - tokens)
  }
}
