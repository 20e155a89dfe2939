import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { fieldIn } from '../../domain/field-in.ts'
import type { LanguageAsk, LanguageCapabilities } from '../../domain/language.ts'
import { cohereCorrections } from './cohere-answer.ts'
import { type AdaptedAsk, type Dialect, type FitResult, fieldByFeature, type Outgoing } from './dialect.ts'

const SKILLS: LanguageCapabilities = {
  vendor: 'cohere',
  // It signs nothing.
  thoughts: { format: 'cohere-v1', signature: 'signature', hidden: null },
  imageUrls: true,
  audio: false,
  video: false,
  files: ['text/plain'],
  caches: false,
}

/** The share of the held output tokens for thoughts, which have their own budget in addition to the answer's cap. */
const THINKING_SHARE = 0.5

/** Models that think unless they are told not to, by default without a limit. */
const THINKS_BY_DEFAULT = /reasoning/

/** The most tokens of thoughts that a request asks for: 0 if it does not think, Infinity if there is no budget. */
function thoughtsOf({ model, thinking }: Outgoing): number {
  const type = fieldIn(thinking, 'type')
  if (type === 'disabled' || (type === undefined && !THINKS_BY_DEFAULT.test(String(model)))) return 0
  const budget = fieldIn(thinking, 'token_budget')
  return typeof budget === 'number' ? budget : Number.POSITIVE_INFINITY
}

const FORBIDDEN_WORD_STATUS = 498

/** The text beside the calls of each assistant's message. The package drops it; Cohere has a field of its own for it. */
function plansIn({ options: { prompt } }: LanguageAsk): (string | null)[] {
  return prompt.flatMap(({ role, content }) => {
    if (role !== 'assistant') return []
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    return [text === '' || !content.some((part) => part.type === 'tool-call') ? null : text]
  })
}

/** Cohere, through `@ai-sdk/cohere`. */
export const cohere: Dialect = {
  async load() {
    const { createCohere } = await import('@ai-sdk/cohere')
    return ({ baseUrl, secret, headers, fetch }, model) =>
      createCohere({ baseURL: baseUrl, apiKey: secret, headers, fetch })(model)
  },
  skills: () => SKILLS,
  version: '/v2',
  // It does not bill what it adds by itself.
  inputOverhead: 512,

  adapt({ options, extras }: LanguageAsk): AdaptedAsk {
    const ignored = [
      ...(extras.user === undefined ? [] : ['user']),
      ...(extras.parallelToolCalls === false ? ['parallel_tool_calls'] : []),
      ...(extras.cache === true ? ['cache_control'] : []),
      ...(extras.imageDetail === undefined ? [] : ['image_url.detail']),
      ...(options.tools?.some((tool) => tool.type === 'function' && tool.strict === true) ? ['tools.strict'] : []),
    ]
    return { options, ignored }
  },

  restore(body: Outgoing, ask: LanguageAsk): Outgoing | null {
    const plans = plansIn(ask)
    const { messages } = body
    if (!Array.isArray(messages) || plans.every((plan) => plan === null)) return null
    let count = 0
    const restored = messages.map((message) => {
      const plan = fieldIn(message, 'role') === 'assistant' ? (plans[count++] ?? null) : null
      return plan === null ? message : { ...message, tool_plan: plan }
    })
    return { ...body, messages: restored }
  },

  fit(body: Outgoing, cap: number): FitResult {
    const wanted = thoughtsOf(body)
    if (wanted === 0) return { body: null, ignored: [] }
    const budget = Math.min(wanted, Math.floor(cap * THINKING_SHARE))
    if (budget >= 1)
      return {
        body: { ...body, max_tokens: cap - budget, thinking: { type: 'enabled', token_budget: budget } },
        ignored: [],
      }
    const isRequested = body.thinking !== undefined
    return { body: { ...body, thinking: { type: 'disabled' } }, ignored: isRequested ? ['reasoning_effort'] : [] }
  },

  capOf(body: Outgoing): number {
    const { max_tokens: maxTokens } = body
    return typeof maxTokens === 'number' ? maxTokens + thoughtsOf(body) : Number.POSITIVE_INFINITY
  },

  fieldOf: fieldByFeature({ reasoning: 'reasoning_effort', 'object documents': null }),

  /** Cohere bills fewer tokens than the model reads. The package reports the tokens that were read. */
  billedUsageOf(usage: LanguageModelV4Usage): LanguageModelV4Usage {
    const units = fieldIn(usage.raw, 'billed_units')
    const [input, output] = [fieldIn(units, 'input_tokens'), fieldIn(units, 'output_tokens')]
    if (typeof input !== 'number' || typeof output !== 'number') return usage
    return {
      ...usage,
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { ...usage.outputTokens, total: output, text: undefined },
    }
  },

  // A word that its owner has forbidden stands in the request or in the answer (API reference, "Errors").
  correctError: (answer) => (answer.status === FORBIDDEN_WORD_STATUS ? { ...answer, status: 400 } : answer),
  corrections: cohereCorrections,
}
