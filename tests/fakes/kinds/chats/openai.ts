import { CLOSED, NO_QUOTA, openAiError } from '../openai-error.ts'
import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const wire = createFlavourAnswers({
  source: 'https://platform.openai.com/docs/api-reference/chat',
  model: 'gpt-5.1-2025-11-13',
  head: { service_tier: 'default', system_fingerprint: null },
  choice: { logprobs: null },
  message: { refusal: null, annotations: [] },
  usage: (used) => ({
    ...counts(used),
    prompt_tokens_details: { cached_tokens: used.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: used.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
  usageAt: 'apart',
  pieces: true,
})

export const openai: ChatRow = {
  upstreamModel: 'gpt-5.1',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [recorded('openai/chat/openai-text.json', { prompt: 16, completion: 363 }, { says: /^\*\*Holiday Name:\*\* Ga/ })],
  stream: [recorded('openai/chat/openai-text.chunks.txt', { prompt: 16, completion: 300 }, { says: /mutual respect\.$/ })],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: [
    wire.text({ prompt: 1117, completion: 46, cached: 1024 }),
    wire.stream({ prompt: 1117, completion: 46, cached: 1024 }),
  ],
  reasoning: [
    wire.text({ prompt: 20, completion: 90, reasoning: 64 }),
    wire.stream({ prompt: 20, completion: 90, reasoning: 64 }),
  ],
  faults: {
    credentials: {
      status: 401,
      body: openAiError('Incorrect API key provided: sk-proj-****abcd.', 'invalid_request_error', 'invalid_api_key'),
      is: 'unavailable',
    },
    funds: [NO_QUOTA, ...CLOSED],
    request: {
      status: 400,
      body: openAiError(
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        'invalid_request_error',
        'unsupported_parameter',
        'max_tokens',
      ),
      is: 'invalid_request',
      says: /says: Unsupported parameter: 'max_tokens' is not supported/,
      param: 'max_tokens',
      code: 'unsupported_parameter',
    },
    rate: {
      status: 429,
      body: openAiError(
        'Rate limit reached for gpt-5.1 in organization org-aBcDeFgH1 on tokens per min (TPM).',
        'tokens',
        'rate_limit_exceeded',
      ),
      headers: { 'retry-after': '7', 'x-ratelimit-remaining-tokens': '0' },
      is: 'too_many_requests',
      retryAfter: '7',
    },
    failure: {
      status: 500,
      body: openAiError('The server had an error while processing your request. Sorry about that!', 'server_error', null),
      is: 'vendor_failed',
    },
  },
  brokenStream: wire.broken(openAiError('The server had an error processing your request.', 'server_error', null)),
}
