import type { AttemptFailure } from '../domain/settlement.ts'

/** Closed: the deployment is called. Open: it is not. Half open: one call finds out whether it has recovered. */
export type BreakerState = 'closed' | 'half_open' | 'open'

/** How a deployment stands when one is chosen. Resting: it said that it is at its limit, so others go first. */
export type Availability = 'ready' | 'resting' | 'shut'

/** Read each time they are needed, because they can change while calls are in flight. */
export interface BreakerSettings {
  /** This many failures open it, if they are at least half of the recent calls. 0: it never opens. */
  readonly failures: number
  /** How long it stays open the first time. The time doubles with each opening in a row. */
  readonly cooldownMs: number
  readonly maxCooldownMs: number
}

/** A change of state for the log. `waitMs` is how long the breaker stays open. */
export interface BreakerChange {
  deployment: string
  state: BreakerState
  waitMs: number
  /** The last failure that it was told of; null if it knows none. */
  failure: AttemptFailure | null
}

/** Recent calls are those that ended in the current span or the one before it. */
const WINDOW_MS = 30_000
/** This multiple of `failures`, one failure after the other, opens it however long they took. */
const CONSECUTIVE_FACTOR = 2
/** A vendor's limit is never taken to last longer than this. */
const MAX_REST_MS = 60_000

/**
 * The breaker of one deployment. It matches results to the epoch in which their call began: a call from before it opened says
 * nothing about how the deployment is now.
 */
class Breaker {
  readonly #settings: BreakerSettings
  readonly #onChange: (state: BreakerState, waitMs: number, failure: AttemptFailure | null) => void
  #lastFailure: AttemptFailure | null = null
  state: BreakerState = 'closed'
  #epoch = 0
  #consecutiveFailures = 0
  #successes = 0
  #failures = 0
  #previousSuccesses = 0
  #previousFailures = 0
  #windowStartMs = Number.NEGATIVE_INFINITY
  #openings = 0
  #closedMs = Number.NEGATIVE_INFINITY
  #openUntilMs = 0
  #restUntilMs = 0

  constructor(
    settings: BreakerSettings,
    onChange: (state: BreakerState, waitMs: number, failure: AttemptFailure | null) => void,
  ) {
    this.#settings = settings
    this.#onChange = onChange
  }

  availability(nowMs: number): Availability {
    // A breaker that was open when breakers were switched off lets calls through like any other.
    if (this.state === 'closed' || this.#settings.failures === 0) return this.#restUntilMs > nowMs ? 'resting' : 'ready'
    return this.state === 'open' && this.#openUntilMs <= nowMs ? 'ready' : 'shut'
  }

  /** Milliseconds until it may be called again, as far as that is known. */
  waitMs(nowMs: number): number {
    return this.state === 'open' ? Math.max(0, this.#openUntilMs - nowMs) : 0
  }

  /** Lets one call through, and returns the epoch that its result has to name. */
  take(): number {
    if (this.state === 'open') {
      this.#epoch++
      this.#setState('half_open', 0)
    }
    return this.#epoch
  }

  /** The deployment began to answer. For a probe that is enough: its answer may take minutes, and other calls wait. */
  recordStart(epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch || this.state !== 'half_open') return
    this.#close(nowMs)
    // Until an answer has ended well, the next failure opens it again.
    this.#consecutiveFailures = this.#settings.failures * CONSECUTIVE_FACTOR - 1
  }

  recordSuccess(epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch) return
    if (this.state === 'half_open') this.#close(nowMs)
    this.#rollWindow(nowMs)
    this.#successes++
    this.#consecutiveFailures = 0
    this.#restUntilMs = 0
  }

