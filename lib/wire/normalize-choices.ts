import { type JsonObject, type JsonValue, objectIn, textIn } from './json.ts'

/**
 * Vendors' own finish reasons, mapped to OpenAI's; null if nothing has ended. Together's `eos` means that the model is finished,
 * DeepSeek's `insufficient_system_resource` that it had no room to go on, and Zhipu's `sensitive` that its filter stopped it (the
 * vendors' API references, `finish_reason`). Servers that put this wire in front of others leave the reasons of those: Anthropic's,
 * Google's, Mistral's, and those of Text Generation Inference. Some send an empty text with every chunk but the last, and clients
 * that take that for the end read no further.
 */
const FINISH_REASONS: ReadonlyMap<unknown, string | null> = new Map([
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['STOP', 'stop'],
  ['tool_use', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['max_tokens', 'length'],
  ['MAX_TOKENS', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['model_length', 'length'],
  ['insufficient_system_resource', 'length'],
  ['sensitive', 'content_filter'],
  ['refusal', 'content_filter'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['', null],
  ['null', null],
])

/**
 * An answer or a chunk whose choices have a number, and OpenAI's finish reasons, content and tool calls: the same object if they
 * have them already. Other values pass as they are.
 */
export function normalizeChoices(answer: JsonObject): JsonObject {
  const { choices } = answer
  if (!Array.isArray(choices)) return answer
  const normalized = mapObjects(choices, normalizeChoice)
  return normalized === choices ? answer : { ...answer, choices: normalized }
}

function normalizeChoice(choice: JsonObject, place: number): JsonObject {
  const hasIndex = typeof choice.index === 'number'
  const reason = FINISH_REASONS.get(choice.finish_reason)
  // Perplexity sends both, in streams and otherwise.
  const [message, delta] = [objectIn(choice.message), objectIn(choice.delta)]
  const ownMessage = message && normalizeMessage(message, true)
  const ownDelta = delta && normalizeMessage(delta, false)
  const logprobs = objectIn(choice.logprobs)
  const ownLogprobs = logprobs && normalizeLogprobs(logprobs)
  const isOwn = ownMessage === message && ownDelta === delta && ownLogprobs === logprobs
  if (hasIndex && reason === undefined && isOwn) return choice
  return {
    ...choice,
    ...(hasIndex ? {} : { index: place }),
    ...(ownMessage === message ? {} : { message: ownMessage }),
    ...(ownDelta === delta ? {} : { delta: ownDelta }),
    ...(ownLogprobs === logprobs ? {} : { logprobs: ownLogprobs }),
    ...(reason === undefined ? {} : { finish_reason: reason }),
  }
}

function normalizeMessage(message: JsonObject, isComplete: boolean): JsonObject {
  const { content } = message
  const withText = content == null || typeof content === 'string' ? message : withTextContent(message, content, isComplete)
  // Text Generation Inference once sent one call where a list belongs.
  const single = objectIn(withText.tool_calls)
  const calls = single ? [single] : withText.tool_calls
  if (!Array.isArray(calls) || calls.length === 0) return withText
  const normalized = mapObjects(calls, (call) => normalizeCall(call, isComplete))
  return normalized === withText.tool_calls ? withText : { ...withText, tool_calls: normalized }
}

/**
 * A message whose content is a list of parts, as Mistral's reasoning models have it ("Reasoning"): its texts become the content,
 * and its thoughts the reasoning. One part is a list of it. Any other value is its JSON, such as structured output that a server
 * has parsed. A delta without text has no content.
 */
function withTextContent(message: JsonObject, content: JsonValue, isComplete: boolean): JsonObject {
  if (!Array.isArray(content) && !isPart(content)) return { ...message, content: JSON.stringify(content) }
  const { content: _, ...rest } = message
  const parts = Array.isArray(content) ? content : [content]
  const isThought = (part: JsonValue) => objectIn(part)?.thinking !== undefined
  const text = parts
    .filter((part) => !isThought(part))
    .map(textOfPart)
    .join('')
  const thought = parts.filter(isThought).map(textOfPart).join('')
  return {
    ...rest,
    ...(text !== '' ? { content: text } : isComplete ? { content: null } : {}),
    ...(thought === '' || textIn(rest.reasoning_content ?? rest.reasoning) !== '' ? {} : { reasoning_content: thought }),
  }
}

/** The types of the parts that are generated. An object of another type is something that the model was asked to write. */
const PART_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', 'thinking'])

const isPart = (value: JsonValue): boolean => PART_TYPES.has(objectIn(value)?.type)

function textOfPart(part: JsonValue): string {
  const { text, thinking } = objectIn(part) ?? { text: part }
  if (Array.isArray(thinking)) return thinking.map(textOfPart).join('')
  return textIn(thinking ?? text)
}

/**
 * A call whose arguments are the text that clients parse. Some servers send an object, or nothing for a function that takes
 * nothing. Clients append the pieces of a stream, and a null would become four letters.
 */
function normalizeCall(call: JsonObject, isComplete: boolean): JsonObject {
  const body = objectIn(call.function)
  if (!body || typeof body.arguments === 'string' || (body.arguments === undefined && !isComplete)) return call
  const args = body.arguments === null && !isComplete ? '' : JSON.stringify(body.arguments ?? {})
  return { ...call, function: { ...body, arguments: args } }
}

/**
 * Log probabilities in which every token has its alternatives, if only none: Ollama leaves out an empty list, and clients with
 * typed answers cannot read a token without one.
 */
function normalizeLogprobs(logprobs: JsonObject): JsonObject {
  const { content } = logprobs
  if (!Array.isArray(content)) return logprobs
  const normalized = mapObjects(content, (token) => (token.top_logprobs == null ? { ...token, top_logprobs: [] } : token))
  return normalized === content ? logprobs : { ...logprobs, content: normalized }
}

/** Maps the objects of a list. Returns the same list if none changes. */
function mapObjects(list: JsonValue[], map: (item: JsonObject, place: number) => JsonObject): JsonValue[] {
  const mapped = list.map((item, place) => {
    const object = objectIn(item)
    return object ? map(object, place) : item
  })
  return mapped.some((item, at) => item !== list[at]) ? mapped : list
}
