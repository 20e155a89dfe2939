import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow } from '../row.ts'

const MODEL = 'deepseek-ai/DeepSeek-V3.1'

const wire = createFlavourAnswers({
  source: 'https://deepinfra.com/docs/openai_api',
  model: MODEL,
  choice: { logprobs: null },
  message: { name: null, tool_calls: null },
  thoughts: 'reasoning_content',
  // Its own cost must not reach clients.
  usage: (used) => ({ ...counts(used), estimated_cost: 0.0000268, prompt_tokens_details: { cached_tokens: used.cached } }),
  usageAt: 'apart',
})

export const deepinfra: ChatRow = {
  upstreamModel: MODEL,
  path: '/v1/openai/chat/completions',
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
      body: { detail: { error: 'User is not authenticated: invalid token' } },
      is: 'unavailable',
    },
    funds: {
      status: 402,
      body: { detail: { error: 'inference prohibited, please enter a payment method' } },
      is: 'unavailable',
    },
    request: {
      status: 422,
      body: {
        detail: [{ type: 'less_than_equal', loc: ['body', 'top_p'], msg: 'Input should be less than or equal to 1', input: 2 }],
      },
      is: 'invalid_request',
      says: /says: Input should be less than or equal to 1/,
      param: 'top_p',
    },
    rate: {
      status: 429,
      body: { error: { message: 'Model busy, retry later' } },
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: { status: 500, body: { detail: { error: 'Internal Server Error of the model' } }, is: 'vendor_failed' },
  },
  brokenStream: wire.broken({ error: { message: 'The model failed while it was answering you', type: 'internal_error' } }),
}
