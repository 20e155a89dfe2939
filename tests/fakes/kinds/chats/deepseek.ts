import { openAiError } from '../openai-error.ts'
import { counts, createFlavourAnswers, type Flavour } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const CITY = [['weather', '{"location": "San Francisco"}']] as const

const flavour: Flavour = {
  source: 'https://api-docs.deepseek.com/api/create-chat-completion',
  model: 'deepseek-reasoner',
  head: { system_fingerprint: 'fp_eaab8d114b' },
  choice: { logprobs: null },
  thoughts: 'reasoning_content',
  usage: (used) => ({
    ...counts(used),
    prompt_cache_hit_tokens: used.cached,
    prompt_cache_miss_tokens: used.prompt - used.cached,
    completion_tokens_details: { reasoning_tokens: used.reasoning },
  }),
  usageAt: 'last',
}
const wire = createFlavourAnswers(flavour)
/** The answer was cut off because the vendor had no resources to continue. */
const cut = createFlavourAnswers({ ...flavour, stop: 'insufficient_system_resource' })
const CUT = { prompt: 13, completion: 9 }

export const deepseek: ChatRow = {
  upstreamModel: 'deepseek-reasoner',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [
    recorded('deepseek/chat/deepseek-text.json', { prompt: 13, completion: 300 }, { says: /people exchange$/ }, 'length'),
    recorded(
      'deepseek/chat/deepseek-json.json',
      { prompt: 495, cached: 320, completion: 144, reasoning: 118 },
      { says: /^\{\n {2}"location": "San Francisco/ },
    ),
    { ...cut.text(CUT), finish: 'length' },
  ],
  stream: [
    { ...cut.stream(CUT), finish: 'length' },
    recorded('deepseek/chat/deepseek-text.chunks.txt', { prompt: 13, completion: 400 }, { says: /silent looking at$/ }, 'length'),
    // It sends keep-alive comments before the first content.
    {
      ...wire.stream({ prompt: 13, completion: 9 }),
      bytes: {
        source: 'https://api-docs.deepseek.com/quick_start/rate_limit',
        written: [
          { comment: 'keep-alive' },
          { comment: 'keep-alive' },
          ...(wire.stream({ prompt: 13, completion: 9 }).bytes as { written: object[] }).written,
        ],
      },
    },
  ],
  tools: [
    recorded(
      'deepseek/chat/deepseek-tool-call.json',
      { prompt: 339, cached: 320, completion: 92, reasoning: 48 },
      { calls: CITY },
    ),
  ],
  toolStream: [
    recorded(
      'deepseek/chat/deepseek-tool-call.chunks.txt',
      { prompt: 339, cached: 320, completion: 83, reasoning: 39 },
      { calls: CITY },
    ),
  ],
  cached: [wire.text({ prompt: 339, cached: 320, completion: 12 }), wire.stream({ prompt: 339, cached: 320, completion: 12 })],
  reasoning: [
    recorded(
      'deepseek/chat/deepseek-reasoning.json',
      { prompt: 18, completion: 345, reasoning: 315 },
      { says: /two before the "y"\.$/ },
    ),
    recorded(
      'deepseek/chat/deepseek-reasoning.chunks.txt',
      { prompt: 18, completion: 219, reasoning: 205 },
      { says: /contains three "r"s\.$/ },
    ),
  ],
  faults: {
    credentials: {
      status: 401,
      body: openAiError(
        'Authentication Fails, Your api key: ****Zb7n is invalid',
        'authentication_error',
        'invalid_request_error',
      ),
      is: 'unavailable',
    },
    funds: {
      status: 402,
      body: openAiError('Insufficient Balance of this account', 'unknown_error', 'invalid_request_error'),
      is: 'unavailable',
    },
    request: {
      status: 422,
      body: openAiError(
        'Failed to deserialize the JSON body into the target type: stop: expected a string',
        'invalid_request_error',
        'invalid_request_error',
      ),
      is: 'invalid_request',
      says: /says: Failed to deserialize the JSON body/,
    },
    rate: {
      status: 429,
      body: openAiError('Rate limit reached. Please pace your requests.', 'rate_limit_error', 'rate_limit_reached'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 503,
      body: openAiError('Service is too busy. We advise users to switch to other providers.', 'service_unavailable_error', null),
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: wire.broken(openAiError('The server overloaded while it was answering.', 'server_error', null)),
}
