import { messageBegins } from '../correct-status.ts'
import type { Dialect, RefusedField, StatusCorrection } from '../openai-wires.ts'
import type { Fields } from '../vendor.ts'
import { azureTarget } from './azure-target.ts'
import { refuseLongCache } from './long-cache.ts'
import { extraThoughtTokens, fitThoughts } from './thinking-budget.ts'

/** Tokens reserved for chat templates and tool instructions. */
const OVERHEAD = 512

/** OpenAI's own fields, which no other vendor has a use for. */
const OPENAI_ONLY = ['metadata', 'verbosity', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'modalities']

const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0
const isTrue = (value: unknown): boolean => value === true
const UNSUPPORTED_MESSAGE = "The model's vendor does not support this. Leave it out, or use another model."

const ONE_ANSWER: RefusedField = {
  field: 'n',
  when: (value) => value !== 1,
  message: "The model's vendor gives one answer per request. Send the request several times.",
}
const NO_BIAS: RefusedField = {
  field: 'logit_bias',
  when: (value) => Object.keys(value as object).length > 0,
  message: UNSUPPORTED_MESSAGE,
}
const NO_LOGPROBS: readonly RefusedField[] = [
  { field: 'logprobs', when: isTrue, message: UNSUPPORTED_MESSAGE },
  { field: 'top_logprobs', when: notZero, message: UNSUPPORTED_MESSAGE },
]
/** `top_logprobs: 0` may not be sent either, although it asks for nothing. */
const WITHOUT_LOGPROBS = [...OPENAI_ONLY, 'top_logprobs']
/** What a request costs depends on this at Perplexity, and its price here does not. */
const DEAR_SEARCH: RefusedField = {
  field: 'web_search_options',
  when: (value) => ((value as Fields).search_context_size ?? 'low') !== 'low',
  message:
    'The model\'s vendor bills "search_context_size" above "low" separately, and there is no price for it here. Leave it out.',
}
const NO_SCHEMA: RefusedField = {
  field: 'response_format',
  when: (value) => (value as Fields).type === 'json_schema',
  message: 'The model\'s vendor does not support schemas. Ask for {"type": "json_object"} and describe the schema in a message.',
}
const NO_TOOLS: readonly RefusedField[] = ['tools', 'functions'].map((field) => ({
  field,
  when: isList,
  message: UNSUPPORTED_MESSAGE,
}))

/** An error answer with `status` whose text matches `says` really means the status `means`. */
const statusCorrection = (status: number, says: RegExp, means: number): StatusCorrection => ({ status, says, means })

/** What the forwarded chat vendors have in common. Each of them can override it. */
const chatDefaults: Dialect = {
  capField: 'max_tokens',
  knowsStore: false,
  inputOverhead: OVERHEAD,
  drops: OPENAI_ONLY,
  messages: { noDeveloper: true },
  unsupportedWires: [
    'openai.completions',
    'openai.embeddings',
    'openai.images',
    'openai.image-edits',
    'openai.speech',
    'openai.transcriptions',
    'openai.translations',
    'openai.responses',
  ],
}

const unsupportedExcept = (...wires: Dialect['unsupportedWires']): Dialect['unsupportedWires'] =>
  chatDefaults.unsupportedWires.filter((wire) => !wires.includes(wire))

/** OpenAI's codes for an empty or closed account, which many have copied. Waiting, as the status suggests, does not help. */
const NO_QUOTA = statusCorrection(429, /"(?:insufficient_quota|billing_not_active)"/, 402)
/** The owner's own monthly limit, with which images are refused. Only the code counts, because an error can quote field names. */
const HARD_LIMIT = statusCorrection(400, /"code":\s*"billing_hard_limit_reached"/, 402)

/** With a prediction, OpenAI takes a cap only in its older field ("Predicted Outputs"). */
function fitPrediction(outgoing: Fields, cap: number): Fields {
  if (outgoing.prediction === undefined) return outgoing
  const { max_completion_tokens: _, ...rest } = outgoing
  return { ...rest, max_tokens: cap }
}

const openai: Dialect = {
  capField: 'max_completion_tokens',
  knowsStore: true,
  // It accepts metadata only together with what is stored there, and nothing is.
  drops: ['metadata'],
  noCacheMarks: true,
  messages: { noForeign: true },
  fit: fitPrediction,
  inputOverhead: 64,
  unsupportedWires: [],
  statusCorrections: [NO_QUOTA, HARD_LIMIT],
}

/** A self-hosted server of which only the wires are known. Some speak the responses wire, but none announces it. */
const anyServer: Dialect = {
  capField: 'max_tokens',
  knowsStore: false,
  inputOverhead: OVERHEAD,
  messages: { noDeveloper: true },
  unsupportedWires: ['openai.responses'],
  statusCorrections: [NO_QUOTA, HARD_LIMIT],
}

/**
 * How each vendor that speaks OpenAI's wires itself differs, by its kind. Sources: the vendors' own documentation of their chat
 * APIs, and recorded answers.
 */
