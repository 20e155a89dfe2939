import type { LanguageModelV4CallOptions, LanguageModelV4ProviderTool, SharedV4Warning } from '@ai-sdk/provider'
import { fieldIn } from '../../domain/field-in.ts'
import type { LanguageAsk, LanguageCapabilities, LanguageExtras } from '../../domain/language.ts'
import { messageBegins } from '../correct-status.ts'
import { anthropicCorrections } from './anthropic-answer.ts'
import { withoutBlankStops } from './blank-stops.ts'
import {
  type AdaptedAsk,
  ANY_OBJECT,
  type Dialect,
  type ErrorAnswer,
  type FitResult,
  fieldByFeature,
  hasAddedObjectTool,
  OBJECT_TOOL,
  type Outgoing,
} from './dialect.ts'
import { withoutRootChoices } from './root-choices.ts'
import { withSupportedStrictness } from './strict-tools.ts'
import { MIN_CLAUDE_BUDGET_TOKENS, maxThinkingTokens } from './thinking-budget.ts'
import { hasCallsWithoutThought, type PartKinds } from './turn-thoughts.ts'

/** Error messages for an operator's account that is empty, has reached its usage limit, or is disabled. */
const NO_CREDIT = messageBegins(
  'your credit balance is too low|you have reached your [a-z ]*usage limits|this organization has been disabled',
)

const SKILLS: LanguageCapabilities = {
  vendor: 'anthropic',
  thoughts: { format: 'anthropic-claude-v1', signature: 'signature', hidden: 'redactedData' },
  imageUrls: true,
  audio: false,
  video: false,
  files: ['application/pdf', 'text/plain'],
  caches: true,
  objectTool: OBJECT_TOOL,
  search: {
    bills: 'searches',
    cites: 'blocks',
    filters: true,
    location: true,
    limit: true,
    besideFunctions: true,
    tool: 'web_search',
  },
}

const PARTS: PartKinds = {
  isThought: (part) => /thinking$/.test(String(fieldIn(part, 'type'))),
  isResult: (part) => fieldIn(part, 'type') === 'tool_result',
}

const byFeature = fieldByFeature({
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  strict: 'tools.strict',
  toolChoice: 'tool_choice',
  reasoning: 'reasoning_effort',
  'providerOptions.anthropic.thinking': 'reasoning_effort',
  'providerOptions.anthropic.effort': 'reasoning_effort',
  'providerOptions.anthropic.structuredOutputMode': null,
  'cacheControl breakpoint limit': 'cache_control',
  'cache_control on non-cacheable context': 'cache_control',
  // The package lowers the cap to the model's limit that it knows, or adds the budget that `fit` subtracts again.
  maxOutputTokens: null,
})

/** The search that runs at Anthropic. It comes first: the last tool can be the package's own. */
function webSearchTool(ask: LanguageExtras['webSearch']): LanguageModelV4ProviderTool[] {
  if (!ask) return []
  const args = {
    maxUses: ask.maxSearches,
    ...(ask.allowedDomains ? { allowedDomains: [...ask.allowedDomains] } : {}),
    ...(ask.location ? { userLocation: { type: 'approximate', ...ask.location } } : {}),
  }
  return [{ type: 'provider', id: 'anthropic.web_search_20250305', name: 'web_search', args }]
}

