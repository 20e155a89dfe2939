import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow } from '../row.ts'

const wire = createFlavourAnswers({
  source: 'https://inference-docs.cerebras.ai/api-reference/chat-completions',
  model: 'gpt-oss-120b',
  head: {
    system_fingerprint: 'fp_70185065a4',
    time_info: { queue_time: 0.0001, prompt_time: 0.001, completion_time: 0.01, total_time: 0.012, created: 1_790_000_000 },
  },
  thoughts: 'reasoning',
  usage: (used) => ({
    ...counts(used),
    prompt_tokens_details: { cached_tokens: used.cached },
    completion_tokens_details: {
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
      reasoning_tokens: used.reasoning,
    },
  }),
  usageAt: 'last',
})

const errorBody = (message: string, type: string, param: string, code: string): object => ({ message, type, param, code })

export const cerebras: ChatRow = {
  upstreamModel: 'gpt-oss-120b',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [wire.text({ prompt: 19, completion: 30 })],
  stream: [wire.stream({ prompt: 19, completion: 30 })],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: [
    wire.text({ prompt: 1117, cached: 1024, completion: 46 }),
    wire.stream({ prompt: 1117, cached: 1024, completion: 46 }),
  ],
  reasoning: [
    wire.text({ prompt: 20, completion: 90, reasoning: 64 }),
    wire.stream({ prompt: 20, completion: 90, reasoning: 64 }),
  ],
  faults: {
    credentials: {
      status: 401,
      body: errorBody('Wrong API Key was given for this', 'invalid_request_error', 'api_key', 'wrong_api_key'),
      is: 'unavailable',
    },
    funds: {
      status: 402,
      body: errorBody('Payment required to access this resource.', 'payment_required_error', 'quota', 'payment_required'),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody(
        'Please reduce the length of the messages or completion.',
        'invalid_request_error',
        'messages',
        'context_length_exceeded',
      ),
      is: 'context_exceeded',
      says: /says: Please reduce the length of the messages/,
      param: 'messages',
    },
    rate: {
      status: 429,
      body: errorBody(
        'Requests per minute limit exceeded - too many requests sent.',
        'too_many_requests_error',
        'quota',
        'request_quota_exceeded',
      ),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 503,
      body: errorBody("We're experiencing high traffic right now!", 'service_unavailable_error', 'queue', 'queue_exceeded'),
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: wire.broken({
    error: { message: 'Encountered a server error, please try again.', type: 'server_error', param: '', code: '', id: '' },
    status_code: 500,
  }),
}