export const NATIVE_DIALECTS: Readonly<Record<string, Dialect>> = {
  openai,
  azure: {
    ...openai,
    credential: (secret) => ({ 'api-key': secret }),
    target: azureTarget,
    // It searches the operator's own data, which is billed separately.
    separatelyBilledFields: ['data_sources'],
  },
  xai: {
    ...chatDefaults,
    capField: 'max_completion_tokens',
    unsupportedWires: unsupportedExcept('openai.responses'),
    refuses: [NO_BIAS],
    separatelyBilledFields: ['search_parameters', 'deferred'],
    statusCorrections: [
      statusCorrection(400, messageBegins('incorrect api key'), 401),
      statusCorrection(403, /violates usage guidelines/i, 400),
      statusCorrection(403, /credits|spending limit/i, 402),
      statusCorrection(429, /used all available credits/i, 402),
    ],
  },
  deepseek: {
    ...chatDefaults,
    messages: { noDeveloper: true, stringContentOnly: true, requiresThoughts: true },
    refuses: [ONE_ANSWER, NO_BIAS, NO_SCHEMA],
  },
  groq: {
    ...chatDefaults,
    capField: 'max_completion_tokens',
    unsupportedWires: unsupportedExcept('openai.speech', 'openai.transcriptions', 'openai.translations'),
    messages: { noDeveloper: true, strict: true },
    noCacheMarks: true,
    drops: WITHOUT_LOGPROBS,
    refuses: [ONE_ANSWER, NO_BIAS, ...NO_LOGPROBS],
    separatelyBilledFields: ['compound_custom', 'search_settings', 'documents'],
    statusCorrections: [
      statusCorrection(400, /"code":\s*"organization_restricted"/, 403),
      // The model is over capacity.
      statusCorrection(498, /./, 503),
    ],
  },
  together: {
    ...chatDefaults,
    unsupportedWires: unsupportedExcept('openai.completions', 'openai.embeddings'),
    // More tokens than the model's context window.
    statusCorrections: [statusCorrection(403, /token count|context length/i, 400)],
  },
  fireworks: { ...chatDefaults, unsupportedWires: unsupportedExcept('openai.completions', 'openai.embeddings') },
  cerebras: {
    ...chatDefaults,
    capField: 'max_completion_tokens',
    unsupportedWires: unsupportedExcept('openai.completions'),
    messages: { noDeveloper: true, strict: true },
    noCacheMarks: true,
    refuses: [
      ONE_ANSWER,
      NO_BIAS,
      ...['frequency_penalty', 'presence_penalty'].map((field) => ({ field, when: notZero, message: UNSUPPORTED_MESSAGE })),
    ],
  },
  deepinfra: {
    ...chatDefaults,
    unsupportedWires: unsupportedExcept(
      ...(['openai.completions', 'openai.embeddings', 'openai.speech', 'openai.transcriptions', 'openai.translations'] as const),
    ),
  },
  alibaba: {
    ...chatDefaults,
    unsupportedWires: unsupportedExcept('openai.embeddings'),
    refuses: [NO_BIAS],
    separatelyBilledFields: ['enable_search', 'search_options', 'enable_code_interpreter'],
    fit: fitThoughts,
    extraOutputTokens: extraThoughtTokens,
    // Model Studio, "Deep thinking" and "Qwen-Omni".
    streamsOnly: /^(qwq|qvq)|omni/,
    statusCorrections: [
      statusCorrection(400, /"code":\s*"Arrearage"/i, 402),
      statusCorrection(400, messageBegins('access denied'), 402),
      statusCorrection(429, /allocation quota|insufficient_quota/i, 402),
    ],
  },
  moonshot: {
    ...chatDefaults,
    messages: { noDeveloper: true, requiresThoughts: true },
    drops: WITHOUT_LOGPROBS,
    refuses: [NO_BIAS, ...NO_LOGPROBS],
    statusCorrections: [statusCorrection(429, /exceeded_current_quota/i, 402)],
  },
  perplexity: {
    ...chatDefaults,
    alwaysReportsUsage: true,
    drops: WITHOUT_LOGPROBS,
    refuses: [ONE_ANSWER, NO_BIAS, ...NO_LOGPROBS, ...NO_TOOLS, DEAR_SEARCH],
    separatelyBilledFields: ['search_type', 'media_response', 'num_images'],
    unsold: {
      models: /deep-research/,
      why: 'deep research bills its searches, citations and reasoning separately, and prices here have no units for them',
    },
  },
  openrouter: {
    ...chatDefaults,
    unsupportedWires: unsupportedExcept('openai.completions'),
    // It converts roles itself, for the model behind it.
    messages: {},
    refuses: [ONE_ANSWER],
    inspect: refuseLongCache,
    separatelyBilledFields: ['models', 'route', 'provider', 'plugins', 'preset'],
    // The flagged text is quoted, and can say anything, so this rule comes first.
    statusCorrections: [statusCorrection(403, /"flagged_input"/, 400), statusCorrection(403, /key limit|credits/i, 402)],
  },
  ollama: anyServer,
  vllm: anyServer,
  'openai-compatible': { ...anyServer, inspect: refuseLongCache, videos: { idempotent: false } },
  // Another gateway of this kind.
  tollgate: {
    ...openai,
    inputOverhead: OVERHEAD,
    drops: [],
    noCacheMarks: false,
    messages: {},
    videos: { idempotent: true },
  },
}

function notZero(value: unknown): boolean {
  return value !== 0
}
