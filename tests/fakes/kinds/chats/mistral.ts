import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const CITY = [['weather', '{"location": "San Francisco"}']] as const

const wire = createFlavourAnswers({
  source: 'https://docs.mistral.ai/api/endpoint/chat',
  model: 'mistral-medium-latest',
  usage: (used) => ({ ...counts(used), prompt_tokens_details: { cached_tokens: used.cached } }),
  usageAt: 'last',
})

const errorBody = (message: string, type: string, code: string): object => ({ object: 'error', message, type, param: null, code })

export const mistral: ChatRow = {
  upstreamModel: 'magistral-medium-2507',
  path: '/v1/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [
    recorded('mistral/mistral-text.json', { prompt: 13, completion: 434 }, { says: /^\*\*Holiday Name: "World Kindness/ }),
    recorded('mistral/mistral-reasoning.json', { prompt: 10, completion: 46 }, { says: /^2 \+ 2 = 4$/ }),
  ],
  stream: [
    recorded('mistral/mistral-text.chunks.txt', { prompt: 13, completion: 8 }, { says: /This is a test response\.$/ }),
    recorded('mistral/mistral-reasoning.chunks.txt', { prompt: 10, completion: 46 }, { says: /^2 \+ 2 = 4$/ }),
  ],
  tools: [recorded('mistral/mistral-tool-call.json', { prompt: 124, completion: 22 }, { calls: CITY })],
  toolStream: [recorded('mistral/mistral-tool-call.chunks.txt', { prompt: 124, completion: 22 }, { calls: CITY })],
  cached: [
    wire.text({ prompt: 171, cached: 128, completion: 14 }),
    recorded(
      'mistral/mistral-incremental-tool-call.chunks.txt',
      { prompt: 171, cached: 128, completion: 14 },
      { calls: [['webSearchTool', '{"query": "current Berlin weather"}']] },
    ),
  ],
  reasoning: { none: 'Its usage has thoughts in the completion, and no count of their own.' },
  faults: {
    credentials: { status: 401, body: { detail: 'Unauthorized for this workspace' }, is: 'unavailable' },
    funds: {
      status: 402,
      body: { message: 'Payment required: activate payments to use it.', request_id: '933f2339' },
      is: 'unavailable',
    },
    request: {
      status: 422,
      body: {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'surprise'], msg: 'Extra inputs are not permitted', input: 1 }],
      },
      is: 'invalid_request',
      says: /says: Extra inputs are not permitted/,
      param: 'surprise',
    },
    rate: {
      status: 429,
      body: errorBody('Service tier capacity exceeded for this model.', 'service_tier_capacity_exceeded', '3505'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 500,
      body: errorBody('Service unavailable for the moment.', 'internal_server_error', '3700'),
      is: 'vendor_failed',
    },
  },
  brokenStream: wire.broken(errorBody('Internal error while it was answering', 'internal_server_error', '3000')),
}
