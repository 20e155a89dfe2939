import { asRefusal, refuseField } from '../../domain/errors.ts'
import type { LanguageCapabilities } from '../../domain/language.ts'
import type { MaybePromise } from '../../domain/maybe-promise.ts'
import { nestTool } from '../chat/flat-tools.ts'
import { withoutMedia } from '../chat/media.ts'
import type { ChatBody } from '../chat/schema.ts'
import type { JsonObject } from '../json.ts'
import { toChatMessages } from './chat-messages.ts'
import type { Context } from './context.ts'
import { type InputPart, type Item, isClientRunCall, isClientRunOutput, isMessage, isOutput } from './items-schema.ts'
import { chatNamesOfChoices, chatToolName, findNameCollision, type PlacedTool, placeTools } from './namespaces.ts'
import type { ResponsesBody } from './schema.ts'
import { isVendorDefined, refuseVendorDefinedTools, UNAVAILABLE_TOOL, type VendorDefined } from './vendor-defined-tools.ts'
import { searchOptionsOf } from './web-search.ts'

/** The names that the parts of a chat have in the request that it stands for. */
interface FieldNames {
  /** By the index of the message: the item that it begins with. */
  names: readonly string[]
  /** The tools by their index in the chat. */
  tools: readonly PlacedTool[]
}

/** A request to POST /v1/responses as a chat. */
export interface ChatTranslation extends FieldNames {
  body: ChatBody
}

/** The chat that asks a model the same as a request does. `checkSupportedByChat` decides whether a chat can carry the request. */
export function translateToChat(body: ResponsesBody, context: Context): ChatTranslation {
  const { messages, names } = toChatMessages(context, body.instructions ?? null)
  const tools = placeTools(body, context)
  const { effort } = body.reasoning ?? {}
  const carried: JsonObject = {
    model: body.model,
    messages: messages as unknown as JsonObject[],
    stream: body.stream === true,
    max_completion_tokens: body.max_output_tokens,
    temperature: body.temperature,
    top_p: body.top_p,
    presence_penalty: body.presence_penalty,
    frequency_penalty: body.frequency_penalty,
    tools: tools.length > 0 ? tools.map(toolOf) : null,
    tool_choice: tools.length > 0 || mustCallTool(body.tool_choice) ? choiceOf(body.tool_choice, tools) : null,
    parallel_tool_calls: tools.length > 0 ? body.parallel_tool_calls : null,
    response_format: formatOf(body),
    reasoning_effort: effort,
    verbosity: body.text?.verbosity,
    web_search_options: searchOptionsOf(body) as JsonObject | null,
    user: body.user,
    safety_identifier: body.safety_identifier,
    prompt_cache_key: body.prompt_cache_key,
    prompt_cache_retention: body.prompt_cache_retention,
    ...(wantsLogprobs(body) ? { logprobs: true, top_logprobs: body.top_logprobs ?? 0 } : {}),
  }
  const presentFields = Object.entries(carried).filter(([, value]) => value != null)
  return { body: Object.fromEntries(presentFields) as ChatBody, names, tools }
}

/** Whether the answer is to include log probabilities of the text. */
export const wantsLogprobs = ({ include, top_logprobs: top }: ResponsesBody): boolean =>
  include?.includes('message.output_text.logprobs') === true || (top ?? 0) > 0

function toolOf({ tool, namespace }: PlacedTool): JsonObject {
  const name = chatToolName({ namespace, name: tool.name })
  if (tool.type === 'custom') return nestTool({ ...(tool as JsonObject), name })
  const { type, description, parameters, strict } = tool
  const named = { name, description, parameters, strict }
  return { type, function: Object.fromEntries(Object.entries(named).filter(([, value]) => value != null)) as JsonObject }
}

/** Without tools, a choice among them has no effect, unless one has to be called. Then its vendor, or the bridge, refuses it. */
function mustCallTool(choice: ResponsesBody['tool_choice']): boolean {
  if (choice == null || typeof choice === 'string') return choice === 'required'
  if (isVendorDefined(choice)) return false
  return choice.type !== 'allowed_tools' || choice.mode === 'required'
}

function choiceOf(choice: ResponsesBody['tool_choice'], tools: readonly PlacedTool[]): JsonObject | string | null {
  if (choice == null || typeof choice === 'string') return choice ?? null
  // Refused before it is sent as a chat.
  if (isVendorDefined(choice)) return null
  const names = chatNamesOfChoices(tools)
  const named = ({ type, name }: { type: 'function' | 'custom'; name: string }): JsonObject => ({
    type,
    [type]: { name: names.get(name) ?? name },
  })
  if (choice.type !== 'allowed_tools') return named(choice)
  if (choice.mode === 'none') return 'none'
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode ?? 'auto', tools: choice.tools.filter(isNamed).map(named) } }
}

const isNamed = <T extends { type: string }>(choice: T): choice is Exclude<T, { type: VendorDefined['type'] }> =>
  !isVendorDefined(choice)

function formatOf({ text }: ResponsesBody): JsonObject | null {
  const format = text?.format
  if (format == null || format.type === 'text') return null
  if (format.type === 'json_object') return { type: 'json_object' }
  const { name, schema, strict, description } = format
  const described = { name, schema, strict, description }
  return {
    type: 'json_schema',
    json_schema: Object.fromEntries(Object.entries(described).filter(([, value]) => value != null)) as JsonObject,
  }
}

