import type { AnswerBytes } from '../vendors/vendor.ts'
import { readAll } from './read-all.ts'

const BRACE = 123
/** Blanks, and the bytes of a byte order mark. */
const INSIGNIFICANT: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf])

/**
 * The body of an answer for which a stream was asked. If it is a whole answer all the same, whatever its headers call it, it is
 * converted once it has arrived. No line of events begins with a brace.
 */
export const wholeAsEvents = (body: AnswerBytes, asEvents: (bytes: Buffer) => Buffer): AnswerBytes =>
  new EventBytes(body, asEvents)

/** Events pass without a further promise for each piece. */
class EventBytes implements AnswerBytes, AsyncIterator<Uint8Array> {
  readonly #body: AnswerBytes
  readonly #pieces: AsyncIterator<Uint8Array>
  readonly #asEvents: (bytes: Buffer) => Buffer
  /** Whether something other than blanks has arrived. */
  #hasBegun = false

  constructor(body: AnswerBytes, asEvents: (bytes: Buffer) => Buffer) {
    this.#body = body
    this.#pieces = body[Symbol.asyncIterator]()
    this.#asEvents = asEvents
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  gather(): void {
    this.#body.gather?.()
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return this.#hasBegun ? this.#pieces.next() : this.#begin()
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#pieces.return?.()
    return { value: undefined, done: true }
  }

  async #begin(): Promise<IteratorResult<Uint8Array>> {
    const result = await this.#pieces.next()
    const isWhole = result.done ? null : startsWithBrace(result.value)
    this.#hasBegun = isWhole !== null
    return isWhole ? { value: this.#asEvents(await readAll(startingWith(result.value, this.#pieces))), done: false } : result
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Null if there is nothing but blanks. */
function startsWithBrace(piece: Uint8Array): boolean | null {
  const first = piece.find((byte) => !INSIGNIFICANT.has(byte))
  return first === undefined ? null : first === BRACE
}
