import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { fieldIn } from '../../domain/field-in.ts'
import type { LanguageAsk, LanguageCapabilities } from '../../domain/language.ts'
import { messageBegins } from '../correct-status.ts'
import {
  type AdaptedAsk,
  ANY_OBJECT,
  type Dialect,
  type ErrorAnswer,
  type FitResult,
  fieldByFeature,
  hasAddedObjectTool,
  type Outgoing,
} from './dialect.ts'
import { googleCorrections } from './google-answer.ts'
import { maxThinkingTokens } from './thinking-budget.ts'

/** Beside functions, the calls of its own tools would have to be sent back as well. */
const SEARCH = { cites: 'sources', filters: false, location: false, limit: false, besideFunctions: false } as const

const SKILLS: LanguageCapabilities = {
  vendor: 'google',
  thoughts: { format: 'google-gemini-v1', signature: 'thoughtSignature', hidden: null },
  imageUrls: false,
  audio: true,
  video: true,
  files: ['application/pdf', 'text/plain'],
  caches: false,
  // What its package accepts.
  imageOutput: {
    aspectRatios: '1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9 1:4 4:1 1:8 8:1'.split(' '),
    sizes: ['512', '1K', '2K', '4K'],
  },
}

/** Flash models before 3.5 bill audio tokens separately, but the package does not report them separately (Google, "Pricing"). */
const BILLS_AUDIO_SEPARATELY = /gemini-(?:[12]\.\d|3(?:\.[0-4])?)-flash/

/** Models whose searches are billed once for each request that leads to any; later ones bill each search (Google, "Pricing"). */
const BILLS_SEARCHES_ONCE = /gemini-[12]\./

/** Google's models before Gemini 2 cannot, and its package does not offer them to. */
const SEARCHES = /gemini-(?!1\.)/

function skillsOf(upstreamModel: string): LanguageCapabilities {
  const audio = SKILLS.audio && !BILLS_AUDIO_SEPARATELY.test(upstreamModel)
  const bills = BILLS_SEARCHES_ONCE.test(upstreamModel) ? 'requests' : 'searches'
  return { ...SKILLS, audio, ...(SEARCHES.test(upstreamModel) ? { search: { ...SEARCH, bills } } : {}) }
}

/** Models that refuse JSON mode beside tools. Later ones refuse it only if a tool has to be called (Google, "Structured outputs"). */
const NO_JSON_BESIDE_TOOLS = /gemini-[12]\./

/** The smallest budget that every thinking model accepts (Google, "Thinking"). */
const MIN_BUDGET_TOKENS = 128

/** Error messages for an account without money or with a reached spending cap. Waiting, as the status suggests, does not help. */
const NO_CREDIT = messageBegins('your prepayment credits are depleted|your project has exceeded its monthly spending cap')

const byFeature = fieldByFeature({
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  reasoning: 'reasoning_effort',
})

