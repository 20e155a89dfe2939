import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type Json, type JsonRecord, record } from '../history/json.ts'
import { CallError, failureOf } from './call.ts'

/** The longest event that is kept: a large image in base64. */
const MOST_CHARACTERS = 96 * 1024 * 1024

const broken = (requestId: string | null) => new CallError({ status: 0, code: 'unexpected_answer', message: '', requestId })

function read(data: string, requestId: string | null): JsonRecord | null {
  let value: JsonRecord | null = null
  try {
    value = record(JSON.parse(data) as Json)
  } catch {
    // Told below: an event that is no object is no event.
  }
  if (value === null) throw broken(requestId)
  if (record(value.error) !== null) throw new CallError(failureOf(value, 0, requestId))
  return value
}

/**
 * The events of a streamed answer, each the JSON object that it carries, up to `[DONE]` or the end. Throws CallError for an
 * event that tells of an error, and for one that is no JSON; where streams of a kind are `marked` at their end, also for an end
 * without the mark, such as a proxy makes that gives up.
 */
export async function* readEvents(response: Response, { marked = false } = {}): AsyncGenerator<JsonRecord> {
  const requestId = response.headers.get('x-request-id')
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MOST_CHARACTERS }))
    .getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done && marked) throw broken(requestId)
      if (done || value.data === '[DONE]') return
      const event = read(value.data, requestId)
      if (event !== null) yield event
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
