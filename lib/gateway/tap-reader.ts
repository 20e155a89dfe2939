import type { StreamTap } from '../wire/answer.ts'
import type { Tapped } from './bridged.ts'
import { inTime } from './in-time.ts'
import type { RequestTime } from './request-time.ts'
import type { SentBytes } from './sent-bytes.ts'

/** After the end of an answer its connection may take this long to end too. */
const MAX_REST_MS = 1000
/** An opening without content is kept back for so long. */
const MOST_OPENING_MS = 250

/** Reads a vendor's stream through the tap that measures it. */
export class TapReader {
  readonly #tap: StreamTap<unknown>
  readonly #source: AsyncIterator<unknown>
  readonly #gather: () => void
  readonly #time: RequestTime
  readonly #sent: SentBytes | null
  #opening: Uint8Array | null = null
  /** What follows the opening, asked for already. */
  #early: Promise<Uint8Array | null> | null = null
  #reading: Promise<Uint8Array | null> | null = null

  /** What is shown is kept in `sent` too. */
  constructor({ tap, source, gather }: Tapped<unknown>, time: RequestTime, sent: SentBytes | null) {
    this.#tap = tap
    this.#source = source
    this.#gather = gather
    this.#time = time
    this.#sent = sent
  }

  /** Reads until there is something to show, which stays the next bytes; false where there is nothing. */
  async open(): Promise<boolean> {
    this.#opening = await this.#once()
    // Vendors open with a role before they work: what fails just after it has shown nothing yet.
    if (this.#opening !== null && !this.#tap.started) {
      this.#early = this.#once()
      const early = await inTime(this.#early, MOST_OPENING_MS, () => null)
      if (early !== null) {
        this.#opening = Buffer.concat([this.#opening, early])
        this.#early = null
      }
    }
    return this.#opening !== null
  }

  /** The next bytes that may be shown, or null at the end. */
  next(): Promise<Uint8Array | null> {
    const [opening, early] = [this.#opening, this.#early]
    this.#opening = null
    if (opening !== null) return Promise.resolve(opening)
    this.#early = null
    return early ?? this.#once()
  }

  /** One read at a time, whoever asks. */
  #once(): Promise<Uint8Array | null> {
    if (this.#reading !== null) return this.#reading
    const reading = this.#read()
    this.#reading = reading
    const over = () => {
      this.#reading = null
    }
    // Before whoever waits for it goes on, and without keeping them waiting.
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

  /** Something was said. The first of it goes out at once; the rest leaves time to whoever reads it. */
  #seen(): void {
    this.#time.tokenSeen()
    this.#gather()
  }

  /** The vendor has said everything: its connection is read to the end, so that it can be used again, but not for long. */
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
