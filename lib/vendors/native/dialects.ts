import { messageBegins } from '../misstated.ts'
import type { Dialect, Misstated, RefusedField } from '../openai-wires.ts'
import type { Fields } from '../vendor.ts'
import { azureTarget } from './azure-target.ts'
import { refuseLongCache } from './long-cache.ts'
import { besideThoughts, fitThoughts } from './thinking-budget.ts'

/** Room for chat templates and instructions to use tools, in tokens. */
const OVERHEAD = 512

/** OpenAI's own fields that nobody else has a use for. */
const OPENAI_ONLY = ['metadata', 'verbosity', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'modalities']

const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0
const isTrue = (value: unknown): boolean => value === true
const NOT_HERE = "The model's vendor does not support this. Leave it out, or use another model."

const ONE_ANSWER: RefusedField = {
  field: 'n',
  when: (value) => value !== 1,
  message: "The model's vendor gives one answer per request. Send the request several times.",
}
const NO_BIAS: RefusedField = { field: 'logit_bias', when: (value) => Object.keys(value as object).length > 0, message: NOT_HERE }
const NO_LOGPROBS: readonly RefusedField[] = [
  { field: 'logprobs', when: isTrue, message: NOT_HERE },
  { field: 'top_logprobs', when: notZero, message: NOT_HERE },
]
/** Nor may one of 0 go out, which asks for nothing. */
const WITHOUT_LOGPROBS = [...OPENAI_ONLY, 'top_logprobs']
const NO_SCHEMA: RefusedField = {
  field: 'response_format',
  when: (value) => (value as Fields).type === 'json_schema',
  message: 'The model\'s vendor does not support schemas. Ask for {"type": "json_object"} and describe the schema in a message.',
}
const NO_TOOLS: readonly RefusedField[] = ['tools', 'functions'].map((field) => ({ field, when: isList, message: NOT_HERE }))

/** The operator's key or account is at fault, whatever the status says. */
const misstated = (status: number, says: RegExp, means: number): Misstated => ({ status, says, means })

