import type { Deployment } from '../domain/catalog.ts'
import type { VendorCalls } from './ports.ts'

/** Where the time of one request goes: to vendors, one after the other, and to the gateway. All in monotonic milliseconds. */
export class RequestTime {
  readonly #startedMs: number
  readonly #ticks: () => number
  #vendorStartMs: number | null = null
  #vendorEndMs: number | null = null
  #earlierVendorMs = 0
  /** When each vendor was called, since the request began. */
  readonly #startsMs: number[] = []
  /** The last one that was called. */
  #deployment: Deployment | null = null
  #firstTokenMs: number | null = null
  #overMs: number | null = null

  /** `startedMs` is when the request's headers were here. */
  constructor(startedMs: number, ticks: () => number) {
    this.#startedMs = startedMs
    this.#ticks = ticks
  }

  /** A vendor is called, after another one perhaps: none of the time they take is our own. */
  callsVendor(atMs: number, deployment: Deployment): void {
    this.#deployment = deployment
    if (this.#vendorStartMs !== null) this.#earlierVendorMs += (this.#vendorEndMs ?? atMs) - this.#vendorStartMs
    this.#vendorStartMs = atMs
    this.#startsMs.push(atMs - this.#startedMs)
    this.#vendorEndMs = null
  }

  /** The vendor that was called has said everything, or is not listened to any more. The first time counts. */
  vendorEnds(): void {
    this.#vendorEndMs ??= this.#ticks()
  }

  /** Something that the model made is here. The first time counts. */
  tokenSeen(): void {
    this.#firstTokenMs ??= this.#ticks() - this.#startedMs
  }

  /** Nobody waits any more, neither a client nor a vendor: what is still counted is counted for the record. */
  over(): void {
    this.#overMs ??= this.#ticks()
  }

  /** Whether a vendor was called. */
  get called(): boolean {
    return this.#vendorStartMs !== null
  }

  /** Since the request began: all of it until now, the part of it that no vendor took, and until the first token. */
  get sums(): { tookMs: number; ownMs: number; firstTokenMs: number | null } {
    const now = this.#overMs ?? this.#ticks()
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
