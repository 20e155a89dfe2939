import { type JsonObject, objectIn } from './json.ts'

/**
 * Ends for which vendors have words of their own, in OpenAI's: a model of Together's has said all that it had to say,
 * DeepSeek had no room to go on (both vendors' API references, `finish_reason`).
 */
const ENDS: ReadonlyMap<unknown, string> = new Map([
  ['eos', 'stop'],
  ['insufficient_system_resource', 'length'],
])

/** An answer or a chunk whose choices end in OpenAI's words: the very same object where they do already. */
export function inOurEnds(answer: JsonObject): JsonObject {
  const { choices } = answer
  if (!Array.isArray(choices) || !choices.some((choice) => ENDS.has(objectIn(choice)?.finish_reason))) return answer
  const ended = choices.map((item) => {
    const choice = objectIn(item)
    const reason = ENDS.get(choice?.finish_reason)
    return choice && reason !== undefined ? { ...choice, finish_reason: reason } : item
  })
  return { ...answer, choices: ended }
}
