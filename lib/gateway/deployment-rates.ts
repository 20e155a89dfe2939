import type { Deployment } from '../domain/catalog.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { CountResult, LimiterPort, LimitState, MinuteLimits, RatesPort, SizeOf } from './limits/ports.ts'

/** The minute of a deployment that had no room for a call of so many tokens when it was last asked. */
interface FullMinute {
  tokens: number
  /** Nobody asks again until then. */
  recheckAtMs: number
  /** When the minute ends. */
  endsMs: number
}

/** Stands for "no limit" if a deployment has only one of the two. Redis counts it without fractions. */
const UNLIMITED = 1e12
/** Few answers are longer. The actual usage is known soon; until then a high cap would keep other calls out for nothing. */
const MAX_ANSWER_TOKENS = 4096
/** With small limits, no answer reserves more than this fraction (1/n) of the limit beforehand. */
const ANSWER_DIVISOR = 16
/** How late tokens that others gave back are noticed, and how often a full deployment is asked about at most. */
const RECHECK_MS = 250

/**
 * Counts calls against the requests and tokens per minute of their deployments, with the limiter that counts the requests of
 * keys, so with the same reach across processes and machines. Asked only about deployments that have such limits.
 */
export class DeploymentRates implements RatesPort {
  readonly #limiter: LimiterPort
  readonly #ticks: () => number
  readonly #onFull: (deploymentId: string, endsInMs: number) => void
  /** Keyed by the deployment object of the catalog in memory: one with a different limit is a different object. */
  readonly #full = new WeakMap<Deployment, FullMinute>()

  constructor(options: {
    limiter: LimiterPort
    ticks: () => number
    /** Called once a minute when a deployment is full; in `endsInMs` milliseconds that is over. */
    onFull?: (deploymentId: string, endsInMs: number) => void
  }) {
    this.#limiter = options.limiter
    this.#ticks = options.ticks
    this.#onFull = options.onFull ?? (() => undefined)
  }

  isFull(deployment: Deployment, sizeOf: SizeOf, nowMs: number): boolean {
    const full = this.#fullMinuteOf(deployment, sizeOf, nowMs)
    return full !== null && nowMs < full.recheckAtMs
  }

  waitMs(deployment: Deployment, sizeOf: SizeOf, nowMs: number): number {
    const full = this.#fullMinuteOf(deployment, sizeOf, nowMs)
    return full === null ? 0 : full.endsMs - nowMs
  }

  take(deployment: Deployment, sizeOf: SizeOf): MaybePromise<CountResult> {
    const tokens = tokensFor(deployment, sizeOf)
    const limits = { rpm: deployment.requestsPerMinute ?? UNLIMITED, tpm: deployment.tokensPerMinute ?? UNLIMITED }
    const state = this.#limiter.take(keyOf(deployment), limits, tokens)
    return 'then' in state
      ? state.then((later) => this.#toCountResult(deployment, limits, tokens, later))
      : this.#toCountResult(deployment, limits, tokens, state)
  }

  #fullMinuteOf(deployment: Deployment, sizeOf: SizeOf, nowMs: number): FullMinute | null {
    const full = this.#full.get(deployment)
    return full && nowMs < full.endsMs && full.tokens <= tokensFor(deployment, sizeOf) ? full : null
  }

  #toCountResult(deployment: Deployment, limits: MinuteLimits, tokens: number, state: LimitState): CountResult {
    const nowMs = this.#ticks()
    if (state.full !== null) {
      // A minute that ended while it was being asked about still counts as full for that call.
      const resetMs = Math.max(1, state[state.full].resetMs)
      const previous = this.#full.get(deployment)
      if (previous === undefined || previous.endsMs <= nowMs) this.#onFull(deployment.id, resetMs)
      // If requests are used up, the smallest call does not fit either; nor does one that had no room a moment ago.
      const fullAtTokens = previous !== undefined && nowMs < previous.recheckAtMs ? previous.tokens : Number.POSITIVE_INFINITY
      const minTokens = state.full === 'requests' ? 0 : Math.min(tokens, fullAtTokens)
      this.#full.set(deployment, { tokens: minTokens, recheckAtMs: nowMs + RECHECK_MS, endsMs: nowMs + resetMs })
      return 'full'
    }
    const untilMs = nowMs + state.tokens.resetMs
    let corrected = deployment.tokensPerMinute == null
    return {
      countRequests: (times) => {
        if (deployment.requestsPerMinute == null) return
        for (let more = 1; more < times; more++)
          Promise.resolve(this.#limiter.take(keyOf(deployment), limits, 0)).catch(() => undefined)
      },
      correctTokens: (used) => {
        if (corrected) return
        corrected = true
        // If the minute is over, its unused tokens must not be added to the next one.
        if (used === tokens || (used < tokens && this.#ticks() >= untilMs)) return
        this.#limiter.correct(keyOf(deployment), limits, used - tokens)
        const full = this.#full.get(deployment)
        if (used < tokens && full) full.recheckAtMs = nowMs
      },
    }
  }
}

/** Whether a deployment has limits per minute. If it has none, nothing else here is done for it. */
export const isLimited = ({ requestsPerMinute, tokensPerMinute }: Deployment): boolean =>
  requestsPerMinute != null || tokensPerMinute != null

/** Keys and deployments are counted in the same place. */
const keyOf = ({ id }: Deployment): string => `deployment:${id}`

function tokensFor({ tokensPerMinute }: Deployment, sizeOf: SizeOf): number {
  if (tokensPerMinute == null) return 0
  const { input, output } = sizeOf()
  return input + Math.min(output, MAX_ANSWER_TOKENS, Math.ceil(tokensPerMinute / ANSWER_DIVISOR))
}
