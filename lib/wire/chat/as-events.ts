import { type JsonObject, objectIn, objectsIn } from '../json.ts'
import { DONE, encodeEvent } from '../sse.ts'
import { CHAT, type NonStreamingKind, parseChoices } from './non-streaming.ts'

/**
 * A whole answer that has choices, by default a chat, as the events of a stream: one chunk with all of it, one with its usage, and
 * the end. Throws StreamBrokenError for what would be no answer to a request without a stream either.
 */
export function choicesAsEvents(bytes: Buffer, kind: Pick<NonStreamingKind, 'isChoice'> = CHAT): Buffer {
  const { choices, usage, ...head } = parseChoices(bytes, kind)
  const chunks: JsonObject[] = [{ ...head, choices: objectsIn(choices).map(asChunkChoice) }]
  if (usage != null) chunks.push({ ...head, choices: [], usage })
  return Buffer.concat([...chunks.map((chunk) => encodeEvent(JSON.stringify(chunk))), DONE])
}

/** Calls in a list are in order. In a stream their numbers say so. */
function asChunkChoice({ message, ...choice }: JsonObject): JsonObject {
  const whole = objectIn(message)
  if (!whole) return choice
  const calls = objectsIn(whole.tool_calls).map((call, index) => ({ ...call, index }))
  return { ...choice, delta: calls.length === 0 ? whole : { ...whole, tool_calls: calls } }
}
