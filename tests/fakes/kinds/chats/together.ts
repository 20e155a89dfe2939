import { openAiError } from '../openai-error.ts'
import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow } from '../row.ts'

const wire = createFlavourAnswers({
  source: 'https://docs.together.ai/reference/chat-completions-1',
  model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  head: { prompt: [] },
  choice: { logprobs: null, seed: 4_242_424_242 },
  message: { tool_calls: [] },
  usage: (used) => ({ ...counts(used), cached_tokens: used.cached }),
  usageAt: 'last',
  stop: 'eos',
})

export const together: ChatRow = {
  upstreamModel: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
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
  reasoning: { none: 'Its usage has thoughts in the completion, and no count of their own.' },
  faults: {
    credentials: {
      status: 401,
      body: {
        id: 'o3kGYHR-2kFHot',
        ...openAiError(
          'Invalid API key provided. You can find your API key in your settings.',
          'invalid_request_error',
          'invalid_api_key',
        ),
      },
      is: 'unavailable',
    },
    funds: {
      status: 402,
      body: {
        id: 'o3kGYHR-2kFHot',
        ...openAiError('Credit limit exceeded, please navigate to the billing page.', 'credit_limit', null),
      },
      is: 'unavailable',
    },
    // Its 403 is about the request (docs.together.ai, "Error codes").
    request: {
      status: 403,
      body: {
        id: 'o3kGYHR-2kFHot',
        ...openAiError(
          'Input token count + max_tokens parameter must be less than the context length of the model being queried.',
          'invalid_request_error',
          null,
          'max_tokens',
        ),
      },
      is: 'context_exceeded',
      says: /says: Input token count \+ max_tokens parameter/,
      param: 'max_tokens',
    },
    rate: {
      status: 429,
      body: {
        id: 'o3kGYHR-2kFHot',
        ...openAiError('You have reached the rate limit specific to this model.', 'model_rate_limit', null),
      },
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 503,
      body: {
        id: 'o3kGYHR-2kFHot',
        ...openAiError('The server is currently overloaded with other requests. Sorry!', 'service_unavailable', null),
      },
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: wire.broken(openAiError('Internal server error while it was answering', 'server_error', null)),
}
