import { createUnreadableError, type InBandError, StreamBrokenError } from './answer.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn } from './json.ts'
import { EventSplitter, isDoneMarker, iterateEvents, meaningfulDataOf } from './sse.ts'

const MAX_EVENT_BYTES = 32 * 1024 * 1024

/** The events of a stream as the JSON objects that they carry, or `done` for the `[DONE]` that ends some streams. */
export interface ChunkReader {
  /** The events that these bytes complete. Throws StreamBrokenError after the last event that could be read. */
  push(bytes: Uint8Array): Iterable<JsonObject | 'done'>
  /** What arrived after the last whole event, without blanks around it. */
  rest(): string
}

/** Reads a stream of events whose data are JSON objects. An in-band error breaks it off; its text is never passed on. */
export function createChunkReader(): ChunkReader {
  const splitter = new EventSplitter({ maxEventBytes: MAX_EVENT_BYTES })
  return {
    *push(bytes) {
      for (const raw of iterateEvents(splitEvents(splitter, bytes))) {
        const data = meaningfulDataOf(raw)
        if (data !== null) yield isDoneMarker(data) ? 'done' : parseEventObject(data)
      }
    },
    rest: () => splitter.rest().toString().trim(),
  }
}

function splitEvents(splitter: EventSplitter, bytes: Uint8Array): Buffer {
  try {
    return splitter.push(bytes)
  } catch (error) {
    throw createUnreadableError(String(error))
  }
}

/** The object in an event's data. Throws StreamBrokenError if there is none, or if it reports an error. */
export function parseEventObject(data: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    value = null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw createUnreadableError('an event is not a JSON object')
  const object = value as JsonObject
  const failure = failureIn(object)
  if (failure) throw failure
  return object
}

/**
 * The failure that an object of a stream reports; null if there is none. Most vendors put it into a field `error`, which
 * responses also have and which is null until then. Groq puts it into an object of its own. Others, such as Anthropic and servers
 * that run vLLM, mark the object itself as an error. OpenRouter ends a choice with the reason `error`.
 */
export function failureIn(object: JsonObject): StreamBrokenError | null {
  const failed = objectsIn(object.choices).find((choice) => choice.finish_reason === 'error')
  const error = object.error ?? objectIn(object.x_groq)?.error ?? (failed && (failed.error ?? failed))
  if (error == null && object.type !== 'error' && object.object !== 'error' && !isBareError(object)) return null
  return new StreamBrokenError(
    'The model failed while it was answering.',
    `in-band error ${errorCodeOf(error ?? object)}`,
    inBandErrorOf(error ?? object),
  )
}

/**
 * Whether an object is an error without saying so: a message with a code or a type (DashScope, and llama.cpp's server in a stream), FastAPI's
 * `detail`, or MiniMax's `base_resp`, which says 0 in every good answer.
 */
function isBareError({ choices, usage, base_resp: base, message, code, type, detail }: JsonObject): boolean {
  const status = objectIn(base)?.status_code
  if (typeof status === 'number' && status !== 0) return true
  if (choices != null || usage != null) return false
  return typeof detail === 'string' || (typeof message === 'string' && (code != null || typeof type === 'string'))
}

/** The most text of an error that is looked at. */
const MAX_ERROR_CHARS = 64 * 1024

/** An error with the status that its code names, as servers that stream before they have checked a request send it. */
function inBandErrorOf(error: JsonValue): InBandError | null {
  const { code } = objectIn(error) ?? {}
  const status = Number(code)
  if (!Number.isInteger(status) || status < 400 || status > 599) return null
  return { status, text: JSON.stringify({ error }).slice(0, MAX_ERROR_CHARS) }
}

/** The kind of an error. Never its text, which can contain a prompt. */
export function errorCodeOf(error: unknown): string {
  const { code, type } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown; type?: unknown }
  const reportedCode = code ?? type
  return typeof reportedCode === 'string' || typeof reportedCode === 'number'
    ? String(reportedCode).slice(0, 64)
    : 'without a code'
}
