import { openAiError } from '../openai-error.ts'
import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const NOTHING = [['weather', '{}']] as const

const wire = createFlavourAnswers({
  source: 'https://console.groq.com/docs/api-reference#chat-create',
  model: 'openai/gpt-oss-120b',
  head: { system_fingerprint: 'fp_f8b414701e', service_tier: 'on_demand' },
  choice: { logprobs: null },
  usage: (used) => ({
    queue_time: 0.04,
    ...counts(used),
    prompt_time: 0.01,
    completion_time: 0.04,
    total_time: 0.05,
    prompt_tokens_details: { cached_tokens: used.cached },
    completion_tokens_details: { reasoning_tokens: used.reasoning },
  }),
  usageAt: 'x_groq',
})

export const groq: ChatRow = {
  upstreamModel: 'openai/gpt-oss-120b',
  path: '/openai/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [recorded('groq/groq-text.json', { prompt: 45, completion: 607 }, { says: /more radiant world\.$/ })],
  stream: [recorded('groq/groq-text.chunks.txt', { prompt: 45, completion: 662 }, { says: /^Introducing "Luminaria"/ })],
  tools: [
    recorded('groq/groq-tool-call.json', { prompt: 218, completion: 15 }, { calls: NOTHING }),
    wire.tools({ prompt: 218, completion: 40 }),
  ],
  toolStream: [
    recorded('groq/groq-tool-call.chunks.txt', { prompt: 210, completion: 15 }, { calls: NOTHING }),
    wire.toolStream({ prompt: 218, completion: 40 }),
  ],
  cached: [
    wire.text({ prompt: 4641, cached: 4608, completion: 20 }),
    wire.stream({ prompt: 4641, cached: 4608, completion: 20 }),
  ],
  reasoning: [
    recorded('groq/groq-reasoning.json', { prompt: 17, completion: 649, reasoning: 570 }, { says: /\*\*Answer:\*\* 3\.$/ }),
    recorded('groq/groq-reasoning.chunks.txt', { prompt: 17, completion: 1107, reasoning: 963 }, { says: /boxed\{3\}\$$/ }),
  ],
  faults: {
    credentials: [
      {
        status: 401,
        body: openAiError('Invalid API Key was given here', 'invalid_request_error', 'invalid_api_key'),
        is: 'unavailable',
      },
      {
        status: 400,
        body: openAiError(
          'Organization has been restricted. Please reach out to support if you believe this was in error.',
          'invalid_request_error',
          'organization_restricted',
        ),
        is: 'unavailable',
      },
    ],
    funds: { none: 'It bills afterwards; an account that does not pay is blocked, which is a 403 as of any key.' },
    request: {
      status: 400,
      body: {
        error: {
          message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
          type: 'invalid_request_error',
          code: 'tool_use_failed',
          failed_generation: '<function=get_weather{"city": "Zürich"}</function>',
        },
      },
      is: 'invalid_request',
      says: /says: Failed to call a function/,
    },
    rate: {
      status: 429,
      body: openAiError(
        'Rate limit reached for model `openai/gpt-oss-120b` in organization `org_01h` on tokens per minute (TPM).',
        'tokens',
        'rate_limit_exceeded',
      ),
      headers: { 'retry-after': '2.3' },
      is: 'too_many_requests',
      retryAfter: '3',
    },
    // A special status for a model that is over capacity.
    failure: {
      status: 498,
      body: openAiError('Flex tier capacity exceeded for this model.', 'internal_server_error', 'capacity_exceeded'),
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: wire.broken(openAiError('Internal server error while it was answering', 'internal_server_error', null)),
}
