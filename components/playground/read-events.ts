import { EventSourceParserStream } from 'eventsource-parser/stream'
import { asRecord, type Json, type JsonRecord } from '../history/json.ts'
import { CallError, failureOf } from './call-api.ts'

/** The longest event that is accepted: a large image in base64. */
const MAX_CHARACTERS = 96 * 1024 * 1024

const invalidAnswer = (requestId: string | null) =>
  new CallError({ status: 0, code: 'unexpected_answer', message: '', requestId })

function parseEvent(data: string, requestId: string | null): JsonRecord | null {
  let value: JsonRecord | null = null
  try {
    value = asRecord(JSON.parse(data) as Json)
  } catch {
    // Reported below: an event that is not an object is not valid.
  }
  if (value === null) throw invalidAnswer(requestId)
  if (asRecord(value.error) !== null) throw new CallError(failureOf(value, 0, requestId))
  return value
}

/**
 * The events of a streamed answer, as JSON objects, up to `[DONE]` or the end. Throws a CallError for an event that reports an
 * error or is not JSON. With `marked`, the stream has to end with `[DONE]`, so an end without it, for example from a proxy that
 * gives up, also throws.
 */
export async function* readEvents(response: Response, { marked = false } = {}): AsyncGenerator<JsonRecord> {
  const requestId = response.headers.get('x-request-id')
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_CHARACTERS }))
    .getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done && marked) throw invalidAnswer(requestId)
      if (done || value.data === '[DONE]') return
      const event = parseEvent(value.data, requestId)
      if (event !== null) yield event
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
