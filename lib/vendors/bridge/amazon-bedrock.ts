import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { fieldIn } from '../../domain/field-in.ts'
import type { LanguageAsk, LanguageCapabilities } from '../../domain/language.ts'
import { parseSecrets } from '../../domain/vendor-kinds.ts'
import { messageBegins } from '../correct-status.ts'
import { VendorFailure } from '../vendor.ts'
import { withoutBlankStops } from './blank-stops.ts'
import {
  type AdaptedAsk,
  ANY_OBJECT,
  type Authorize,
  type Dialect,
  type ErrorAnswer,
  type FitResult,
  fieldByFeature,
  hasAddedObjectTool,
  OBJECT_TOOL,
  type Outgoing,
} from './dialect.ts'
import { withUniqueFileNames } from './document-names.ts'
import { withoutRootChoices } from './root-choices.ts'
import { withSupportedStrictness } from './strict-tools.ts'
import { MIN_CLAUDE_BUDGET_TOKENS, maxThinkingTokens } from './thinking-budget.ts'
import { hasCallsWithoutThought, type PartKinds } from './turn-thoughts.ts'

const SKILLS: LanguageCapabilities = {
  vendor: 'amazonBedrock',
  thoughts: { format: 'amazon-bedrock-v1', signature: 'signature', hidden: 'redactedData' },
  imageUrls: false,
  audio: false,
  video: false,
  files: ['application/pdf', 'text/plain'],
  caches: false,
  objectTool: OBJECT_TOOL,
}

type Options = LanguageAsk['options']

/** The highest effort with which Nova accepts a cap. With more effort its output has no limit. */
const CAPPED_EFFORT = 'medium'

const PARTS: PartKinds = {
  isThought: (part) => fieldIn(part, 'reasoningContent') !== undefined,
  isResult: (part) => fieldIn(part, 'toolResult') !== undefined,
}

/** Error messages for a model name, set by the operator, that this account or region does not have. */
const NO_SUCH_MODEL = messageBegins(
  'the provided model identifier is invalid|invocation of model id \\S+ with on-demand throughput|you don\\S*t have access to the model|operation not allowed',
)

/** Claude accepts one of `temperature` and `top_p` there, and refuses both (Amazon Bedrock, "Anthropic Claude Messages API"). */
const CLAUDE = /claude/

/** The names of the tools that are called in a conversation. */
function calledToolsIn({ prompt }: Options): string[] {
  const parts = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  return [...new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : [])))]
}

/**
 * The tools that are asked for. A conversation with calls is refused without tools, so by default these are the tools that were
 * called. In this case a choice of "none" becomes "auto", because otherwise the package would leave out the calls and their
 * results together with the tools.
 */
function toolsOf(options: Options): { toolOptions: Partial<LanguageModelV4CallOptions>; ignored: string[] } {
  const { tools = [], toolChoice } = options
  const called = calledToolsIn(options)
  // Without calls so far, tools that may not be called are left out: the package would keep them beside its own object tool.
  const barred = toolChoice?.type === 'none' && called.length === 0
  const known = called.map((name) => ({ type: 'function' as const, name, inputSchema: { ...ANY_OBJECT } }))
  const forbids = toolChoice?.type === 'none' && called.length > 0
  return {
    toolOptions: { tools: barred ? [] : tools.length > 0 ? tools : known, ...(forbids ? { toolChoice: { type: 'auto' } } : {}) },
    ignored: forbids ? ['tool_choice'] : [],
  }
}

/** A model that thinks cannot be forced to call a tool, so it may call one. `json` is the package's tool to ask for an object. */
function withoutForcedTool(body: Outgoing): FitResult {
  const config = fieldIn(body, 'toolConfig')
  const choice = fieldIn(config, 'toolChoice')
  if (fieldIn(choice, 'any') === undefined && fieldIn(choice, 'tool') === undefined) return { body, ignored: [] }
  const tools = fieldIn(config, 'tools') as Outgoing[]
  const isObject = fieldIn(tools.at(-1)?.toolSpec, 'name') === 'json'
  return {
    body: { ...body, toolConfig: { ...(config as Outgoing), toolChoice: { auto: {} } } },
    ignored: [isObject ? 'response_format' : 'tool_choice'],
  }
}

