import { StreamBroken } from './answer.ts'
import { type JsonObject, objectIn, objectsIn } from './json.ts'
import { dataOf, EventSplitter, eventsIn, isDone } from './sse.ts'

const MAX_EVENT_BYTES = 32 * 1024 * 1024
const UNREADABLE = 'The model sent an answer that could not be read.'

/** The events of a stream as the JSON objects that they carry; `done` for the `[DONE]` that ends some of them. */
export interface Chunks {
  /** What has become whole with these bytes. Throws StreamBroken, behind the last event that could be read. */
  push(bytes: Uint8Array): Iterable<JsonObject | 'done'>
  /** What came after the last whole event, without blanks around it. */
  rest(): string
}

/** Reads a stream of events whose data are JSON objects. An in-band error breaks it off; its words stay inside. */
export function readChunks(): Chunks {
  const splitter = new EventSplitter({ maxEventBytes: MAX_EVENT_BYTES })
  return {
    *push(bytes) {
      for (const raw of eventsIn(cut(splitter, bytes))) {
        const data = dataOf(raw)
        if (data !== null) yield isDone(data) ? 'done' : objectOf(data)
      }
    },
    rest: () => splitter.rest().toString().trim(),
  }
}

function cut(splitter: EventSplitter, bytes: Uint8Array): Buffer {
  try {
    return splitter.push(bytes)
  } catch (error) {
    throw new StreamBroken(UNREADABLE, String(error))
  }
}

/** The object that an event's data are. Throws StreamBroken where they are none, or tell an error. */
export function objectOf(data: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    value = null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StreamBroken(UNREADABLE, 'an event is not a JSON object')
  const object = value as JsonObject
  const failure = failureTold(object)
  if (failure) throw failure
  return object
}

/**
 * The failure that an object of a stream tells; null as long as all is well. Most vendors put it into a field `error`,
 * which a response has too, null until then, or Groq in its own object; others, as Anthropic and servers that run vLLM, say
 * what the object is. OpenRouter lets a choice end so.
 */
export function failureTold(object: JsonObject): StreamBroken | null {
  const failed = objectsIn(object.choices).find((choice) => choice.finish_reason === 'error')
  const error = object.error ?? objectIn(object.x_groq)?.error ?? (failed && (failed.error ?? failed))
  if (error == null && object.type !== 'error' && object.object !== 'error') return null
  return new StreamBroken('The model failed while it was answering.', `in-band error ${codeOf(error ?? object)}`)
}

/** What kind of error it was: never its words, which can hold a prompt. */
export function codeOf(error: unknown): string {
  const { code, type } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown; type?: unknown }
  const told = code ?? type
  return typeof told === 'string' || typeof told === 'number' ? String(told).slice(0, 64) : 'without a code'
}
