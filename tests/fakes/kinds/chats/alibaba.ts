import { openAiError } from '../openai-error.ts'
import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const CITY = [['weather', '{"location": "San Francisco"}']] as const

const wire = createFlavourAnswers({
  source: 'https://www.alibabacloud.com/help/en/model-studio/context-cache',
  model: 'qwen-plus',
  head: { system_fingerprint: null },
  choice: { logprobs: null },
  usage: (used) => ({ ...counts(used), prompt_tokens_details: { cached_tokens: used.cached } }),
  usageAt: 'apart',
})

export const alibaba: ChatRow = {
  upstreamModel: 'qwen-plus',
  path: '/compatible-mode/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [recorded('alibaba/alibaba-text.json', { prompt: 18, completion: 1064 }, { says: /^## The Festival of Forgotten T/ })],
  stream: [recorded('alibaba/alibaba-text.chunks.txt', { prompt: 18, completion: 779 }, { says: /woven together\."\*$/ })],
  tools: [recorded('alibaba/alibaba-tool-call.json', { prompt: 295, completion: 22 }, { calls: CITY })],
  toolStream: [recorded('alibaba/alibaba-tool-call.chunks.txt', { prompt: 295, completion: 22 }, { calls: CITY })],
  cached: [
    wire.text({ prompt: 3019, cached: 2048, completion: 104 }),
    wire.stream({ prompt: 3019, cached: 2048, completion: 104 }),
  ],
  reasoning: [
    recorded(
      'alibaba/alibaba-reasoning.json',
      { prompt: 24, completion: 1668, reasoning: 1353 },
      { says: /^The word .*Answer: 3\*\* 🍓$/s },
    ),
    recorded(
      'alibaba/alibaba-reasoning.chunks.txt',
      { prompt: 24, completion: 1355, reasoning: 1084 },
      { says: /^The word .*Answer: 3\*\*$/s },
    ),
  ],
  faults: {
    credentials: {
      status: 401,
      body: {
        ...openAiError('Incorrect API key provided to this service. ', 'invalid_request_error', 'invalid_api_key'),
        request_id: 'a7e3b9b4',
      },
      is: 'unavailable',
    },
    funds: {
      status: 400,
      body: openAiError('Access denied, please make sure your account is in good standing.', 'Arrearage', 'Arrearage'),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: openAiError('Input text data may contain inappropriate content.', 'data_inspection_failed', 'data_inspection_failed'),
      is: 'invalid_request',
      says: /says: Input text data may contain inappropriate content/,
    },
    rate: {
      status: 429,
      body: openAiError('You exceeded your current requests list limit.', 'limit_requests', 'limit_requests'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 500,
      body: openAiError('An internal error has occured, please try again later.', 'internal_error', 'internal_error'),
      is: 'vendor_failed',
    },
  },
  brokenStream: wire.broken(openAiError('Output data may contain inappropriate content.', 'data_inspection_failed', 'x')),
}
