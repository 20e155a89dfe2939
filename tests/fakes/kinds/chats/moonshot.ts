import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const wire = createFlavourAnswers({
  source: 'https://platform.kimi.ai/docs/api/chat',
  model: 'kimi-k2.6',
  thoughts: 'reasoning_content',
  // Its cached tokens are next to the other counts.
  usage: (used) => ({
    ...counts(used),
    cached_tokens: used.cached,
    completion_tokens_details: { reasoning_tokens: used.reasoning },
  }),
  // Its older models report usage inside the choice.
  usageAt: 'choice',
  pieces: true,
})

const errorBody = (type: string, message: string): object => ({ error: { message, type } })

const BOTH = recorded(
  'moonshotai/moonshotai-reasoning.json',
  { prompt: 20, cached: 10, completion: 30, reasoning: 22 },
  { says: /^There are three\.$/ },
)

export const moonshot: ChatRow = {
  upstreamModel: 'kimi-k2.6',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [recorded('moonshotai/moonshotai-text.json', { prompt: 9, completion: 5 }, { says: /^Hello, world!$/ })],
  stream: [
    recorded('moonshotai/moonshotai-stream.chunks.txt', { prompt: 9, completion: 12, reasoning: 7 }, { says: /^Hello!$/ }),
  ],
  tools: [
    recorded(
      'moonshotai/moonshotai-tool-call.json',
      { prompt: 30, completion: 12 },
      { calls: [['get_weather', '{"city":"Paris"}']] },
    ),
  ],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: [BOTH, wire.stream({ prompt: 1117, cached: 1024, completion: 46 })],
  reasoning: [BOTH, wire.stream({ prompt: 20, completion: 90, reasoning: 64 })],
  faults: {
    credentials: {
      status: 401,
      body: errorBody('invalid_authentication_error', 'Invalid Authentication of this key'),
      is: 'unavailable',
    },
    funds: {
      status: 429,
      body: errorBody(
        'exceeded_current_quota_error',
        'Your account org-aa<ak-bb> is suspended due to insufficient balance, please recharge your account.',
      ),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody('content_filter', 'The request was rejected because it was considered high risk'),
      is: 'invalid_request',
      says: /says: The request was rejected because it was considered high risk/,
    },
    rate: {
      status: 429,
      body: errorBody('rate_limit_reached_error', 'Your account has reached max request concurrency, please try again.'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 429,
      body: errorBody('engine_overloaded_error', 'The engine is currently overloaded, please try again later'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
  },
  brokenStream: wire.broken(errorBody('server_error', 'The engine failed while it was answering you')),
}