/** Claude, through `@ai-sdk/anthropic`. lib/vendors/README.md has the table of parameters. */
export const anthropic: Dialect = {
  async load() {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return ({ baseUrl, secret, headers, fetch }, model) =>
      createAnthropic({ baseURL: baseUrl, apiKey: secret, headers, fetch })(model)
  },
  skills: () => SKILLS,
  version: '/v1',
  // Tools add a system prompt of up to 804 tokens, and answer schemas add another one (Anthropic, "Pricing", tool use).
  inputOverhead: 1536,

  adapt({ options: asked, extras }: LanguageAsk): AdaptedAsk {
    const { options, ignored: ignoredStops } = withoutBlankStops(asked)
    const own = {
      ...(extras.user === undefined ? {} : { metadata: { userId: extras.user } }),
      ...(extras.parallelToolCalls === false ? { disableParallelToolUse: true } : {}),
      ...(extras.cache === true ? { cacheControl: { type: 'ephemeral' as const } } : {}),
    }
    const { tools: objects, ignored: ignoredChoices } = withoutRootChoices(options.tools ?? [])
    const { tools, ignored: ignoredStrictness } = withSupportedStrictness(objects, options.responseFormat)
    const adapted: LanguageModelV4CallOptions = {
      ...options,
      ...(options.tools || extras.webSearch ? { tools: [...webSearchTool(extras.webSearch), ...tools] } : {}),
      providerOptions: { anthropic: own },
    }
    const { responseFormat } = options
    if (responseFormat?.type === 'json' && !responseFormat.schema)
      adapted.responseFormat = { ...responseFormat, schema: { ...ANY_OBJECT } }
    return {
      options: adapted,
      ignored: [
        ...ignoredStops,
        ...ignoredChoices,
        ...ignoredStrictness,
        ...(extras.imageDetail === undefined ? [] : ['image_url.detail']),
      ],
    }
  },

  /** The package adds the budget for thoughts to the cap. This subtracts it again, and lowers it so that an answer has room. */
  fit(body: Outgoing, cap: number): FitResult {
    const { thinking, max_tokens: maxTokens, messages } = body
    if (fieldIn(thinking, 'type') !== 'enabled' || typeof maxTokens !== 'number') return { body: null, ignored: [] }
    const wanted = Number(fieldIn(thinking, 'budget_tokens'))
    const budget = Math.min(wanted, maxThinkingTokens(cap))
    if (budget < MIN_CLAUDE_BUDGET_TOKENS || hasCallsWithoutThought(messages, PARTS)) {
      const { thinking: _, ...rest } = body
      return { body: { ...rest, max_tokens: Math.min(maxTokens, cap) }, ignored: ['reasoning_effort'] }
    }
    if (maxTokens <= cap) return { body: null, ignored: [] }
    return { body: { ...body, max_tokens: cap, thinking: { ...(thinking as object), budget_tokens: budget } }, ignored: [] }
  },

  findChangedFields({ tools }: Outgoing, ask: LanguageAsk): string[] {
    const names = Array.isArray(tools) ? tools.map((tool) => fieldIn(tool, 'name')) : []
    if (!hasAddedObjectTool(names, ask)) return []
    const { type } = ask.options.toolChoice ?? {}
    return [
      ...(type === 'required' || type === 'tool' ? ['tool_choice'] : []),
      ...(ask.extras.parallelToolCalls === true ? ['parallel_tool_calls'] : []),
    ]
  },

  capOf({ max_tokens: maxTokens, thinking }: Outgoing): number {
    const budget = fieldIn(thinking, 'budget_tokens')
    if (typeof maxTokens !== 'number') return Number.POSITIVE_INFINITY
    return typeof budget === 'number' ? Math.max(maxTokens, budget) : maxTokens
  },

  fieldOf(warning: SharedV4Warning, ask: LanguageAsk): string | null {
    const field = byFeature(warning, ask)
    // A schema is enforced through a tool that the model has to call. Some models cannot be forced to.
    return field === 'tool_choice' && ask.options.toolChoice === undefined ? 'response_format' : field
  },

  corrections: anthropicCorrections,

  correctError(answer: ErrorAnswer): ErrorAnswer {
    // Anthropic's own status for being overloaded.
    if (answer.status === 529) return { ...answer, status: 503 }
    // It says so with a 400 or a 429, although neither another request nor waiting helps.
    const misstates = answer.status === 400 || answer.status === 429
    return misstates && NO_CREDIT.test(answer.text) ? { ...answer, status: 402 } : answer
  },
}
