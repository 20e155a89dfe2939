import type { Deployment } from '../domain/catalog.ts'
import type { Refusal } from '../domain/errors.ts'
import type { Attempt, AttemptResult } from '../domain/settlement.ts'
import { asVendorFailure, hasAnswer } from '../vendors/vendor.ts'
import type { Route } from './choose-deployment.ts'
import type { GatewayPorts } from './ports.ts'
import { isRequestError } from './vendor-errors.ts'

/** What an attempt reports to the request or the task that makes it. */
export interface AttemptObserver {
  readonly trace: Attempt[]
  /** The client disconnected, and the attempt is ended because of that. */
  readonly clientGone: boolean
  recordVendorCall(atMs: number, deployment: Deployment): void
}

/** One attempt in progress: its time limit, its line in the trace, and the breaker, which is told once how it ends. */
export class RunningAttempt {
  readonly #route: Route
  readonly #observer: AttemptObserver
  readonly #ports: GatewayPorts
  readonly #attempt: Attempt
  readonly #controller = new AbortController()
  readonly #startMs: number
  /** Whether another deployment was tried before. */
  readonly #isRetry: boolean
  #timer: NodeJS.Timeout | null = null
  readonly #releaseSlot: () => void
  #ended = false
  /** Whether its time limit ended it. */
  timedOut = false

  constructor(route: Route, exchange: AttemptObserver, ports: GatewayPorts) {
    this.#route = route
    this.#observer = exchange
    this.#ports = ports
    const { id, upstreamModel, connection } = route.deployment
    this.#attempt = {
      deployment: id,
      connection: connection.name,
      model: upstreamModel,
      status: null,
      tookMs: 0,
      result: 'left',
      detail: null,
    }
    this.#isRetry = exchange.trace.length > 0
    exchange.trace.push(this.#attempt)
    this.#startMs = ports.ticks()
    this.#releaseSlot = route.releaseSlot ?? ports.callSlots?.enter(route.deployment) ?? (() => undefined)
    exchange.recordVendorCall(this.#startMs, route.deployment)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the attempt this many milliseconds from now. */
  setTimeLimit(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.timedOut = true
      this.#controller.abort()
    }, ms)
    this.#timer.unref()
  }

  /** The vendor's status has arrived. */
  recordStatus(status: number): void {
    this.#attempt.status = status
    this.#attempt.result = 'answered'
    this.#attempt.tookMs = this.#tookMs()
  }

  /** The answer was read to its end, and is good. */
  complete(): void {
    if (this.#end('answered', null)) this.#route.pass?.recordSuccess()
  }

  /** Ends the attempt for reasons other than the vendor. */
  abort(): void {
    if (this.#end('left', null)) this.#route.pass?.release()
    this.#controller.abort()
  }

  /** Ends the attempt because the vendor has no such endpoint, which says nothing about its health at others. */
  endUnsupported(): void {
    if (this.#end('refused', null)) this.#route.pass?.release()
    this.#controller.abort()
  }

  /**
   * Ends the attempt because the vendor failed, unless it failed because its client disconnected. `vendorWorks`: only this request
   * failed, so the breaker is told of a success.
   */
  fail(refusal: Refusal | null, error: unknown, vendorWorks = false): void {
    if (this.#observer.clientGone) {
      this.abort()
      return
    }
    const result = this.#resultOf(error)
    const { status } = this.#attempt
    // A status needs no further detail.
    const detail = status === null || hasAnswer(status) ? (asVendorFailure(error)?.detail ?? refusal?.detail ?? 'unknown') : null
    if (!this.#end(result, detail)) return
    const { pass } = this.#route
    if (result === 'refused' || vendorWorks) pass?.recordSuccess()
    else if (result === 'limited') pass?.recordLimit((refusal?.retryAfter ?? 1) * 1000)
    // Nothing was sent.
    else if (asVendorFailure(error)?.kind === 'over_cap') pass?.release()
    else pass?.recordFailure({ result, status })
    this.#controller.abort()
  }

  #resultOf(error: unknown): AttemptResult {
    const { status } = this.#attempt
    if (status === 429) return 'limited'
    if (status !== null && !hasAnswer(status)) return isRequestError(status) ? 'refused' : 'failed'
    if (this.timedOut) return 'timed_out'
    const kind = asVendorFailure(error)?.kind
    if (kind === undefined || kind === 'cut' || kind === 'unreadable') return 'broken'
    return kind === 'over_cap' ? 'misconfigured' : kind
  }

  #end(result: AttemptResult, detail: string | null): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#releaseSlot()
    if (this.#timer) clearTimeout(this.#timer)
    this.#attempt.result = result
    this.#attempt.detail = detail
    this.#attempt.tookMs = this.#tookMs()
    this.#ports.traffic.recordAttempt(this.#route.modelId, this.#route.deployment, result, this.#isRetry)
    return true
  }

  #tookMs(): number {
    return Math.round((this.#ports.ticks() - this.#startMs) * 10) / 10
  }
}
