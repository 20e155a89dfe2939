import {
  type AnswerHead,
  createUnreadableError,
  type FinishPorts,
  type NonStreamingAnswer,
  StreamBrokenError,
} from '../answer.ts'
import { errorCodeOf } from '../event-objects.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn } from '../json.ts'
import { wantsLogprobs } from './chat.ts'
import { packNative, unpackNative } from './encrypted-content.ts'
import { outputId } from './ids.ts'
import { imageMessage } from './images.ts'
import { hasTools, type Item, isClientRunOutput, isMessage, isOutput } from './items-schema.ts'
import { headOf, type PreparedResponse, saveAnswer } from './prepared.ts'
import { buildResource, finishReasonOf, INITIAL_STATE, itemsOf, type ResponseHead } from './resource.ts'
import { readResponsesUsage, writeResponsesUsage } from './usage.ts'
import { withEnvironment } from './vendor-defined-tools.ts'
import { countSearches, maxSearchesOf, statedSearches } from './web-search.ts'

/** Fields that concern only the gateway, or that are sent in another form. */
const GATEWAY_FIELDS = new Set([
  'previous_response_id',
  'metadata',
  'store',
  'background',
  'service_tier',
  'include',
  'input',
  'truncation',
])

/**
 * The request for a vendor that speaks this wire: everything that arrived, with the whole conversation as its input, because
 * nothing is stored in the vendor's account. Reasoning is exchanged encrypted, so that it survives that.
 */
export function nativeRequest({ body, context, canEncryptReasoning }: PreparedResponse): JsonObject {
  const forwardedFields = Object.entries(body).filter(([field, value]) => !GATEWAY_FIELDS.has(field) && value !== undefined)
  const isPlainInput = body.previous_response_id == null && typeof body.input === 'string'
  const searches = maxSearchesOf(body)
  const include = [
    ...(canEncryptReasoning || body.include?.includes('reasoning.encrypted_content') ? ['reasoning.encrypted_content'] : []),
    ...(wantsLogprobs(body) ? ['message.output_text.logprobs'] : []),
    ...(searches > 0 ? (body.include ?? []).filter((name) => name.startsWith('web_search_call.')) : []),
  ]
  return {
    ...(Object.fromEntries(forwardedFields.filter(([field, value]) => !(PENALTIES.has(field) && !value))) as JsonObject),
    ...(body.tools == null ? {} : { tools: (body.tools as JsonObject[]).map(withEnvironment) }),
    input: isPlainInput ? (body.input as string) : context.items.flatMap(toNativeItem),
    ...(include.length > 0 ? { include } : {}),
    // Whatever it may do is held for.
    ...(searches > 0 ? { max_tool_calls: searches } : {}),
    ...(body.service_tier === 'default' ? { service_tier: 'default' } : {}),
  }
}

/** The name of a field of that request in the client's own request, which has nothing of the conversation before its input. */
export function nativeFieldToRequest(field: string, { context: { items, names } }: PreparedResponse): string {
  const [found, index, rest] = /^input\.?\[(\d+)\](.*)$/.exec(field) ?? []
  if (found === undefined) return field
  const sent = items.flatMap((item, at) => toNativeItem(item).map(() => names[at] ?? 'input'))
  const name = sent[Number(index)] ?? 'input'
  if (!name.startsWith('input[')) return name
  return isImage(items[names.indexOf(name)]) ? `${name}.result` : `${name}${rest}`
}

const isImage = (item: Item | undefined): boolean => item?.type === 'image_generation_call'

/** The Open Responses document has these fields, and OpenAI's does not. Zero means the same as absent. */
const PENALTIES = new Set(['presence_penalty', 'frequency_penalty'])

/**
 * Writes an item for the vendor. This gateway's ids mean nothing to the vendor, so those that are bound to encrypted reasoning
 * are replaced by the vendor's own.
 */
function toNativeItem(item: Item): JsonObject[] {
  if (isMessage(item)) {
    const { id, status, ...rest } = item
    if (item.role !== 'assistant' || typeof item.content === 'string') return [{ ...rest, type: 'message' } as JsonObject]
    const content = item.content.map((part) =>
      part.type === 'output_text' ? { ...part, annotations: part.annotations ?? [] } : part,
    )
    return [{ ...rest, type: 'message', ...(id == null ? {} : { id }), status: status ?? 'completed', content } as JsonObject]
  }
  if (item.type === 'image_generation_call') {
    const message = imageMessage(item)
    return message ? [message as JsonObject] : []
  }
  // A local shell's items are the only ones whose ids are required.
  if (item.type === 'local_shell_call') return [{ ...item, status: 'completed' } as JsonObject]
  if (item.type === 'local_shell_call_output') return [item as JsonObject]
  if (hasTools(item)) {
    const { id: _, ...rest } = item
    return [{ ...rest, tools: (item.tools as JsonObject[]).map(withEnvironment) } as JsonObject]
  }
  if (isClientRunOutput(item)) {
    const { id: _, ...rest } = item
    return [rest as JsonObject]
  }
  if (item.type !== 'reasoning') {
    const { id: _, status: _s, ...rest } = item
    return [(isOutput(item) ? rest : { ...rest, status: 'completed' }) as JsonObject]
  }
  const thoughts = unpackNative(item)
  // What another vendor signed, or nobody, would be refused.
  if (!thoughts) return []
  const { id: _, content: _c, ...rest } = item
  const { id, content } = thoughts
  return [{ ...rest, summary: item.summary ?? [], ...(id === null ? {} : { id }), encrypted_content: content } as JsonObject]
}