const UNSUPPORTED_BY_CHATS = 'This model is called through chat completions, which do not support this.'

/** Throws the 400 that names what no chat can carry. `skills` are those of a bridged vendor, some of which search the web. */
export function checkSupportedByChat(
  body: ResponsesBody,
  { items, names }: Context,
  { tools }: Pick<ChatTranslation, 'tools'>,
  skills: LanguageCapabilities | null,
): void {
  refuseVendorDefinedTools(body, { canSearch: skills?.search !== undefined })
  for (const [index, item] of items.entries()) checkItem(item, names[index] ?? 'input')
  const param = findNameCollision(tools)?.path
  if (param !== undefined)
    throw refuseField(param, `${UNSUPPORTED_BY_CHATS} There, this tool would have the same name as another one.`)
}

function checkItem(item: Item, name: string): void {
  const at = (path: string): string => (name.startsWith('input') ? `${name}.${path}` : name)
  if (isClientRunCall(item) || isClientRunOutput(item))
    throw refuseField(
      at('type'),
      `${UNSUPPORTED_BY_CHATS} Send the call as a function_call, and its output as a function_call_output, or use a model whose vendor offers responses.`,
    )
  if (item.type === 'additional_tools') {
    const tool = item.tools.findIndex(isVendorDefined)
    if (tool >= 0) throw refuseField(at(`tools[${tool}].type`), UNAVAILABLE_TOOL)
    return
  }
  const field = isOutput(item) ? 'output' : 'content'
  const parts: string | readonly InputPart[] = isOutput(item)
    ? item.output
    : isMessage(item) && item.role === 'user'
      ? item.content
      : ''
  if (typeof parts === 'string') return
  parts.forEach((part, index) => {
    if (part.type === 'input_file' && part.file_data == null)
      throw refuseField(at(`${field}[${index}].file_url`), `${UNSUPPORTED_BY_CHATS} Send the file itself as "file_data".`)
  })
}

/** The names of a chat's fields in a request of this endpoint. */
const FIELDS: readonly [RegExp, string][] = [
  [/^max_(completion_)?tokens$/, 'max_output_tokens'],
  [/^reasoning_effort$/, 'reasoning.effort'],
  [/^response_format(\.json_schema)?/, 'text.format'],
  [/^verbosity$/, 'text.verbosity'],
  [/^tools\.custom\b/, 'tools'],
  [/^web_search_options\.max_uses$/, 'max_tool_calls'],
  [/^web_search_options(\.user_location)?/, 'tools$1'],
  [/^logprobs$/, 'include'],
  [/^messages$/, 'input'],
  [/^messages\.(name|role)$/, 'input.$1'],
]

/** Translates the name of a chat's field. Messages are named after the item that they begin with, tools after their place. */
export function responsesFieldOf(param: string, { names, tools }: FieldNames): string {
  const message = /^messages\.?\[(\d+)\](.*)$/.exec(param)
  if (message) {
    const name = names[Number(message[1])] ?? 'input'
    return /^input\[\d+\]$/.test(name) && message[2]?.startsWith('.content') ? name + message[2] : name
  }
  const tool = /^tools\.?\[(\d+)\](?:\.(?:function|custom))?(.*)$/.exec(param)
  if (tool) return `${tools[Number(tool[1])]?.path ?? 'tools'}${tool[2]}`
  for (const [pattern, name] of FIELDS) if (pattern.test(param)) return param.replace(pattern, name)
  return param
}

/** The field that most of the messages come from: the input, what goes before it, or the conversation that it continues. */
function longestFieldOf({ body, names }: ChatTranslation): string {
  const lengths = new Map<string, number>()
  withoutMedia(body.messages).forEach((message, index) => {
    const [field = 'input'] = names[index]?.split('[', 1) ?? []
    lengths.set(field, (lengths.get(field) ?? 0) + JSON.stringify(message).length)
  })
  return [...lengths].reduce((longest, other) => (other[1] > longest[1] ? other : longest), ['input', 0])[0]
}

/** A chat has `logprobs` if either field asks for it. `include` may be missing, `top_logprobs` above 0 is always the caller's. */
const ownFieldOf = (param: string, translation: ChatTranslation): string =>
  param === 'logprobs' && (translation.body.top_logprobs ?? 0) > 0 ? 'top_logprobs' : responsesFieldOf(param, translation)

/** Runs code that knows only chats. Its refusals name the fields as the caller does. */
export async function withResponsesFields<T>(translation: ChatTranslation, work: () => MaybePromise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateRefusal(error, translation)
  }
}

/** A chat's refusal with the field names of this endpoint. Any other error stays as it is. */
export function translateRefusal(error: unknown, translation: ChatTranslation): unknown {
  const refusal = asRefusal(error)
  if (!refusal?.param) return error
  const { condition, message, param } = refusal
  const own =
    condition === 'context_exceeded' && param === 'messages' ? longestFieldOf(translation) : ownFieldOf(param, translation)
  return refusal.about(own, message.replaceAll(`"${param}"`, `"${own}"`))
}
