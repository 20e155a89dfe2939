import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { refuseField } from '../../domain/errors.ts'
import type { LanguageAsk, LanguageCapabilities, LanguageExtras } from '../../domain/language.ts'
import { isForced } from './calls.ts'
import { functionOfCustomTool } from './custom-tools.ts'
import { imageExtrasOf } from './image-output.ts'
import { chatPrompt } from './prompt.ts'
import { type CacheMarked, cacheMarkOf, checkCacheControl, type PromptNotes } from './prompt-helpers.ts'
import type { ChatBody } from './schema.ts'
import { webSearchAskOf } from './web-search.ts'

type Options = LanguageAsk['options']
type Effort = NonNullable<LanguageModelV4CallOptions['reasoning']>

const MAX_CHOICES = 8
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const NO_SUCH_TOOL = 'It does not name one of the "tools".'

/** Fields that change the answer, and what they ask for. Without them it would not be the answer that was asked for. */
const REFUSED_FIELDS: readonly [keyof ChatBody, string, (value: unknown) => boolean][] = [
  ['logprobs', 'log probabilities', (value) => value === true],
  ['top_logprobs', 'log probabilities', (value) => value != null && value !== 0],
  ['logit_bias', 'a bias for tokens', (value) => Object.keys((value ?? {}) as object).length > 0],
  ['prediction', 'predicted outputs', (value) => value != null],
  ['functions', 'functions outside "tools"', (value) => Array.isArray(value) && value.length > 0],
  ['function_call', 'functions outside "tools"', (value) => value != null],
]

/** Fields that are carried, or that concern only the gateway. All other fields of a request are left out and reported. */
const KNOWN_FIELDS = new Set<string>([
  ...REFUSED_FIELDS.map(([field]) => field as string),
  ...['model', 'messages', 'n', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'store', 'modalities'],
  ...['image_config', 'web_search_options'],
  'service_tier',
  ...['temperature', 'top_p', 'top_k', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'user', 'cache_control'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'reasoning_effort'],
])

/**
 * A chat request in the form in which a bridged vendor is asked. Throws the 400 that names what cannot be carried.
 * lib/vendors/README.md has the table of parameters.
 */
export function toLanguageAsk(body: ChatBody, skills: LanguageCapabilities): LanguageAsk {
  for (const [field, feature, isRequested] of REFUSED_FIELDS)
    if (isRequested(body[field]))
      throw refuseField(field, `The API of this model's vendor does not support ${feature}. Leave out "${field}".`)
  if ((body.n ?? 1) > MAX_CHOICES) throw refuseField('n', `This model gives at most ${MAX_CHOICES} answers per request.`)
  checkToolNames(body, skills)
  const notes: PromptNotes = { ignored: new Set(), detail: undefined }
  const prompt = chatPrompt(body.messages, skills, notes)
  const tools = toolsOf(body, skills, notes)
  const options: Options = { prompt, ...sampling(body), ...tools, ...formatOf(body), ...effortOf(body) }
  // The schema does not check this field, so it can be anything.
  if (body.top_k != null && typeof body.top_k !== 'number') notes.ignored.add('top_k')
  const unknown = Object.keys(body).filter((field) => !KNOWN_FIELDS.has(field) && body[field] != null)
  const search = webSearchAskOf(body, skills, notes)
  if (search.webSearch && (tools.tools?.length ?? 0) > 0 && !skills.search?.besideFunctions)
    throw refuseField('tools', "This model's vendor does not search the web beside functions. Leave one of them out.")
  const extras = { ...extrasOf(body, notes), ...imageExtrasOf(body, skills, notes), ...search }
  return { options, extras, ignored: [...notes.ignored, ...unknown.map(headerSafe).slice(0, 20)] }
}

/**
 * Vendors refuse two tools with the same name, and a call of the client's tool would come back as the structured answer. So no tool
 * can be called like those that are added to the request.
 */
function checkToolNames(
  { tools, response_format: format, web_search_options: search }: ChatBody,
  skills: LanguageCapabilities,
): void {
  const names: (string | null | undefined)[] = (tools ?? []).map(named)
  const refuseName = (name: string | undefined, message: string): void => {
    const at = names.indexOf(name)
    if (at >= 0) throw refuseField(`tools[${at}].${tools?.[at]?.type}.name`, message)
  }
  if (format != null && format.type !== 'text')
    refuseName(
      skills.objectTool,
      'With a response_format, this model may be asked for it through a tool of this name. Call yours otherwise.',
    )
  if (search != null)
    refuseName(skills.search?.tool, "This model's vendor searches the web with a tool of this name. Call yours otherwise.")
  // Only its name says that a call is one of a custom tool.
  const at = names.findIndex(
    (name, index) => tools?.[index]?.type === 'custom' && names.indexOf(name) !== names.lastIndexOf(name),
  )
  if (at >= 0) throw refuseField(`tools[${at}].custom.name`, 'Another tool has this name. Call one of them otherwise.')
}

