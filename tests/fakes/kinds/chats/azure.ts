import { NO_QUOTA } from '../openai-error.ts'
import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { type ChatRow, recorded, SECRET } from '../row.ts'

const FILTERED = {
  hate: { filtered: false, severity: 'safe' },
  jailbreak: { filtered: false, detected: false },
}

const wire = createFlavourAnswers({
  source: 'https://learn.microsoft.com/azure/ai-services/openai/reference',
  model: 'gpt-5.1-2025-11-13',
  head: { system_fingerprint: 'fp_11c5d0' },
  choice: { content_filter_results: {}, logprobs: null },
  message: { refusal: null, annotations: [] },
  usage: (used) => ({
    ...counts(used),
    prompt_tokens_details: { cached_tokens: used.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: used.reasoning, audio_tokens: 0 },
  }),
  usageAt: 'apart',
  pieces: true,
  // It first reports what its filter found in the prompt.
  opens: [
    {
      choices: [],
      created: 0,
      id: '',
      model: '',
      object: '',
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: FILTERED }],
    },
  ],
})

export const azure: ChatRow = {
  upstreamModel: 'my-deployment',
  path: '/openai/v1/chat/completions',
  credential: ['api-key', SECRET],
  framing: 'done',
  text: [
    wire.text({ prompt: 19, completion: 30 }),
    recorded('azure/azure-deepseek-reasoning.1.json', { prompt: 19, completion: 1969 }, { says: /^Absolutely! Based on/ }),
  ],
  stream: [
    // Its first chunk has no choice and reports what a filter found in the prompt.
    recorded(
      'openai/chat/azure-model-router.1.chunks.txt',
      { prompt: 15, completion: 78, reasoning: 64 },
      { says: /^Capital of Denmark\.$/ },
    ),
    recorded('azure/azure-deepseek-reasoning.1.chunks.txt', { prompt: 19, completion: 1720 }, { says: /^Exciting news, Knick/ }),
  ],
  tools: [wire.tools({ prompt: 82, completion: 41 })],
  toolStream: [wire.toolStream({ prompt: 82, completion: 41 })],
  cached: [
    wire.text({ prompt: 1300, completion: 12, cached: 1152 }),
    wire.stream({ prompt: 1300, completion: 12, cached: 1152 }),
  ],
  reasoning: [
    wire.text({ prompt: 20, completion: 90, reasoning: 64 }),
    wire.stream({ prompt: 20, completion: 90, reasoning: 64 }),
  ],
  faults: {
    credentials: {
      status: 401,
      body: {
        error: {
          code: '401',
          message: 'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key.',
        },
      },
      is: 'unavailable',
    },
    funds: NO_QUOTA,
    request: {
      status: 400,
      body: {
        error: {
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: FILTERED },
        },
      },
      is: 'invalid_request',
      says: /says: The response was filtered due to the prompt/,
      code: 'content_filter',
      param: 'prompt',
    },
    rate: {
      status: 429,
      body: {
        error: {
          code: '429',
          message: 'Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current tier.',
        },
      },
      headers: { 'retry-after': '23' },
      is: 'too_many_requests',
      retryAfter: '23',
    },
    failure: {
      status: 404,
      body: { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
      is: 'unavailable',
    },
  },
  brokenStream: wire.broken({ error: { message: 'The server had an error processing your request.', code: 'internal_error' } }),
}
