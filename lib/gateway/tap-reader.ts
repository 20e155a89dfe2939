import type { StreamTap } from '../wire/answer.ts'
import type { Tapped } from './bridged.ts'
import { inTime } from './in-time.ts'
import type { RequestTime } from './request-time.ts'
import type { SentBytes } from './sent-bytes.ts'

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
  #early: Promise<Uint8Array | null> | null = null
  #reading: Promise<Uint8Array | null> | null = null

  /** Everything that is shown is kept in `sent` too. */
  constructor({ tap, source, gather }: Tapped<unknown>, time: RequestTime, sent: SentBytes | null) {
    this.#tap = tap
    this.#source = source
    this.#gather = gather
    this.#time = time
    this.#sent = sent
  }

  /** Reads until there is something to show, which becomes the next bytes; false if there is nothing. */
  async open(): Promise<boolean> {
    this.#opening = await this.#once()
    // Vendors open with a role before they do any work: a failure right after it has shown nothing yet.
    if (this.#opening !== null && !this.#tap.started) {
      this.#early = this.#once()
      const early = await inTime(this.#early, MAX_OPENING_MS, () => null)
      if (early !== null) {
        this.#opening = Buffer.concat([this.#opening, early])
        this.#early = null
      }
    }
    return this.#opening !== null
  }

  /** The next bytes that may be shown; null at the end. */
  next(): Promise<Uint8Array | null> {
    const [opening, early] = [this.#opening, this.#early]
    this.#opening = null
    if (opening !== null) return Promise.resolve(opening)
    this.#early = null
    return early ?? this.#once()
  }

  /** Makes sure that only one read runs at a time. */
  #once(): Promise<Uint8Array | null> {
    if (this.#reading !== null) return this.#reading
    const reading = this.#read()
    this.#reading = reading
    const over = () => {
      this.#reading = null
    }
    // Registered first, so it runs before whoever waits for the read goes on, and without delaying it.
    reading.then(over, over)
    return reading
  }

  async #read(): Promise<Uint8Array | null> {
    while (!this.#tap.done) {
      if (this.#tap.broken) throw this.#tap.broken
      const { value, done } = await this.#source.next()
      if (done) break
      const bytes = this.#tap.push(value)
      if (this.#tap.started) this.#seen()
      if (bytes.byteLength === 0) continue
      this.#sent?.add(bytes)
      return bytes
    }
    return null
  }

  /** The model has said something. The first of it goes out at once; what follows may be read in larger pieces. */
  #seen(): void {
    this.#time.tokenSeen()
    this.#gather()
  }

  /** The vendor has sent everything. Its connection is read to the end so that it can be reused, but not for long. */
  readRest(abort: () => void): void {
    const late = setTimeout(abort, MAX_REST_MS)
    late.unref()
    this.#source
      .next()
      .then(({ done }) => done || abort())
      .catch(() => undefined)
      .finally(() => clearTimeout(late))
  }
}
