import { type JsonObject, objectIn, objectsIn } from '../json.ts'
import { DONE, encodeEvent } from '../sse.ts'
import { parseAnswerJson } from './non-streaming.ts'

/**
 * A whole answer that has choices, as the events of a stream: one chunk with all of it, one with its usage, and the end. What is
 * no such answer is one event, in which an error is found, or stays as it is.
 */
export function choicesAsEvents(bytes: Buffer): Buffer {
  const answer = objectIn(parseAnswerJson(bytes))
  if (!answer) return bytes
  const { choices, usage, ...head } = answer
  if (!Array.isArray(choices)) return encodeEvent(JSON.stringify(answer))
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
