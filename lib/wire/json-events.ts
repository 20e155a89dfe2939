import { createUnreadableError, type StreamBrokenError } from './answer.ts'
import { parseEventObject } from './event-objects.ts'
import type { JsonObject } from './json.ts'
import { EventSplitter, encodeEvent, isDoneMarker, isPlainEvent, iterateEvents, meaningfulDataOf } from './sse.ts'

const MAX_EVENT_BYTES = 16 * 1024 * 1024

/** An event whose data is a JSON object, and its bytes: as they arrived, if there is nothing else in them. */
export interface JsonEvent {
  value: JsonObject
  raw: Buffer
}

/** A type is written on a line of its own. A line break in it would begin an event of its own. */
const TYPE = /^[\w.-]{1,100}$/
/** More than the lines before an event's data take. */
const EVENT_HEAD_BYTES = 256

/**
 * Reads a stream of events that carry JSON and pass as they arrived, each identified by its `type`, as OpenAI's audio and image
 * endpoints send them. The vendor's name for its model is removed, and so are comments and ids between the lines.
 */
export class JsonEvents {
  readonly #splitter: EventSplitter
  /** Why nothing more can be read. Everything before it was returned. */
  broken: StreamBrokenError | null = null

  constructor({ maxEventBytes = MAX_EVENT_BYTES }: { maxEventBytes?: number } = {}) {
    this.#splitter = new EventSplitter({ maxEventBytes })
  }

  /** The whole events that these bytes complete. Comments and `[DONE]` are left out. */
  push(bytes: Uint8Array): JsonEvent[] {
    const events: JsonEvent[] = []
    for (const raw of iterateEvents(this.#split(bytes))) {
      if (this.broken !== null) break
      const data = meaningfulDataOf(raw)
      if (data === null || isDoneMarker(data)) continue
      const value = this.#read(data)
      if (value !== null) events.push(sanitizeEvent(value, raw))
    }
    return events
  }

  #read(data: string): JsonObject | null {
    try {
      const value = parseEventObject(data)
      if (typeof value.type !== 'string' || TYPE.test(value.type)) return value
      this.broken = createUnreadableError('an event has a type that is no name')
    } catch (error) {
      this.broken = error as StreamBrokenError
    }
    return null
  }

  #split(bytes: Uint8Array): Buffer {
    try {
      return this.#splitter.push(bytes)
    } catch (error) {
      this.broken = createUnreadableError(String(error))
      return Buffer.alloc(0)
    }
  }
}

function sanitizeEvent(value: JsonObject, raw: Buffer): JsonEvent {
  const { model, ...own } = value
  if (model === undefined && isPlain(raw, value.type)) return { value, raw }
  const written = encodeEvent(JSON.stringify(own))
  const hasTypeLine = /^event:/m.test(raw.toString('latin1', 0, EVENT_HEAD_BYTES)) && typeof own.type === 'string'
  return { value: own, raw: hasTypeLine ? Buffer.concat([Buffer.from(`event: ${own.type}\n`), written]) : written }
}

/** Whether an event is one line of data, with or without its type before it, and nothing else. */
function isPlain(raw: Buffer, type: unknown): boolean {
  const name = `event: ${type}\n`
  return isPlainEvent(raw, raw.toString('latin1', 0, EVENT_HEAD_BYTES).startsWith(name) ? name.length : 0)
}
