import type { OpenFile } from '../files/store.ts'
import type { AnswerStream } from '../gateway/answer.ts'
import { ReaderWatch } from '../gateway/reader-watch.ts'

const NOTHING = new Uint8Array(0)

/** Streams part of a file as fast as its reader takes it. Closes the file when the stream ends, however it ends. */
export class FileStream implements AnswerStream {
  readonly #file: OpenFile
  readonly #source: AsyncIterator<Uint8Array>
  readonly #watch: ReaderWatch
  readonly #signal: AbortSignal
  readonly #closed: () => void
  #left: number
  over = false
  lost: (() => void) | null = null

  constructor(options: {
    file: OpenFile
    first: number
    last: number
    /** Aborted when the client disconnects. */
    signal: AbortSignal
    /** A client that takes nothing for this long counts as disconnected. */
    readerTimeoutMs: number
    /** Called once, when the file is no longer read. */
    closed: () => void
  }) {
    const { file, first, last, signal } = options
    this.#file = file
    this.#source = file.read(first, last)[Symbol.asyncIterator]()
    this.#left = last + 1 - first
    this.#signal = signal
    this.#closed = options.closed
    this.#watch = new ReaderWatch(options.readerTimeoutMs, () => {
      this.leave()
      this.lost?.()
    })
    this.#watch.given()
    if (signal.aborted) queueMicrotask(this.leave)
    else signal.addEventListener('abort', this.leave, { once: true })
  }

  async next(): Promise<Uint8Array> {
    if (this.over) return NOTHING
    this.#watch.asks()
    try {
      const { value, done } = await this.#source.next()
      if (this.over) return NOTHING
      // A length was promised, so sending fewer bytes has to show as a failure.
      if (done) throw new Error('a file ended early')
      this.#left -= value.byteLength
      if (this.#left <= 0) this.leave()
      else this.#watch.given()
      return value
    } catch (error) {
      if (this.over) return NOTHING
      this.leave()
      throw error
    }
  }

  readonly leave = (): void => {
    if (this.over) return
    this.over = true
    this.#watch.stop()
    this.#signal.removeEventListener('abort', this.leave)
    this.#closed()
    this.#file.close().catch(() => undefined)
  }
}
