import type { Deployment } from '../domain/catalog.ts'
import type { Soon } from '../domain/soon.ts'
import type { LimiterPort, LimitState, MinuteLimits, RatesPort, SizeOf, Taken } from './limits/ports.ts'

/** The minute of a deployment had no room for a call of so many tokens, when it was last asked. */
interface Full {
  tokens: number
  /** Until then nobody asks again. */
  lookAtMs: number
  /** When its minute is over. */
  endsMs: number
}

/** Stands for no limit where a deployment has only one of the two. Redis counts it without fractions. */
const UNLIMITED = 1e12
/** Few answers are longer. What was used is known soon; until then a long cap would keep others out for nothing. */
const MOST_ANSWER = 4096
/** And of small limits no answer takes more than this part beforehand. */
const ANSWER_PARTS = 16
/** What others gave back is seen so late, and a deployment that is full is asked about no more often. */
const LOOK_AGAIN_MS = 250

/**
 * Counts calls against the requests and tokens a minute of their deployments, with the limiter that counts the requests
 * of keys: across processes and machines as those are. Asked only about deployments that have such limits.
 */
export class DeploymentRates implements RatesPort {
  readonly #limiter: LimiterPort
  readonly #ticks: () => number
  readonly #tell: (deploymentId: string, endsInMs: number) => void
  /** By the deployment as the catalog in memory has it: with another limit it is another one. */
  readonly #full = new WeakMap<Deployment, Full>()

  constructor(options: {
    limiter: LimiterPort
    ticks: () => number
    /** Hears that a deployment is full, once in a minute; in so many milliseconds that is over. */
    tell?: (deploymentId: string, endsInMs: number) => void
  }) {
    this.#limiter = options.limiter
    this.#ticks = options.ticks
    this.#tell = options.tell ?? (() => undefined)
  }

  full(deployment: Deployment, sizeOf: SizeOf, nowMs: number): boolean {
    const full = this.#fullFor(deployment, sizeOf, nowMs)
    return full !== null && nowMs < full.lookAtMs
  }

  waitMs(deployment: Deployment, sizeOf: SizeOf, nowMs: number): number {
    const full = this.#fullFor(deployment, sizeOf, nowMs)
    return full === null ? 0 : full.endsMs - nowMs
  }

  take(deployment: Deployment, sizeOf: SizeOf): Soon<Taken> {
    const tokens = tokensFor(deployment, sizeOf)
    const limits = { rpm: deployment.requestsPerMinute ?? UNLIMITED, tpm: deployment.tokensPerMinute ?? UNLIMITED }
    const state = this.#limiter.take(keyOf(deployment), limits, tokens)
    return 'then' in state
      ? state.then((later) => this.#taken(deployment, limits, tokens, later))
      : this.#taken(deployment, limits, tokens, state)
  }

  #fullFor(deployment: Deployment, sizeOf: SizeOf, nowMs: number): Full | null {
    const full = this.#full.get(deployment)
    return full && nowMs < full.endsMs && full.tokens <= tokensFor(deployment, sizeOf) ? full : null
  }

  #taken(deployment: Deployment, limits: MinuteLimits, tokens: number, state: LimitState): Taken {
    const nowMs = this.#ticks()
    if (state.full !== null) {
      // One that ended while it was asked about is full all the same for who asked.
      const resetMs = Math.max(1, state[state.full].resetMs)
      const before = this.#full.get(deployment)
      if (before === undefined || before.endsMs <= nowMs) this.#tell(deployment.id, resetMs)
      // Where requests are used up the smallest call does not fit either; nor does one that had no room a moment ago.
      const known = before !== undefined && nowMs < before.lookAtMs ? before.tokens : Number.POSITIVE_INFINITY
      const least = state.full === 'requests' ? 0 : Math.min(tokens, known)
      this.#full.set(deployment, { tokens: least, lookAtMs: nowMs + LOOK_AGAIN_MS, endsMs: nowMs + resetMs })
      return 'full'
    }
    const untilMs = nowMs + state.tokens.resetMs
    let known = deployment.tokensPerMinute == null
    return {
      asked: (times) => {
        if (deployment.requestsPerMinute == null) return
        for (let more = 1; more < times; more++)
          Promise.resolve(this.#limiter.take(keyOf(deployment), limits, 0)).catch(() => undefined)
      },
      used: (used) => {
        if (known) return
        known = true
        // Its minute is over: what it did not use there would be a gift to the next one.
        if (used === tokens || (used < tokens && this.#ticks() >= untilMs)) return
        this.#limiter.correct(keyOf(deployment), limits, used - tokens)
        const full = this.#full.get(deployment)
        if (used < tokens && full) full.lookAtMs = nowMs
      },
    }
  }
}

/** Whether a deployment has limits of a minute: nothing else here is done for one that has none. */
export const isLimited = ({ requestsPerMinute, tokensPerMinute }: Deployment): boolean =>
  requestsPerMinute != null || tokensPerMinute != null

/** Keys and deployments are counted in the same place. */
const keyOf = ({ id }: Deployment): string => `deployment:${id}`

function tokensFor({ tokensPerMinute }: Deployment, sizeOf: SizeOf): number {
  if (tokensPerMinute == null) return 0
  const { input, output } = sizeOf()
  return input + Math.min(output, MOST_ANSWER, Math.ceil(tokensPerMinute / ANSWER_PARTS))
}
