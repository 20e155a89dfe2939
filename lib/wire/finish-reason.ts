import { type JsonObject, objectIn } from './json.ts'

/**
 * Vendors' own finish reasons, mapped to OpenAI's; null if nothing has ended. Together's `eos` means that the model is finished,
 * and DeepSeek's `insufficient_system_resource` that it had no room to go on (both vendors' API references, `finish_reason`).
 * Servers that put this wire in front of others leave the reasons of those: Anthropic's, Mistral's, and those of Text Generation
 * Inference. Some send an empty text with every chunk but the last, and clients that take that for the end read no further.
 */
const FINISH_REASONS: ReadonlyMap<unknown, string | null> = new Map([
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

/** An answer or a chunk with OpenAI's finish reasons: the same object if it has them already. */
export function normalizeFinishReasons(answer: JsonObject): JsonObject {
  const { choices } = answer
  if (!Array.isArray(choices) || !choices.some((choice) => FINISH_REASONS.has(objectIn(choice)?.finish_reason))) return answer
  const normalized = choices.map((item) => {
    const choice = objectIn(item)
    const reason = FINISH_REASONS.get(choice?.finish_reason)
    return choice && reason !== undefined ? { ...choice, finish_reason: reason } : item
  })
  return { ...answer, choices: normalized }
}
