import type { Deployment } from '../domain/catalog.ts'
import type { VendorCalls } from './ports.ts'

/** How the time of one request is spent: with vendors, one after the other, and in the gateway. All in monotonic milliseconds. */
export class RequestTime {
  readonly #startedMs: number
  readonly #ticks: () => number
  #vendorStartMs: number | null = null
  #vendorEndMs: number | null = null
  #earlierVendorMs = 0
  /** When each vendor was called, measured from the beginning of the request. */
  readonly #startsMs: number[] = []
  /** The deployment that was called last. */
  #deployment: Deployment | null = null
  #firstTokenMs: number | null = null
  #stoppedMs: number | null = null

  /** `startedMs` is when the request's headers arrived. */
  constructor(startedMs: number, ticks: () => number) {
    this.#startedMs = startedMs
    this.#ticks = ticks
  }

  /** Records that a vendor is called, perhaps after another one. The time that vendors take does not count as our own. */
  recordVendorCall(atMs: number, deployment: Deployment): void {
    this.#deployment = deployment
    if (this.#vendorStartMs !== null) this.#earlierVendorMs += (this.#vendorEndMs ?? atMs) - this.#vendorStartMs
    this.#vendorStartMs = atMs
    this.#startsMs.push(atMs - this.#startedMs)
    this.#vendorEndMs = null
  }

  /** Records that the vendor has sent everything, or is no longer read. Only the first call counts. */
  recordVendorEnd(): void {
    this.#vendorEndMs ??= this.#ticks()
  }

  /** Records that output of the model has arrived. Only the first call counts. */
  recordFirstToken(): void {
    this.#firstTokenMs ??= this.#ticks() - this.#startedMs
  }

  /** Records that nobody waits any more, neither a client nor a vendor: work after this is only for the record. */
  stopClock(): void {
    this.#stoppedMs ??= this.#ticks()
  }

  /** Whether a vendor was called. */
  get vendorCalled(): boolean {
    return this.#vendorStartMs !== null
  }

  /** Times since the request began: the total until now, the part that no vendor took, and the time to the first token. */
  get durations(): { tookMs: number; ownMs: number; firstTokenMs: number | null } {
    const now = this.#stoppedMs ?? this.#ticks()
    const vendorMs = this.#earlierVendorMs + (this.#vendorEndMs ?? now) - (this.#vendorStartMs ?? now)
    const tookMs = now - this.#startedMs
    return {
      tookMs: round(tookMs),
      ownMs: round(tookMs - vendorMs),
      firstTokenMs: this.#firstTokenMs === null ? null : round(this.#firstTokenMs),
    }
  }

  get calls(): VendorCalls {
    const endMs = this.#vendorEndMs === null ? null : this.#vendorEndMs - this.#startedMs
    return { deployment: this.#deployment, startsMs: this.#startsMs, endMs }
  }
}

const round = (ms: number): number => Math.round(ms * 100) / 100