  recordFailure(epoch: number, nowMs: number, failure: AttemptFailure | null): void {
    const { failures } = this.#settings
    if (epoch !== this.#epoch) return
    if (failures === 0) {
      if (this.state === 'half_open') this.#close(nowMs)
      return
    }
    this.#lastFailure = failure
    if (this.state === 'half_open') {
      this.#open(this.#openings + 1, nowMs)
      return
    }
    this.#rollWindow(nowMs)
    this.#failures++
    this.#consecutiveFailures++
    const bad = this.#failures + this.#previousFailures
    const failsOften = bad >= failures && bad >= this.#successes + this.#previousSuccesses
    if (!failsOften && this.#consecutiveFailures < failures * CONSECUTIVE_FACTOR) return
    // A breaker that opens again soon after it closed had not recovered: it stays open longer.
    this.#open(nowMs - this.#closedMs < this.#settings.maxCooldownMs ? this.#openings + 1 : 0, nowMs)
  }

  /** The deployment said that it is at its limit. That is not a failure, but others go first for a while. */
  recordLimit(epoch: number, restMs: number, nowMs: number): void {
    if (epoch !== this.#epoch) return
    const ms = Math.min(restMs, MAX_REST_MS)
    if (this.state === 'half_open') {
      this.#openUntilMs = nowMs + ms
      this.#setState('open', ms)
    } else this.#restUntilMs = Math.max(this.#restUntilMs, nowMs + ms)
  }

  /** The call ended without a verdict on the deployment: another call may find out. */
  release(epoch: number): void {
    if (epoch === this.#epoch && this.state === 'half_open') this.state = 'open'
  }

  /** An operator reports that the deployment is well: earlier calls no longer count. */
  reset(): void {
    this.#epoch++
    this.#openings = 0
    this.#forget()
    this.#closedMs = Number.NEGATIVE_INFINITY
    this.#lastFailure = null
    if (this.state !== 'closed') this.#setState('closed', 0)
  }

  #open(openings: number, nowMs: number): void {
    const { cooldownMs, maxCooldownMs } = this.#settings
    const ms = Math.min(cooldownMs * 2 ** Math.min(openings, 30), maxCooldownMs)
    this.#openings = openings
    this.#openUntilMs = nowMs + ms
    this.#epoch++
    this.#forget()
    this.#setState('open', ms)
  }

  #close(nowMs: number): void {
    this.#closedMs = nowMs
    this.#forget()
    this.#setState('closed', 0)
  }

  #forget(): void {
    this.#consecutiveFailures = 0
    this.#successes = this.#failures = this.#previousSuccesses = this.#previousFailures = 0
    this.#restUntilMs = 0
  }

  #rollWindow(nowMs: number): void {
    const pastMs = nowMs - this.#windowStartMs
    if (pastMs < WINDOW_MS) return
    const next = pastMs < 2 * WINDOW_MS
    this.#previousSuccesses = next ? this.#successes : 0
    this.#previousFailures = next ? this.#failures : 0
    this.#successes = this.#failures = 0
    this.#windowStartMs = next ? this.#windowStartMs + WINDOW_MS : nowMs
  }

  #setState(state: BreakerState, waitMs: number): void {
    this.state = state
    this.#onChange(state, waitMs, this.#lastFailure)
  }
}

/** The right to call a deployment once. Only its first result counts. */
export class Pass {
  readonly #breaker: Breaker
  readonly #epoch: number
  readonly #ticks: () => number
  #ended = false

  constructor(breaker: Breaker, ticks: () => number) {
    this.#breaker = breaker
    this.#epoch = breaker.take()
    this.#ticks = ticks
  }

  /** The deployment began to answer. */
  recordStart(): void {
    if (!this.#ended) this.#breaker.recordStart(this.#epoch, this.#ticks())
  }

  /** Its answer ended as it should, or was an error that the request deserved. */
  recordSuccess(): void {
    if (this.#end()) this.#breaker.recordSuccess(this.#epoch, this.#ticks())
  }

  recordFailure(failure: AttemptFailure | null = null): void {
    if (this.#end()) this.#breaker.recordFailure(this.#epoch, this.#ticks(), failure)
  }

  /** The deployment said that it is at its limit, for about this long. */
  recordLimit(restMs: number): void {
    if (this.#end()) this.#breaker.recordLimit(this.#epoch, restMs, this.#ticks())
  }

  /** The call ended for reasons other than the deployment, such as a client that disconnected. */
  release(): void {
    if (this.#end()) this.#breaker.release(this.#epoch)
  }

  #end(): boolean {
    const first = !this.#ended
    this.#ended = true
    return first
  }
}

/**
 * The breakers of all deployments in this process, by deployment id. A deployment counts as well until it was seen to fail.
 * `ticks` is a monotonic clock in milliseconds; `onChange` is called with every change of state.
 */
export class Breakers {
  readonly #all = new Map<string, Breaker>()
  readonly #settings: BreakerSettings
  readonly #ticks: () => number
  readonly #onChange: (change: BreakerChange) => void

  constructor(settings: BreakerSettings, ticks: () => number, onChange: (change: BreakerChange) => void) {
    this.#settings = settings
    this.#ticks = ticks
    this.#onChange = onChange
  }

  availabilityOf(deployment: string, nowMs: number): Availability {
    return this.#all.get(deployment)?.availability(nowMs) ?? 'ready'
  }

  state(deployment: string): BreakerState {
    return this.#all.get(deployment)?.state ?? 'closed'
  }

  /** Milliseconds until a deployment that is shut may be called again; 0 if a probe is in flight. */
  waitMs(deployment: string, nowMs: number): number {
    return this.#all.get(deployment)?.waitMs(nowMs) ?? 0
  }

  /** Lets one call to a deployment through. Check its standing first: a shut one is not refused here. */
  take(deployment: string): Pass {
    let breaker = this.#all.get(deployment)
    if (!breaker) {
      breaker = new Breaker(this.#settings, (state, waitMs, failure) => this.#onChange({ deployment, state, waitMs, failure }))
      this.#all.set(deployment, breaker)
    }
    return new Pass(breaker, this.#ticks)
  }

  /** Closes the breaker of a deployment, whatever it has seen. */
  reset(deployment: string): void {
    this.#all.get(deployment)?.reset()
  }

  /** Forgets every deployment that is not in the set. */
  retainOnly(deployments: ReadonlySet<string>): void {
    for (const id of this.#all.keys()) if (!deployments.has(id)) this.#all.delete(id)
  }
}
