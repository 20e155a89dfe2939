import type { StreamTap } from '../wire/answer.ts'
import type { TappedStream } from './read-vendor-answer.ts'
import type { RequestTime } from './request-time.ts'
import type { SentBytes } from './sent-bytes.ts'
import { withTimeout } from './with-timeout.ts'

/** How long a connection may take to end after the end of its answer. */
const MAX_REST_MS = 1000
/** How long an opening without content is held back at most. */
const MAX_OPENING_MS = 250

/** Reads a vendor's stream through the tap that measures it. */
export class TapReader {
  readonly #tap: StreamTap<unknown>
  readonly #source: AsyncIterator<unknown>
  readonly #gather: () => void
  readonly #time: RequestTime
  readonly #sent: SentBytes | null
  #opening: Uint8Array | null = null
  /** What follows the opening, requested already. */
  #prefetched: Promise<Uint8Array | null> | null = null
  #reading: Promise<Uint8Array | null> | null = null

  /** Everything that is shown is kept in `sent` too. */
  constructor({ tap, source, gather }: TappedStream<unknown>, time: RequestTime, sent: SentBytes | null) {
    this.#tap = tap
    this.#source = source
    this.#gather = gather
    this.#time = time
    this.#sent = sent
  }

  /** Reads until there is something to show, which becomes the next bytes; false if the vendor ends before that. */
  async open(): Promise<boolean> {
    this.#opening = await this.#readExclusively()
    // Vendors open with a role before they do any work: a failure right after it has shown nothing yet.
    const deadline = performance.now() + MAX_OPENING_MS
    while (this.#opening !== null && !this.#tap.started) {
      this.#prefetched = this.#readExclusively()
      const restMs = deadline - performance.now()
      if (restMs <= 0) return true
      const prefetched = await withTimeout(this.#prefetched, restMs, () => undefined)
      if (prefetched === undefined) return true
      if (prefetched === null) return false
      this.#opening = Buffer.concat([this.#opening, prefetched])
      this.#prefetched = null
    }
    return this.#opening !== null
  }

  /** The next bytes that may be shown; null at the end. */
  next(): Promise<Uint8Array | null> {
    const [opening, prefetched] = [this.#opening, this.#prefetched]
    this.#opening = null
    if (opening !== null) return Promise.resolve(opening)
    this.#prefetched = null
    return prefetched ?? this.#readExclusively()
  }

  /** Makes sure that only one read runs at a time. */
  #readExclusively(): Promise<Uint8Array | null> {
    if (this.#reading !== null) return this.#reading
    const reading = this.#read()
    this.#reading = reading
    const clearReading = () => {
      this.#reading = null
    }
    // Registered first, so it runs before whoever waits for the read goes on, and without delaying it.
    reading.then(clearReading, clearReading)
    return reading
  }

  async #read(): Promise<Uint8Array | null> {
    while (!this.#tap.done) {
      if (this.#tap.broken) throw this.#tap.broken
      let piece: IteratorResult<unknown>
      try {
        piece = await this.#source.next()
      } catch (error) {
        if (!this.#isWhole()) throw error
        break
      }
      if (piece.done) break
      const bytes = this.#tap.push(piece.value)
      if (this.#tap.started) this.#recordOutput()
      if (bytes.byteLength === 0) continue
      this.#sent?.add(bytes)
      return bytes
    }
    return null
  }

  /** Whether nothing is missing of what broke off: the model has finished, and its vendor has counted all of it, which comes last. */
  #isWhole(): boolean {
    const { complete, finishReason, usage } = this.#tap.end()
    const { uncounted = 0, uncountedImages = 0 } = this.#tap
    return complete && finishReason !== null && usage !== null && uncounted + uncountedImages === 0
  }

  /** The model has said something. The first of it goes out at once; what follows may be read in larger pieces. */
  #recordOutput(): void {
    this.#time.recordFirstToken()
    this.#gather()
  }

  /** The vendor has sent everything. Its connection is read to the end so that it can be reused, but not for long. */
  readRest(abort: () => void): void {
    const timer = setTimeout(abort, MAX_REST_MS)
    timer.unref()
    this.#source
      .next()
      .then(({ done }) => done || abort())
      .catch(() => undefined)
      .finally(() => clearTimeout(timer))
  }
}