/** What everything that is forwarded to has in common, but where it says otherwise. */
const chats: Dialect = {
  capField: 'max_tokens',
  knowsStore: false,
  inputOverhead: OVERHEAD,
  drops: OPENAI_ONLY,
  messages: { noDeveloper: true },
  lacks: [
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

const lacksAllBut = (...wires: Dialect['lacks']): Dialect['lacks'] => chats.lacks.filter((wire) => !wires.includes(wire))

/** OpenAI's words for an account that is empty or closed: to wait, as its status says, does not help. Many have copied them. */
const NO_QUOTA = misstated(429, /"(?:insufficient_quota|billing_not_active)"/, 402)
/** Its owner's own limit for a month: images are refused so. A field of the request can have any name, and be named. */
const HARD_LIMIT = misstated(400, /"code":\s*"billing_hard_limit_reached"/, 402)

const openai: Dialect = {
  capField: 'max_completion_tokens',
  knowsStore: true,
  inputOverhead: 64,
  lacks: [],
  misstates: [NO_QUOTA, HARD_LIMIT],
}

/** A server of somebody's own, of which nothing is known but its wires. Some speak responses, but none says so. */
const anyServer: Dialect = {
  capField: 'max_tokens',
  knowsStore: false,
  inputOverhead: OVERHEAD,
  messages: { noDeveloper: true },
  lacks: ['openai.responses'],
  misstates: [NO_QUOTA, HARD_LIMIT],
}

/**
 * How each vendor differs that speaks OpenAI's wires itself, by its kind. Sources: the vendors' own documentation of
 * their chat APIs, and what they were recorded to answer.
 */
export const NATIVE: Readonly<Record<string, Dialect>> = {
  openai,
  azure: {
    ...openai,
    credential: (secret) => ({ 'api-key': secret }),
    target: azureTarget,
    // It searches the operator's own data and bills that apart.
    billsApart: ['data_sources'],
  },
  xai: {
    ...chats,
    capField: 'max_completion_tokens',
    lacks: lacksAllBut('openai.responses'),
    refuses: [NO_BIAS],
    billsApart: ['search_parameters', 'deferred'],
    misstates: [
      misstated(400, messageBegins('incorrect api key'), 401),
      misstated(403, /violates usage guidelines/i, 400),
      misstated(403, /credits|spending limit/i, 402),
      misstated(429, /used all available credits/i, 402),
    ],
  },
  deepseek: {
    ...chats,
    messages: { noDeveloper: true, wholeTexts: true, wantsThoughts: true },
    refuses: [ONE_ANSWER, NO_BIAS, NO_SCHEMA],
  },
  groq: {
    ...chats,
    capField: 'max_completion_tokens',
    lacks: lacksAllBut('openai.speech', 'openai.transcriptions', 'openai.translations'),
    messages: { noDeveloper: true, strict: true },
    drops: WITHOUT_LOGPROBS,
    refuses: [ONE_ANSWER, NO_BIAS, ...NO_LOGPROBS],
    billsApart: ['compound_custom', 'search_settings', 'documents'],
    misstates: [
      misstated(400, /"code":\s*"organization_restricted"/, 403),
      // A model that is over capacity.
      misstated(498, /./, 503),
    ],
  },
  together: {
    ...chats,
    lacks: lacksAllBut('openai.completions', 'openai.embeddings'),
    // More tokens than the model has room for.
    misstates: [misstated(403, /token count|context length/i, 400)],
  },
  fireworks: { ...chats, lacks: lacksAllBut('openai.completions', 'openai.embeddings') },
  cerebras: {
    ...chats,
    capField: 'max_completion_tokens',
    lacks: lacksAllBut('openai.completions'),
    messages: { noDeveloper: true, strict: true },
    refuses: [
      ONE_ANSWER,
      NO_BIAS,
      ...['frequency_penalty', 'presence_penalty'].map((field) => ({ field, when: notZero, message: NOT_HERE })),
    ],
  },
  deepinfra: {
    ...chats,
    lacks: lacksAllBut(
      ...(['openai.completions', 'openai.embeddings', 'openai.speech', 'openai.transcriptions', 'openai.translations'] as const),
    ),
  },
  alibaba: {
    ...chats,
    lacks: lacksAllBut('openai.embeddings'),
    refuses: [NO_BIAS],
    billsApart: ['enable_search', 'search_options', 'enable_code_interpreter'],
    fit: fitThoughts,
    beside: besideThoughts,
    // Model Studio, "Deep thinking" and "Qwen-Omni".
    streamsOnly: /^(qwq|qvq)|omni/,
    misstates: [
      misstated(400, /"code":\s*"Arrearage"/i, 402),
      misstated(400, messageBegins('access denied'), 402),
      misstated(429, /allocation quota|insufficient_quota/i, 402),
    ],
  },
  moonshot: {
    ...chats,
    messages: { noDeveloper: true, wantsThoughts: true },
    drops: WITHOUT_LOGPROBS,
    refuses: [NO_BIAS, ...NO_LOGPROBS],
    misstates: [misstated(429, /exceeded_current_quota/i, 402)],
  },
  perplexity: {
    ...chats,
    tellsUsage: true,
    drops: WITHOUT_LOGPROBS,
    refuses: [ONE_ANSWER, NO_BIAS, ...NO_LOGPROBS, ...NO_TOOLS],
    billsApart: ['search_type', 'media_response', 'num_images'],
    unsold: {
      models: /deep-research/,
      why: 'deep research bills its searches, citations and reasoning separately, and prices here have no units for them',
    },
  },
  openrouter: {
    ...chats,
    lacks: lacksAllBut('openai.completions'),
    // It puts roles right itself, for the model behind it.
    messages: {},
    refuses: [ONE_ANSWER],
    inspect: refuseLongCache,
    billsApart: ['models', 'route', 'provider', 'plugins', 'preset'],
    // What was flagged is quoted, and can say anything.
    misstates: [misstated(403, /"flagged_input"/, 400), misstated(403, /key limit|credits/i, 402)],
  },
  ollama: anyServer,
  vllm: anyServer,
  'openai-compatible': { ...anyServer, inspect: refuseLongCache, videos: { idempotent: false } },
  // Another gateway of this kind.
  tollgate: { ...openai, inputOverhead: OVERHEAD, videos: { idempotent: true } },
}

function notZero(value: unknown): boolean {
  return value !== 0
}
