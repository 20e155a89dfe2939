import { counts, createFlavourAnswers } from '../openai-flavour.ts'
import { BEARER, type ChatRow, recorded } from '../row.ts'

const wire = createFlavourAnswers({
  source: 'https://docs.perplexity.ai/api-reference/chat-completions-post',
  model: 'sonar',
  head: { citations: [] },
  usage: counts,
  usageAt: 'last',
})

const errorBody = (type: string, message: string, code: number): object => ({ error: { message, type, code } })

export const perplexity: ChatRow = {
  upstreamModel: 'sonar',
  path: '/chat/completions',
  credential: BEARER,
  framing: 'done',
  text: [
    recorded('perplexity/perplexity-text.json', { prompt: 11, completion: 392 }, { says: /^\*\*EcoVista Day\*\* is a new/ }),
  ],
  // Each chunk has a running count.
  stream: [
    recorded(
      'perplexity/perplexity-text.chunks.txt',
      { prompt: 11, completion: 434 },
      { says: /^\*\*EcoVista Day\*\*\[1\]\[5\]$/ },
    ),
  ],
  tools: { none: 'Its models call no tools: `tools` is a 400 here (native-parameters.test.ts).' },
  toolStream: { none: 'Its models call no tools: `tools` is a 400 here (native-parameters.test.ts).' },
  cached: { none: 'It has no cache of prompts.' },
  reasoning: { none: 'Deep research alone counts its thoughts, and is not sold (native-parameters.test.ts).' },
  faults: {
    // The proxy in front of its API answers with a page.
    credentials: {
      status: 401,
      body: '<html><head><title>401 Authorization Required</title></head><body><center>openresty/1.27</center></body></html>',
      is: 'unavailable',
    },
    funds: {
      status: 401,
      body: errorBody('insufficient_quota', 'You exceeded your current quota, please check it.', 401),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody(
        'invalid_message',
        'After the (optional) system message(s), user or tool message(s) should alternate.',
        400,
      ),
      is: 'invalid_request',
      says: /says: After the \(optional\) system message/,
    },
    rate: {
      status: 429,
      body: errorBody('too_many_requests', 'Request rate limit exceeded, please try again later.', 429),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: { status: 502, body: '<html><head><title>502 Bad Gateway</title></head></html>', is: 'vendor_failed' },
  },
  brokenStream: wire.broken(errorBody('internal_server_error', 'Internal server error while it was answering', 500)),
}