/** An item of a vendor's answer with this gateway's id. The vendor's id is kept if encrypted reasoning is bound to it. */
export function withOwnItemId(item: JsonObject, index: number, head: ResponseHead): JsonObject {
  const { id, type, content, encrypted_content: thoughts } = item
  return {
    ...item,
    ...(Array.isArray(content) ? { content: objectsIn(content).map(completePart) } : {}),
    id: outputId(head.id, type, index),
    ...(typeof thoughts === 'string' ? { encrypted_content: packNative(String(id), thoughts) } : {}),
  }
}

/** A part of an answer with everything that strict clients read. Source: the OpenAI API, version 2.3.0, OutputTextContent. */
export const completePart = (part: JsonObject): JsonObject =>
  part.type === 'output_text' ? { ...part, annotations: part.annotations ?? [], logprobs: part.logprobs ?? [] } : part

/**
 * A vendor's response as the client sees it: what the vendor says about the call, such as the temperature that it used, and what
 * the client asked for.
 */
export function toClientResponse(response: JsonObject, prepared: PreparedResponse, head: ResponseHead): JsonObject {
  const requestState = buildResource(prepared.body, head, INITIAL_STATE)
  // Who pays the vendor is not passed on.
  const { billing: _, ...reported } = response
  const reportedFields = Object.fromEntries(Object.entries(reported).filter(([, value]) => value != null))
  return {
    ...requestState,
    ...reportedFields,
    ...pick(requestState, REQUEST_ONLY_FIELDS),
    completed_at: response.status === 'completed' && typeof response.completed_at === 'number' ? response.completed_at : null,
    output: itemsOf(response).map((item, index) => withOwnItemId(item, index, head)),
    usage: null,
  }
}

/** Fields whose values come only from the client's own request. */
const REQUEST_ONLY_FIELDS = [
  // Including the error: a response that failed breaks off, and its vendor's words are not passed on.
  ...['error', 'id', 'created_at', 'model', 'store', 'previous_response_id', 'metadata', 'instructions', 'background'],
  ...[
    'max_output_tokens',
    'max_tool_calls',
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'truncation',
    'presence_penalty',
    'frequency_penalty',
  ],
]

const pick = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name): [string, JsonValue | undefined] => [name, from[name]]))

/** A response that has ended, ready to be stored and sent. */
export class NativeResult {
  readonly usage
  readonly finishReason: string | null
  readonly statedSearches: number | null
  #response: JsonObject
  readonly #prepared: PreparedResponse
  readonly #head: ResponseHead

  constructor(response: JsonObject, prepared: PreparedResponse, head: ResponseHead) {
    this.usage = readResponsesUsage(response.usage)
    this.finishReason = finishReasonOf(response)
    this.statedSearches = statedSearches(response.usage)
    this.#response = toClientResponse(response, prepared, head)
    this.#prepared = prepared
    this.#head = head
  }

  finish(ports: FinishPorts): void {
    if (this.#response.status === 'completed' && this.#response.completed_at === null)
      this.#response = { ...this.#response, completed_at: Math.floor(ports.nowMs / 1000) }
  }

  async store(ports: FinishPorts): Promise<void> {
    await saveAnswer(this.#response, this.usage, this.#prepared, this.#head, ports)
  }

  get searches(): number {
    return this.statedSearches ?? countSearches(itemsOf(this.#response))
  }

  /** The response without its usage. */
  get answerJson(): JsonObject {
    return this.#response
  }

  response(...[usage, costNano]: Parameters<NonStreamingAnswer['encode']>): JsonObject {
    return { ...this.#response, usage: writeResponsesUsage(usage, costNano) }
  }
}

/** What a call of a tool has that its vendor defines. What a search found was not generated. */
function vendorToolInputOf({ action, operation }: JsonObject): (JsonValue | undefined)[] {
  const { sources: _, ...made } = objectIn(action) ?? {}
  return [objectIn(action) ? made : action, operation]
}

const asText = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** The text of parts, without what surrounds it: citations, and log probabilities, which are up to a hundred times as long. */
const partsText = (parts: JsonValue | undefined): string =>
  Array.isArray(parts)
    ? objectsIn(parts)
        .map(({ text, refusal }) => asText(text) + asText(refusal))
        .join('')
    : asText(parts)

/** Everything that was generated, for counting. */
export const generatedText = (response: JsonObject): string =>
  itemsOf(response)
    .flatMap((item) => [
      partsText(item.content),
      partsText(item.summary),
      ...[item.name, item.arguments, item.input, ...vendorToolInputOf(item)].map(asText),
    ])
    .join('')

/** Reads a non-streaming response of a vendor. Throws StreamBrokenError if it is not one, or reports a failure. */
export function readNonStreamingNative(bytes: Buffer, prepared: PreparedResponse, answer: AnswerHead): NonStreamingAnswer {
  let response: JsonObject | null = null
  try {
    response = JSON.parse(bytes.toString('utf8')) as JsonObject
  } catch {
    // Reported below.
  }
  if (typeof response !== 'object' || response === null || !Array.isArray(response.output))
    throw createUnreadableError('the answer has no output')
  if (response.status !== 'completed' && response.status !== 'incomplete')
    throw new StreamBrokenError(
      'The model failed while it was answering.',
      `the response is ${errorCodeOf({ code: response.status })}`,
    )
  const end = new NativeResult(response, prepared, headOf(prepared, answer))
  return {
    usage: end.usage,
    finishReason: end.finishReason,
    finish: async (ports) => end.finish(ports),
    store: (ports) => end.store(ports),
    text: () => generatedText(end.answerJson),
    searches: end.searches,
    encode: (usage, costNano) => Buffer.from(JSON.stringify(end.response(usage, costNano))),
    toAnswerJson: () => end.answerJson,
  }
}