/** Gemini's own API, through `@ai-sdk/google`. lib/vendors/README.md has the table of parameters. */
export const google: Dialect = {
  async load() {
    const { createGoogle } = await import('@ai-sdk/google')
    return ({ baseUrl, secret, headers, fetch }, model) =>
      createGoogle({ baseURL: baseUrl, apiKey: secret, headers, fetch })(model)
  },
  skills: skillsOf,
  version: '/v1beta',
  inputOverhead: 256,

  adapt({ options, extras }: LanguageAsk, upstreamModel: string): AdaptedAsk {
    const thinks = options.reasoning !== undefined && options.reasoning !== 'none' && options.reasoning !== 'minimal'
    const own = {
      ...(thinks ? { thinkingConfig: { includeThoughts: true } } : {}),
      ...(extras.imageDetail === undefined
        ? {}
        : { mediaResolution: extras.imageDetail === 'low' ? 'MEDIA_RESOLUTION_LOW' : 'MEDIA_RESOLUTION_HIGH' }),
      ...(extras.modalities === undefined
        ? {}
        : { responseModalities: extras.modalities.map((modality) => modality.toUpperCase()) }),
      ...(extras.imageConfig === undefined ? {} : { imageConfig: extras.imageConfig }),
    }
    const ignored = [
      ...(extras.user === undefined ? [] : ['user']),
      ...(extras.parallelToolCalls === false ? ['parallel_tool_calls'] : []),
      ...(extras.cache === true ? ['cache_control'] : []),
    ]
    const adapted: LanguageModelV4CallOptions = {
      ...options,
      ...(extras.webSearch ? { tools: [{ type: 'provider', id: 'google.google_search', name: 'google_search', args: {} }] } : {}),
      providerOptions: { google: own },
    }
    const { responseFormat, tools = [], toolChoice } = options
    const separates = NO_JSON_BESIDE_TOOLS.test(upstreamModel) || toolChoice?.type === 'required' || toolChoice?.type === 'tool'
    // With a schema, the package asks for the object with a tool of its own.
    if (responseFormat?.type === 'json' && !responseFormat.schema && tools.length > 0 && separates)
      adapted.responseFormat = { ...responseFormat, schema: { ...ANY_OBJECT } }
    return { options: adapted, ignored }
  },

  /** Thoughts count against the cap here. A budget that fills the cap would leave no room for an answer. */
  fit(body: Outgoing, cap: number): FitResult {
    const config = fieldIn(body, 'generationConfig')
    const thinking = fieldIn(config, 'thinkingConfig')
    const wanted = fieldIn(thinking, 'thinkingBudget')
    const maxBudget = maxThinkingTokens(cap)
    if (typeof wanted !== 'number' || wanted <= maxBudget) return { body: null, ignored: [] }
    const { thinkingBudget: _, ...free } = thinking as Outgoing
    const thinkingConfig = maxBudget >= MIN_BUDGET_TOKENS ? { ...free, thinkingBudget: maxBudget } : free
    return {
      body: { ...body, generationConfig: { ...(config as Outgoing), thinkingConfig } },
      ignored: maxBudget >= MIN_BUDGET_TOKENS ? [] : ['reasoning_effort'],
    }
  },

  /** A single function can be forced by its name, but a call to any of the request's own functions cannot be forced. */
  findChangedFields({ tools }: Outgoing, ask: LanguageAsk): string[] {
    const declared = Array.isArray(tools) ? tools.flatMap((tool) => fieldIn(tool, 'functionDeclarations')) : []
    const names = declared.map((one) => fieldIn(one, 'name'))
    return hasAddedObjectTool(names, ask) && ask.options.toolChoice?.type === 'required' ? ['tool_choice'] : []
  },

  capOf(body: Outgoing): number {
    const config = fieldIn(body, 'generationConfig')
    const maxTokens = fieldIn(config, 'maxOutputTokens')
    const candidates = fieldIn(config, 'candidateCount')
    return typeof maxTokens === 'number'
      ? maxTokens * (typeof candidates === 'number' ? candidates : 1)
      : Number.POSITIVE_INFINITY
  },

  fieldOf(warning, ask): string | null {
    // A call that another vendor's model made has no signature. The package adds a placeholder.
    if (warning.type === 'other' && warning.message.includes('thoughtSignature')) return null
    return byFeature(warning, ask)
  },

  corrections: googleCorrections,

  correctError(answer: ErrorAnswer): ErrorAnswer {
    const error = errorIn(answer.text)
    const details = fieldIn(error, 'details')
    const list: unknown[] = Array.isArray(details) ? details : []
    // Only the operator can fix these, although their status is 400.
    if (list.some((item) => fieldIn(item, 'reason') === 'API_KEY_INVALID')) return { ...answer, status: 401 }
    if (fieldIn(error, 'status') === 'FAILED_PRECONDITION') return { ...answer, status: 403 }
    if (answer.status === 429 && NO_CREDIT.test(answer.text)) return { ...answer, status: 402 }
    const delay = list.map((item) => fieldIn(item, 'retryDelay')).find((item) => typeof item === 'string')
    if (delay === undefined || 'retry-after' in answer.headers) return answer
    return { ...answer, headers: { ...answer.headers, 'retry-after': String(Number.parseFloat(delay as string)) } }
  },
}

/** The error of an answer, which is in a list where a stream was asked for. */
function errorIn(text: string): unknown {
  try {
    const answer: unknown = JSON.parse(text)
    return fieldIn(Array.isArray(answer) ? answer[0] : answer, 'error')
  } catch {
    return null
  }
}