/** Names of fields go into a header, so only what a header allows is kept. */
const headerSafe = (field: string): string => field.replace(/[^\w.-]/g, '_').slice(0, 64)

function sampling(body: ChatBody): Partial<Options> {
  const { stop, top_k: topK } = body
  const all = {
    temperature: body.temperature,
    topP: body.top_p,
    topK: typeof topK === 'number' ? topK : null,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    stopSequences: stop == null ? null : [stop].flat(),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null))
}

function toolsOf(body: ChatBody, skills: LanguageCapabilities, notes: PromptNotes): Partial<Options> {
  const tools = (body.tools ?? []).map((tool) => toolOf(tool, skills, notes))
  const { tool_choice: choice } = body
  if (tools.length === 0) {
    if (choice == null || choice === 'auto' || choice === 'none') return {}
    throw refuseField('tool_choice', 'There are no "tools" to call.')
  }
  if (choice == null) return { tools }
  if (typeof choice === 'string') return { tools, toolChoice: { type: choice } }
  if (choice.type === 'allowed_tools') {
    const { mode, tools: allowed } = (choice.allowed_tools ?? {}) as { mode?: unknown; tools?: unknown[] }
    const names = new Set((allowed ?? []).map(named))
    for (const name of names) if (!tools.some((tool) => tool.name === name)) throw refuseField('tool_choice', NO_SUCH_TOOL)
    return {
      tools: tools.filter((tool) => names.has(tool.name)),
      toolChoice: { type: mode === 'required' ? 'required' : 'auto' },
    }
  }
  const toolName = named(choice)
  if (!isForced(choice) || !tools.some((tool) => tool.name === toolName) || toolName === null)
    throw refuseField('tool_choice', NO_SUCH_TOOL)
  return { tools, toolChoice: { type: 'tool', toolName } }
}

type Named = { name?: string } | null

/** The name of the tool that a choice, or an allowed tool, means. */
function named(item: unknown): string | null {
  const { function: called, custom } = item as { function?: Named; custom?: Named }
  return called?.name ?? custom?.name ?? null
}

function toolOf(
  tool: NonNullable<ChatBody['tools']>[number],
  skills: LanguageCapabilities,
  notes: PromptNotes,
): LanguageModelV4FunctionTool {
  const { name, description, parameters, strict } = tool.type === 'function' ? tool.function : functionOfCustomTool(tool, notes)
  return {
    type: 'function',
    name,
    // OpenAI accepts a schema that has no type. Others refuse it.
    inputSchema: (parameters ? { type: 'object', ...parameters } : { type: 'object', properties: {} }) as JSONSchema7,
    ...(description == null ? {} : { description }),
    ...(strict == null ? {} : { strict }),
    ...cacheMarkOf(tool as CacheMarked, skills, notes),
  }
}

function formatOf({ response_format: format }: ChatBody): Partial<Options> {
  if (format == null || format.type === 'text') return {}
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } }
  const { name, schema, description } = format.json_schema
  return {
    responseFormat: {
      type: 'json',
      name,
      ...(schema ? { schema: schema as JSONSchema7 } : {}),
      ...(typeof description === 'string' ? { description } : {}),
    },
  }
}

function effortOf({ reasoning_effort: effort }: ChatBody): Partial<Options> {
  if (effort == null) return {}
  if (!EFFORTS.includes(effort)) throw refuseField('reasoning_effort', `It must be one of ${EFFORTS.join(', ')}.`)
  return { reasoning: effort as Effort }
}

const isStrict = ({ response_format: format }: ChatBody): boolean =>
  format?.type === 'json_schema' && format.json_schema.strict === true

function extrasOf(body: ChatBody, notes: PromptNotes): LanguageExtras {
  if (body.cache_control != null) checkCacheControl(body.cache_control, 'cache_control')
  return {
    ...(body.user == null ? {} : { user: body.user }),
    ...(body.parallel_tool_calls == null ? {} : { parallelToolCalls: body.parallel_tool_calls }),
    ...(notes.detail == null ? {} : { imageDetail: notes.detail }),
    ...(isStrict(body) ? { strictSchema: true } : {}),
    ...(body.cache_control == null ? {} : { cache: true }),
  }
}
