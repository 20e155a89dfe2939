import { asBuffer } from '../domain/as-buffer.ts'

const LF = 10
const CR = 13
const EMPTY = Buffer.alloc(0)
const MARK = Buffer.from('\ufeff')

/**
 * Cuts a byte stream into whole server-sent events, without decoding. Feeds of any size give the
 * same events. An event is its lines with the empty line that ends it (LF, CRLF or CR; HTML standard,
 * section 9.2.6).
 */
export class EventSplitter {
  /** What came since the last whole event, and how much it is: joined once, when its event is whole. */
  #parts: Buffer[] = []
  #bytes = 0
  /** Its last two bytes: an event's end can lie across two feeds. */
  #seam: Buffer = EMPTY
  #begun = false
  readonly #maxBytes: number

  constructor(options: { maxEventBytes: number }) {
    this.#maxBytes = options.maxEventBytes
  }

  /** The part of the stream up to the last whole event; what follows it is kept. Throws RangeError on an event that is too long. */
  push(bytes: Uint8Array): Buffer {
    const fresh = asBuffer(bytes)
    const seen = this.#seam.length === 0 ? fresh : Buffer.concat([this.#seam, fresh])
    const end = lastEventEnd(seen)
    if (end === 0) return this.#keep(fresh, seen)
    const cut = end - this.#seam.length
    const whole = this.#bytes === 0 ? fresh.subarray(0, cut) : Buffer.concat([...this.#parts, fresh.subarray(0, cut)])
    this.#forget()
    this.#keep(fresh.subarray(cut), fresh.subarray(cut))
    return this.#withoutMark(whole)
  }

  /** A stream may begin with a byte order mark, which is no part of its first line (HTML standard, section 9.2.5). */
  #withoutMark(whole: Buffer): Buffer {
    const first = !this.#begun
    this.#begun = true
    return first && whole.indexOf(MARK) === 0 ? whole.subarray(MARK.length) : whole
  }

  /** What came after the last whole event, at the end of the stream. */
  rest(): Buffer {
    const rest = Buffer.concat(this.#parts)
    this.#forget()
    return rest
  }

  #keep(fresh: Buffer, seen: Buffer): Buffer {
    if (fresh.length === 0) return EMPTY
    this.#bytes += fresh.length
    if (this.#bytes > this.#maxBytes) throw new RangeError('an event is longer than this gateway reads')
    // A copy: who feeds may use its bytes again.
    this.#parts.push(Buffer.from(fresh))
    this.#seam = Buffer.from(seen.subarray(-2))
    return EMPTY
  }

  #forget(): void {
    this.#parts = []
    this.#bytes = 0
    this.#seam = EMPTY
  }
}

/** The index behind the last empty line; 0 where there is none. */
function lastEventEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > 0; at--) {
    const end = bytes[at]
    if (end !== LF && end !== CR) continue
    const before = bytes[at - 1]
    if (end === LF && before === LF) return at + 1
    if (end === LF && before === CR && at > 1 && (bytes[at - 2] === LF || bytes[at - 2] === CR)) return at + 1
    // Should an LF still follow, it is an empty line before the next event, which is nothing.
    if (end === CR && before === CR) return at + 1
  }
  return 0
}

/** Where the event ends that begins at `start` in a run of whole events. */
export function eventEnd(bytes: Buffer, start: number): number {
  let lineStart = start
  for (let at = start; at < bytes.length; at++) {
    const char = bytes[at]
    if (char !== LF && char !== CR) continue
    const empty = at === lineStart
    if (char === CR && bytes[at + 1] === LF) at++
    if (empty && at + 1 > start) return at + 1
    lineStart = at + 1
  }
  return bytes.length
}

/** The data of one event. Comments and other fields carry none. */
export function dataOf(raw: Buffer): string | null {
  let data: string | null = null
  for (const line of raw.toString('utf8').split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:')) continue
    const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5)
    data = data === null ? value : `${data}\n${value}`
  }
  return data
}

/** Whether an event is one line. Where it has data, there is nothing else in it then. */
export function isOneLine(raw: Buffer): boolean {
  let end = raw.length
  while (end > 0 && (raw[end - 1] === LF || raw[end - 1] === CR)) end--
  return [LF, CR].every((char) => {
    const first = raw.indexOf(char)
    return first < 0 || first >= end
  })
}

/** Whether the data of an event are the word for the end of a stream. What a vendor puts behind it is nothing to anybody. */
export const isDone = (data: string | null): boolean => data?.startsWith('[DONE]') === true

/** Whether that is what is left of a stream whose last event lacks its empty line. */
export const leavesDone = (rest: string): boolean => isDone(dataOf(Buffer.from(rest)))

/**
 * Whether a stream of choices has come to its end as a whole answer does. Where it says that it is done, something of it has
 * been said or all of it has ended: a role alone is no answer, whatever is counted for it. Where it does not say so, all that
 * began has ended, and nothing is left behind the last event: half of one is a cut.
 */
export const isWhole = ({ done, started, finished, left }: Ended): boolean =>
  done ? started || finished : finished && left === ''

interface Ended {
  done: boolean
  started: boolean
  finished: boolean
  left: string
}

/** One event of data, as bytes. */
export const encodeEvent = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`)

/** A comment: it keeps a connection alive, and readers of events pass over it. */
export const KEEP_ALIVE = Buffer.from(':\n\n')
export const DONE = encodeEvent('[DONE]')

/** Each event in a run of whole events, as its own bytes. */
export function* eventsIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = eventEnd(bytes, start)
    yield bytes.subarray(start, end)
    start = end
  }
}
