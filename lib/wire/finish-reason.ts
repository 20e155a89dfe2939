import { type JsonObject, objectIn } from './json.ts'

/**
 * Ends for which vendors have words of their own, in OpenAI's; null where nothing has ended. A model of Together's has said all
 * that it had to say, DeepSeek had no room to go on (both vendors' API references, `finish_reason`). Servers that put this
 * wire before others leave the words of those: Anthropic's, Mistral's, those of Text Generation Inference. Some say nothing,
 * in an empty text, with every chunk but the last: clients that take it for the end read no further.
 */
const ENDS: ReadonlyMap<unknown, string | null> = new Map([
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['insufficient_system_resource', 'length'],
  ['', null],
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
