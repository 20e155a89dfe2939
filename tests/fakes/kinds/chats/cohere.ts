import { BEARER, type ChatRow, recorded } from '../row.ts'

const SOURCE = 'https://docs.cohere.com/reference/chat-stream'

const errorBody = (message: string): object => ({ id: 'f201af17-e24a-4396', message })

// It reads more tokens than it bills: 507 and 12.
export const cohere: ChatRow = {
  upstreamModel: 'command-a-03-2025',
  path: '/v2/chat',
  credential: BEARER,
  framing: 'named',
  text: [recorded('cohere/cohere-text.json', { prompt: 12, completion: 7 }, { says: /^The capital of France is Paris\.$/ })],
  stream: [
    recorded('cohere/cohere-text.chunks.txt', { prompt: 12, completion: 7 }, { says: /^The capital of France is Paris\.$/ }),
  ],
  tools: [
    recorded(
      'cohere/cohere-tool-call.json',
      { prompt: 119, completion: 52 },
      {
        says: /^I will use the weather tool to find out .* in San Francisco\.$/,
        calls: [
          ['weather', '{"location":"San Francisco"}'],
          ['cityAttractions', '{"city":"San Francisco"}'],
        ],
      },
    ),
  ],
  toolStream: [
    recorded(
      'cohere/cohere-tool-call.chunks.txt',
      { prompt: 119, completion: 44 },
      {
        says: /^I will use the weather tool to find the weather .* in San Francisco\.$/,
        calls: [
          ['weather', '{"location": "San Francisco"}'],
          ['cityAttractions', '{"city": "San Francisco"}'],
        ],
      },
    ),
  ],
  cached: { none: 'It bills `billed_units`, which know no cache; `cached_tokens` beside them changes no price.' },
  reasoning: { none: 'Its units have thoughts in output_tokens, and no count of their own.' },
  faults: {
    credentials: { status: 401, body: errorBody('invalid api token was supplied'), is: 'unavailable' },
    funds: {
      status: 402,
      body: errorBody('Please add or update your payment method at the dashboard.'),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody('too many tokens: size limit exceeded by 11326 tokens.'),
      is: 'context_exceeded',
      says: /says: too many tokens: size limit exceeded by 11326 tokens/,
    },
    rate: {
      status: 429,
      body: errorBody('You are using a Trial key, which is limited to 20 API calls / minute.'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: { status: 500, body: errorBody('internal server error, this has been reported'), is: 'vendor_failed' },
  },
  brokenStream: {
    source: SOURCE,
    written: [
      {
        id: '321d178c',
        type: 'message-start',
        delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
      },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'The kettle' } } } },
      { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'an internal error while it was answering' } },
    ],
  },
}
