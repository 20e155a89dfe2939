import { asBuffer } from '../domain/as-buffer.ts'

const LF = 10
const CR = 13
const EMPTY = Buffer.alloc(0)
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const DATA_OPENING = Buffer.from('data: ')

/**
 * Splits a byte stream into whole server-sent events, without decoding. The size of the chunks makes no difference. An event is
 * its lines with the empty line that ends it (LF, CRLF or CR; HTML standard, section 9.2.6).
 */
export class EventSplitter {
  /** What arrived since the last whole event, and its size. The parts are joined once, when their event is whole. */
  #parts: Buffer[] = []
  #bytes = 0
  /** Its last two bytes, because the end of an event can lie across two chunks. */
  #lastBytes: Buffer = EMPTY
  #started = false
  readonly #maxBytes: number

  constructor(options: { maxEventBytes: number }) {
    this.#maxBytes = options.maxEventBytes
  }

  /** Returns the stream up to the last whole event and keeps the rest. Throws a RangeError if an event is too long. */
  push(bytes: Uint8Array): Buffer {
    const fresh = asBuffer(bytes)
    const seen = this.#lastBytes.length === 0 ? fresh : Buffer.concat([this.#lastBytes, fresh])
    const end = lastEventEnd(seen)
    if (end === 0) return this.#buffer(fresh, seen)
    const cut = end - this.#lastBytes.length
    const complete = this.#bytes === 0 ? fresh.subarray(0, cut) : Buffer.concat([...this.#parts, fresh.subarray(0, cut)])
    this.#reset()
    this.#buffer(fresh.subarray(cut), fresh.subarray(cut))
    return this.#withoutByteOrderMark(complete)
  }

  /** A stream may begin with a byte order mark, which is not part of its first line (HTML standard, section 9.2.5). */
  #withoutByteOrderMark(complete: Buffer): Buffer {
    const first = !this.#started
    this.#started = true
    return first && complete.indexOf(BYTE_ORDER_MARK) === 0 ? complete.subarray(BYTE_ORDER_MARK.length) : complete
  }

  /** What arrived after the last whole event, at the end of the stream. */
  rest(): Buffer {
    const rest = Buffer.concat(this.#parts)
    this.#reset()
    return rest
  }

  #buffer(fresh: Buffer, recent: Buffer): Buffer {
    if (fresh.length === 0) return EMPTY
    this.#bytes += fresh.length
    if (this.#bytes > this.#maxBytes) throw new RangeError('an event is longer than this gateway reads')
    // A copy, because the caller may reuse its bytes.
    this.#parts.push(Buffer.from(fresh))
    this.#lastBytes = Buffer.from(recent.subarray(-2))
    return EMPTY
  }

  #reset(): void {
    this.#parts = []
    this.#bytes = 0
    this.#lastBytes = EMPTY
  }
}

/** The index after the last empty line; 0 if there is none. */
function lastEventEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > 0; at--) {
    const end = bytes[at]
    if (end !== LF && end !== CR) continue
    const before = bytes[at - 1]
    if (end === LF && before === LF) return at + 1
    if (end === LF && before === CR && at > 1 && (bytes[at - 2] === LF || bytes[at - 2] === CR)) return at + 1
    // If an LF follows, it is an empty line before the next event, which has no effect.
    if (end === CR && before === CR) return at + 1
  }
  return 0
}

/** The end of the event that begins at `start` in a run of whole events. */
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

/**
 * The data of one event; null for comments and other fields, which carry none. llama.cpp's server once sent its errors in a field
 * of their own, `error`, which counts as data here.
 */
export function eventDataOf(raw: Buffer): string | null {
  let data: string | null = null
  for (const line of raw.toString('utf8').split(/\r\n|\n|\r/)) {
    const start = line.startsWith('data:') ? 5 : line.startsWith('error:') ? 6 : 0
    if (start === 0) continue
    const value = line.slice(line.charCodeAt(start) === 32 ? start + 1 : start)
    data = data === null ? value : `${data}\n${value}`
  }
  return data
}

const EMPTY_DATA = /^\s*(?:null\s*)?$/

/** The data of one event; null if they say nothing, as in the events with which some proxies keep a connection alive. */
export function meaningfulDataOf(raw: Buffer): string | null {
  const data = eventDataOf(raw)
  return data === null || EMPTY_DATA.test(data) ? null : data
}

/**
 * Whether an event with data is written as the specification has it (4.1), `data: <JSON>` and LF, with nothing else in it. `from` is
 * where its data begin, after the name of an event.
 */
export const isPlainEvent = (raw: Buffer, from = 0): boolean =>
  raw.indexOf(DATA_OPENING) === from && raw.indexOf(LF, from) === raw.length - 2 && !raw.includes(CR)

const DONE_MARKER = /^\s*\[DONE\]/

/** Whether the data of an event are the marker that ends a stream, whatever blanks and other text a vendor sends around it. */
export const isDoneMarker = (data: string | null): boolean => data !== null && DONE_MARKER.test(data)

/** Whether the rest of a stream is that marker, in a last event that lacks its empty line. */
export const endsWithDone = (rest: string): boolean => isDoneMarker(eventDataOf(Buffer.from(rest)))

/**
 * Whether a stream of choices ended as a whole answer does. If it says that it is done, something must have been generated, or
 * all choices must have ended: a role alone is not an answer, whatever usage is reported. If it does not say so, every choice
 * that began must have ended, with nothing after the last event: half an event means that it was cut off.
 */
export const isStreamComplete = ({ done, started, finished, left }: StreamEndState): boolean =>
  done ? started || finished : finished && left === ''

interface StreamEndState {
  done: boolean
  started: boolean
  finished: boolean
  left: string
}

/** One event with data, as bytes. */
export const encodeEvent = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`)

/** A comment, which keeps a connection alive and is ignored by readers of events. */
export const KEEP_ALIVE = Buffer.from(':\n\n')
export const DONE = encodeEvent('[DONE]')

/** Each event in a run of whole events, as its own bytes. */
export function* iterateEvents(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = eventEnd(bytes, start)
    yield bytes.subarray(start, end)
    start = end
  }
}
