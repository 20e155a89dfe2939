import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const CITY = [['weather', '{"location":"San Francisco"}']] as const
const wire = createFlavourAnswers({
  source: 'https://docs.x.ai/docs/api-reference',
  model: 'grok-4',
  usage: counts,
  usageAt: 'apart',
})

// Reasoning tokens are added to the completion: 12 + 1 + 228 = 241.
const NON_STREAMING = [
  recorded('xai/xai-text.json', { prompt: 12, cached: 2, completion: 229, reasoning: 228 }, { says: /^Hello$/ }),
]
const STREAMED = [
  recorded('xai/xai-text.chunks.txt', { prompt: 12, cached: 11, completion: 291, reasoning: 290 }, { says: /^Hello$/ }),
]

export const xai: ChatRow = {
  upstreamModel: 'grok-4',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: NON_STREAMING,
  stream: STREAMED,
  tools: [recorded('xai/xai-tool-call.json', { prompt: 291, cached: 244, completion: 215, reasoning: 189 }, { calls: CITY })],
  toolStream: [
    recorded('xai/xai-tool-call.chunks.txt', { prompt: 291, cached: 290, completion: 222, reasoning: 196 }, { calls: CITY }),
  ],
  cached: [...NON_STREAMING, ...STREAMED],
  reasoning: [...NON_STREAMING, ...STREAMED],
  faults: {
    credentials: {
      status: 400,
      body: {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***yz. You can obtain an API key from https://console.x.ai.',
      },
      is: 'unavailable',
    },
    funds: [
      {
        status: 403,
        body: {
          code: 'The caller does not have permission to execute the specified operation',
          error: 'Your team has either used all available credits or reached its monthly spending limit.',
        },
        is: 'unavailable',
      },
      // Or as a rate limit.
      {
        status: 429,
        body: {
          code: 'Some resource has been exhausted',
          error:
            'Your team 16f2151a-0000-4000-8000-0123456789ab has either used all available credits or reached its monthly spending limit.',
        },
        is: 'unavailable',
      },
    ],
    request: [
      {
        status: 400,
        body: { code: 'Client specified an invalid argument', error: 'Argument not supported on this model: presencePenalty' },
        is: 'invalid_request',
        says: /says: Argument not supported on this model: presencePenalty/,
      },
      // Requests that it refuses to answer get the status of a key without permission, and the text names whose key it was.
      {
        status: 403,
        body: {
          code: 'The caller does not have permission to execute the specified operation',
          error:
            'Content violates usage guidelines. Team: 1f4c2a9e-0000-4000-8000-0123456789ab, API key ID: 9d1e7b3c-0000-4000-8000-0123456789ab, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO',
        },
        is: 'invalid_request',
        says: /guidelines\. Team: \[hidden\], API key ID: \[hidden\], Model: kinds\/xai, Failed check: SAFETY_CHECK_TYPE_BIO$/,
      },
    ],
    rate: {
      status: 429,
      body: {
        code: 'Some resource has been exhausted',
        error: 'Too many requests for team aa-bb. Your team has reached its limit.',
      },
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 503,
      body: { code: 'The service is currently unavailable', error: 'Service temporarily unavailable. The model is at capacity.' },
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: wire.broken({ error: { code: 'internal', message: 'The model did not respond in the time that it had.' } }),
}
