import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import type { LimiterPort, LimitState, Quota } from './ports.ts'

const MINUTE_SECONDS = 60
const STRIKES = 60
const MOST = Number.MAX_SAFE_INTEGER

const quota = (limit: number, used: RateLimiterRes): Quota => ({
  limit,
  remaining: limit - used.consumedPoints,
  resetMs: used.msBeforeNext,
})

/** Limits in the memory of this process: windows of one minute for each key, and failed keys for each address. */
export class MemoryLimiter implements LimiterPort {
  // The limiters only count; each key has limits of its own, so the verdict is ours.
  readonly #requests = new RateLimiterMemory({ points: MOST, duration: MINUTE_SECONDS, keyPrefix: 'rpm' })
  readonly #tokens = new RateLimiterMemory({ points: MOST, duration: MINUTE_SECONDS, keyPrefix: 'tpm' })
  readonly #strikes = new RateLimiterMemory({ points: MOST, duration: MINUTE_SECONDS, keyPrefix: '401' })

  async take(key: string, limits: { rpm: number; tpm: number }, tokens: number): Promise<LimitState> {
    const requests = quota(limits.rpm, await this.#requests.consume(key, 1))
    const window = quota(limits.tpm, await this.#tokens.consume(key, tokens))
    // A request that alone is over the limit of tokens may go when the window is untouched.
    const over = window.remaining < 0 && limits.tpm - window.remaining > tokens
    const full = requests.remaining < 0 ? 'requests' : over ? 'tokens' : null
    // A request that is turned down uses no tokens: a smaller one may still fit.
    return { requests, tokens: full === null ? window : quota(limits.tpm, await this.#tokens.reward(key, tokens)), full }
  }

  correct(key: string, _limits: { tpm: number }, tokens: number): void {
    const change = tokens > 0 ? this.#tokens.penalty(key, tokens) : this.#tokens.reward(key, -tokens)
    change.catch(() => undefined)
  }

  async strike(address: string): Promise<number> {
    return waitOf(await this.#strikes.consume(address, 1))
  }

  async struck(address: string): Promise<number> {
    const used = await this.#strikes.get(address)
    return used === null ? 0 : waitOf(used)
  }
}

const waitOf = (used: RateLimiterRes): number =>
  used.consumedPoints > STRIKES ? Math.max(1, Math.ceil(used.msBeforeNext / 1000)) : 0
