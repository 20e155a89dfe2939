import type { OpenFile } from '../files/store.ts'
import type { AnswerStream } from '../gateway/answer.ts'
import { ReaderWatch } from '../gateway/reader-watch.ts'

const EMPTY = new Uint8Array(0)

/** Streams part of a file as fast as its reader takes it. Closes the file when the stream ends, however it ends. */
export class FileStream implements AnswerStream {
  readonly #file: OpenFile
  readonly #source: AsyncIterator<Uint8Array>
  readonly #readerWatch: ReaderWatch
  readonly #signal: AbortSignal
  readonly #onClosed: () => void
  #remainingBytes: number
  ended = false
  closeConnection: (() => void) | null = null

  constructor(options: {
    file: OpenFile
    first: number
    last: number
    /** Aborted when the client disconnects. */
    signal: AbortSignal
    /** A client that takes nothing for this long counts as disconnected. */
    readerTimeoutMs: number
    /** Called once, when the file is no longer read. */
    onClosed: () => void
  }) {
    const { file, first, last, signal } = options
    this.#file = file
    this.#source = file.read(first, last)[Symbol.asyncIterator]()
    this.#remainingBytes = last + 1 - first
    this.#signal = signal
    this.#onClosed = options.onClosed
    this.#readerWatch = new ReaderWatch(options.readerTimeoutMs, () => {
      this.cancel()
      this.closeConnection?.()
    })
    this.#readerWatch.markSent()
    if (signal.aborted) queueMicrotask(this.cancel)
    else signal.addEventListener('abort', this.cancel, { once: true })
  }

  async next(): Promise<Uint8Array> {
    if (this.ended) return EMPTY
    this.#readerWatch.markWaiting()
    try {
      const { value, done } = await this.#source.next()
      if (this.ended) return EMPTY
      // A length was promised, so sending fewer bytes has to show as a failure.
      if (done) throw new Error('a file ended early')
      this.#remainingBytes -= value.byteLength
      if (this.#remainingBytes <= 0) this.cancel()
      else this.#readerWatch.markSent()
      return value
    } catch (error) {
      if (this.ended) return EMPTY
      this.cancel()
      throw error
    }
  }

  readonly cancel = (): void => {
    if (this.ended) return
    this.ended = true
    this.#readerWatch.stop()
    this.#signal.removeEventListener('abort', this.cancel)
    this.#onClosed()
    this.#file.close().catch(() => undefined)
  }
}