/** Signs the outgoing request with an access key, or adds the API key. */
const authorize: Authorize = async ({ url, headers, body }, connection) => {
  const { apiKey, accessKeyId, secretAccessKey, sessionToken } = parseSecrets(connection.secret)
  const { authorization: _a, Authorization: _b, ...plain } = headers
  if (apiKey !== undefined) return { ...plain, authorization: `Bearer ${apiKey}` }
  const region = /^bedrock-runtime[^.]*\.([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(url).host)?.[1] ?? 'us-east-1'
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new VendorFailure('misconfigured', 'the connection has neither an API key nor an access key with its secret')
  const { AwsV4Signer } = await import('aws4fetch')
  const signer = new AwsV4Signer({
    url,
    method: 'POST',
    headers: plain,
    body,
    region,
    service: 'bedrock',
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  })
  return Object.fromEntries((await signer.sign()).headers)
}

/** All models of Amazon Bedrock, through `@ai-sdk/amazon-bedrock` and its Converse API. */
export const amazonBedrock: Dialect = {
  async load() {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    // The package gets a placeholder as its key. Requests are signed at the gate.
    return ({ baseUrl, headers, fetch }, model) =>
      createAmazonBedrock({ baseURL: baseUrl, apiKey: 'signed-at-the-gate', region: 'unused', headers, fetch })(model)
  },
  skills: () => SKILLS,
  version: '',
  inputOverhead: 1536,
  authorize,

  adapt({ options: asked, extras }: LanguageAsk, upstreamModel: string): AdaptedAsk {
    const isClaude = CLAUDE.test(upstreamModel)
    const { options, ignored: ignoredStops } = isClaude ? withoutBlankStops(asked) : { options: asked, ignored: [] }
    const { toolOptions, ignored: ignoredChoice } = toolsOf(options)
    const asGiven = { tools: toolOptions.tools ?? [], ignored: [] }
    const { tools: objects, ignored: ignoredSchemas } = isClaude ? withoutRootChoices(asGiven.tools) : asGiven
    const { tools, ignored: ignoredStrictness } = isClaude ? withSupportedStrictness(objects, options.responseFormat) : asGiven
    const { topP, ...rest } = options
    const omitsTopP = topP !== undefined && options.temperature !== undefined && isClaude
    const ignored = [
      ...ignoredStops,
      ...ignoredChoice,
      ...ignoredSchemas,
      ...ignoredStrictness,
      ...(omitsTopP ? ['top_p'] : []),
      ...(extras.user === undefined ? [] : ['user']),
      ...(extras.cache === true ? ['cache_control'] : []),
      ...(extras.imageDetail === undefined ? [] : ['image_url.detail']),
    ]
    const parallel = extras.parallelToolCalls === false ? { anthropic: { disableParallelToolUse: true } } : {}
    const adapted: LanguageModelV4CallOptions = {
      ...(omitsTopP ? rest : options),
      ...toolOptions,
      tools,
      prompt: withUniqueFileNames(options.prompt),
      providerOptions: parallel,
    }
    const { responseFormat } = options
    if (responseFormat?.type === 'json' && !responseFormat.schema) {
      adapted.responseFormat = { ...responseFormat, schema: { ...ANY_OBJECT } }
      // If the vendor enforces schemas itself, the package closes them, so that this one would accept only an empty object.
      adapted.providerOptions = { ...parallel, amazonBedrock: { structuredOutputMode: 'jsonTool' } }
    }
    return { options: adapted, ignored }
  },

  fit(body: Outgoing, cap: number): FitResult {
    const { inferenceConfig, additionalModelRequestFields: more } = body
    const inference = (fields: Outgoing): Outgoing => ({ ...(inferenceConfig as Outgoing), ...fields })
    const thinking = fieldIn(more, 'thinking')
    const reasoning = fieldIn(more, 'reasoningConfig')
    if (reasoning !== undefined && fieldIn(inferenceConfig, 'maxTokens') === undefined) {
      const lowered = { ...(reasoning as Outgoing), maxReasoningEffort: CAPPED_EFFORT }
      const fields = { ...(more as Outgoing), reasoningConfig: lowered }
      return {
        body: { ...body, inferenceConfig: inference({ maxTokens: cap }), additionalModelRequestFields: fields },
        ignored: ['reasoning_effort'],
      }
    }
    const wanted = fieldIn(thinking, 'budget_tokens')
    if (typeof wanted !== 'number') return { body: null, ignored: [] }
    const budget = Math.min(wanted, maxThinkingTokens(cap))
    const { thinking: _, ...rest } = more as Outgoing
    const capped = { ...body, inferenceConfig: inference({ maxTokens: cap }) }
    if (budget < MIN_CLAUDE_BUDGET_TOKENS || hasCallsWithoutThought(body.messages, PARTS))
      return { body: { ...capped, additionalModelRequestFields: rest }, ignored: ['reasoning_effort'] }
    const lowered = { ...rest, thinking: { ...(thinking as Outgoing), budget_tokens: budget } }
    return withoutForcedTool({ ...capped, additionalModelRequestFields: lowered })
  },

  findChangedFields({ toolConfig }: Outgoing, ask: LanguageAsk): string[] {
    const tools = fieldIn(toolConfig, 'tools')
    const names = Array.isArray(tools) ? tools.map((tool) => fieldIn(fieldIn(tool, 'toolSpec'), 'name')) : []
    const { type } = ask.options.toolChoice ?? {}
    return hasAddedObjectTool(names, ask) && (type === 'required' || type === 'tool') ? ['tool_choice'] : []
  },

  capOf({ inferenceConfig, additionalModelRequestFields: more }: Outgoing): number {
    const maxTokens = fieldIn(inferenceConfig, 'maxTokens')
    const budget = fieldIn(fieldIn(more, 'thinking'), 'budget_tokens')
    if (typeof maxTokens !== 'number') return Number.POSITIVE_INFINITY
    return typeof budget === 'number' ? Math.max(maxTokens, budget) : maxTokens
  },

  fieldOf: fieldByFeature({
    frequencyPenalty: 'frequency_penalty',
    presencePenalty: 'presence_penalty',
    seed: 'seed',
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    strict: 'tools.strict',
    toolChoice: 'tool_choice',
    reasoning: 'reasoning_effort',
    toolContent: 'tools',
    // `fit` restores it.
    maxOutputTokens: null,
  }),

  correctError(answer: ErrorAnswer): ErrorAnswer {
    return answer.status === 400 && NO_SUCH_MODEL.test(answer.text) ? { ...answer, status: 404 } : answer
  },
}
