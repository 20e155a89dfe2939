import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow } from '../row.ts'

const MODEL = 'accounts/fireworks/models/deepseek-v3p1'

const wire = createFlavourAnswers({
  source: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
  model: MODEL,
  thoughts: 'reasoning_content',
  usage: (used) => ({ ...counts(used), prompt_tokens_details: { cached_tokens: used.cached } }),
  usageAt: 'last',
})

const errorBody = (type: string, message: string, code = type): object => ({ error: { object: 'error', type, code, message } })

export const fireworks: ChatRow = {
  upstreamModel: MODEL,
  path: '/inference/v1/chat/completions',
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
  reasoning: { none: 'Its usage has thoughts in the completion, and no count of their own.' },
  faults: {
    credentials: {
      status: 401,
      body: errorBody('error', 'The API key you provided is invalid.', 'UNAUTHORIZED'),
      is: 'unavailable',
    },
    funds: {
      status: 412,
      body: errorBody(
        'error',
        'Account is suspended, possibly due to reaching the monthly spending limit.',
        'PRECONDITION_FAILED',
      ),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody('invalid_request_error', "Extra inputs are not permitted, field: 'surprise', value: 1"),
      is: 'invalid_request',
      says: /says: Extra inputs are not permitted/,
    },
    rate: {
      status: 429,
      body: errorBody('error', 'Server overloaded, please try again later', 'RESOURCE_EXHAUSTED'),
      headers: { 'retry-after': '4' },
      is: 'too_many_requests',
      retryAfter: '4',
    },
    failure: {
      status: 500,
      body: errorBody('internal_server_error', 'The server had an internal error here.'),
      is: 'vendor_failed',
    },
  },
  brokenStream: wire.broken(errorBody('internal_server_error', 'The server had an internal error while answering.')),
}
