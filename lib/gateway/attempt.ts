import type { Deployment } from '../domain/catalog.ts'
import type { Refusal } from '../domain/errors.ts'
import type { Attempt, AttemptResult } from '../domain/settlement.ts'
import { asVendorFailure } from '../vendors/vendor.ts'
import type { Route } from './choose.ts'
import type { GatewayPorts } from './ports.ts'
import { isOfTheRequest } from './vendor-errors.ts'

/** What an attempt reports to the request or the task that makes it. */
export interface Attempting {
  readonly trace: Attempt[]
  /** The client disconnected, and the attempt is ended because of that. */
  readonly left: boolean
  callsVendor(atMs: number, deployment: Deployment): void
}

/** One attempt in progress: its time limit, its line in the trace, and the breaker, which is told once how it ends. */
export class Running {
  readonly #route: Route
  readonly #exchange: Attempting
  readonly #ports: GatewayPorts
  readonly #line: Attempt
  readonly #controller = new AbortController()
  readonly #startMs: number
  /** Whether another deployment was tried before. */
  readonly #again: boolean
  #timer: NodeJS.Timeout | null = null
  readonly #leave: () => void
  #over = false
  /** Whether its time limit ended it. */
  late = false

  constructor(route: Route, exchange: Attempting, ports: GatewayPorts) {
    this.#route = route
    this.#exchange = exchange
    this.#ports = ports
    const { id, upstreamModel, connection } = route.deployment
    this.#line = {
      deployment: id,
      connection: connection.name,
      model: upstreamModel,
      status: null,
      tookMs: 0,
      result: 'left',
      detail: null,
    }
    this.#again = exchange.trace.length > 0
    exchange.trace.push(this.#line)
    this.#startMs = ports.ticks()
    this.#leave = route.leave ?? ports.busy?.enter(route.deployment) ?? (() => undefined)
    exchange.callsVendor(this.#startMs, route.deployment)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the attempt this many milliseconds from now. */
  limit(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.late = true
      this.#controller.abort()
    }, ms)
    this.#timer.unref()
  }

  /** The vendor's status has arrived. */
  heard(status: number): void {
    this.#line.status = status
    this.#line.result = 'answered'
    this.#line.tookMs = this.#tookMs()
  }

  /** The answer was read to its end, and is good. */
  done(): void {
    if (this.#end('answered', null)) this.#route.pass?.well()
  }

  /** Ends the attempt for reasons other than the vendor. */
  abort(): void {
    if (this.#end('left', null)) this.#route.pass?.released()
    this.#controller.abort()
  }

  /** Ends the attempt because the vendor has no such endpoint, which says nothing about its health at others. */
  lacks(): void {
    if (this.#end('refused', null)) this.#route.pass?.released()
    this.#controller.abort()
  }

  /** Ends the attempt because the vendor failed, unless it failed because its client disconnected. */
  fail(refusal: Refusal | null, error: unknown): void {
    if (this.#exchange.left) {
      this.abort()
      return
    }
    const result = this.#resultOf(error)
    const { status } = this.#line
    // A status needs no further detail.
    const detail = status === null || status === 200 ? (asVendorFailure(error)?.detail ?? refusal?.detail ?? 'unknown') : null
    if (!this.#end(result, detail)) return
    const { pass } = this.#route
    if (result === 'refused') pass?.well()
    else if (result === 'limited') pass?.limited((refusal?.retryAfter ?? 1) * 1000)
    // Nothing was sent.
    else if (asVendorFailure(error)?.kind === 'over_cap') pass?.released()
    else pass?.failed({ result, status })
    this.#controller.abort()
  }

  #resultOf(error: unknown): AttemptResult {
    const { status } = this.#line
    if (status === 429) return 'limited'
    if (status !== null && status !== 200) return isOfTheRequest(status) ? 'refused' : 'failed'
    if (this.late) return 'timed_out'
    const kind = asVendorFailure(error)?.kind
    if (kind === undefined || kind === 'cut' || kind === 'unreadable') return 'broken'
    return kind === 'over_cap' ? 'misconfigured' : kind
  }

  #end(result: AttemptResult, detail: string | null): boolean {
    if (this.#over) return false
    this.#over = true
    this.#leave()
    if (this.#timer) clearTimeout(this.#timer)
    this.#line.result = result
    this.#line.detail = detail
    this.#line.tookMs = this.#tookMs()
    this.#ports.traffic.attempted(this.#route.modelId, this.#route.deployment, result, this.#again)
    return true
  }

  #tookMs(): number {
    return Math.round((this.#ports.ticks() - this.#startMs) * 10) / 10
  }
}
