import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, type ExpectedAnswer } from '../row.ts'

const SOURCE = 'https://openrouter.ai/docs/api-reference/overview'

const wire = createFlavourAnswers({
  source: SOURCE,
  model: 'openai/gpt-5.1',
  head: { provider: 'OpenAI', system_fingerprint: null },
  choice: { logprobs: null, native_finish_reason: 'completed' },
  message: { refusal: null },
  thoughts: 'reasoning',
  // Its own cost must not reach clients.
  usage: (used) => ({
    ...counts(used),
    cost: 0.00042,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: used.cached, cache_write_tokens: used.cacheWrite, audio_tokens: 0 },
    cost_details: { upstream_inference_cost: null, upstream_inference_prompt_cost: 0.0001 },
    completion_tokens_details: { reasoning_tokens: used.reasoning, image_tokens: 0 },
  }),
  usageAt: 'apart',
  pieces: true,
})

/** Adds the comments that report work in progress before the first content. */
const withKeepAliveComment = (answered: ExpectedAnswer): ExpectedAnswer => {
  const { written } = answered.bytes as { written: object[] }
  return { ...answered, bytes: { source: SOURCE, written: [{ comment: 'OPENROUTER PROCESSING' }, ...written] } }
}

const errorBody = (code: number, message: string, metadata?: object): object => ({
  error: { code, message, ...(metadata ? { metadata } : {}) },
  user_id: 'user_2aBcDeFg',
})

export const openrouter: ChatRow = {
  upstreamModel: 'openai/gpt-5.1',
  path: '/api/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [wire.text({ prompt: 19, completion: 30 })],
  stream: [withKeepAliveComment(wire.stream({ prompt: 19, completion: 30 }))],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [withKeepAliveComment(wire.toolStream({ prompt: 82, completion: 41 }))],
  cached: [
    wire.text({ prompt: 1500, cached: 1024, cacheWrite: 256, completion: 46 }),
    withKeepAliveComment(wire.stream({ prompt: 1500, cached: 1024, cacheWrite: 256, completion: 46 })),
  ],
  reasoning: [
    wire.text({ prompt: 20, completion: 90, reasoning: 64 }),
    withKeepAliveComment(wire.stream({ prompt: 20, completion: 90, reasoning: 64 })),
  ],
  faults: {
    credentials: { status: 401, body: errorBody(401, 'No auth credentials found for this'), is: 'unavailable' },
    funds: {
      status: 402,
      body: errorBody(402, 'Insufficient credits. Add more using https://openrouter.ai/settings/credits'),
      is: 'unavailable',
    },
    // What was flagged is the client's own text. The status is the same as for a key without permission.
    request: {
      status: 403,
      body: errorBody(403, 'openai/gpt-5.1 requires moderation on OpenAI. Your input was flagged for "violence".', {
        reasons: ['violence'],
        flagged_input: 'all my credits for a...key limit',
        provider_name: 'OpenAI',
        model_slug: 'openai/gpt-5.1',
      }),
      is: 'invalid_request',
      says: /says: .* Your input was flagged for "violence"/,
    },
    rate: {
      status: 429,
      body: errorBody(429, 'Provider returned error for this request', {
        raw: 'The model is temporarily rate-limited upstream.',
      }),
      headers: { 'retry-after': '12' },
      is: 'too_many_requests',
      retryAfter: '12',
    },
    failure: [
      { status: 502, body: errorBody(502, 'Provider returned error for this request'), is: 'vendor_failed' },
      // Errors after a provider has started arrive with status 200.
      {
        status: 200,
        body: errorBody(502, 'Upstream error from the provider of this'),
        is: 'vendor_failed',
      },
    ],
  },
  brokenStream: wire.broken({
    id: 'chatcmpl-5f0c1b2a',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'openai/gpt-5.1',
    provider: 'OpenAI',
    error: { code: 'server_error', message: 'Provider disconnected unexpectedly' },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  }),
}
