import { claudeAnswer, claudeEvents, claudeText } from '../../bridged-vendors.ts'
import { type ChatRow, type ExpectedAnswer, type Fault, recorded, SECRET, type Used } from '../row.ts'

const SOURCE = 'https://platform.claude.com/docs/en/api/messages'
const WEATHER = { type: 'tool_use', id: 'toolu_01A09q', name: 'get_weather', input: { city: 'Zürich', days: 2 } }
const THOUGHT = { type: 'thinking', thinking: 'Is it warm?', signature: 'EqQBCgIYAhIM' }

/** Its input tokens include neither cached ones nor those written to the cache. */
const usage = ({ prompt, completion, cached = 0, cacheWrite = 0, reasoning }: Used) => ({
  input_tokens: prompt - cached - cacheWrite,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cached,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  output_tokens: completion,
  service_tier: 'standard',
  ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
})

/** The same answer as a whole and as events. */
function nonStreamingAndStream(
  content: object[],
  used: Used,
  stop: string,
  more: Omit<ExpectedAnswer, 'bytes' | 'used'>,
): [ExpectedAnswer, ExpectedAnswer] {
  const answer = claudeAnswer(content, usage(used), stop)
  return [
    { bytes: { source: SOURCE, written: answer }, used, ...more },
    { bytes: { source: SOURCE, written: claudeEvents(answer) }, used, ...more },
  ]
}

const SAID = { finish: 'stop', says: /^It is warm\.$/ } as const
const CACHED = nonStreamingAndStream(
  [claudeText('It is warm.')],
  { prompt: 1500, cached: 1024, cacheWrite: 256, completion: 12 },
  'end_turn',
  SAID,
)
const THOUGHTS = nonStreamingAndStream(
  [THOUGHT, claudeText('It is warm.')],
  { prompt: 20, completion: 90, reasoning: 64 },
  'end_turn',
  SAID,
)
const CALLS = nonStreamingAndStream([claudeText('Let me look.'), WEATHER], { prompt: 400, completion: 60 }, 'tool_use', {
  finish: 'tool_calls',
  says: /^Let me look\.$/,
  calls: [['get_weather', '{"city":"Zürich","days":2}']],
})
const NO_ARGS = [['updateIssueList', '{}']] as const

const errorBody = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CT',
})

export const anthropic: ChatRow = {
  upstreamModel: 'claude-opus-5',
  path: '/v1/messages',
  credential: ['x-api-key', SECRET],
  framing: 'named',
  text: [recorded('anthropic/anthropic-text.json', { prompt: 12, completion: 29 }, { says: /^Hello! I'm doing well/ })],
  stream: [
    recorded('anthropic/anthropic-text.chunks.txt', { prompt: 12, completion: 30 }, { says: /anything I can help you with\?$/ }),
  ],
  tools: [
    recorded(
      'anthropic/anthropic-tool-no-args.json',
      { prompt: 602, completion: 93 },
      { calls: NO_ARGS, says: /^<thinking>.*list:$/s },
    ),
    CALLS[0],
  ],
  toolStream: [
    recorded(
      'anthropic/anthropic-tool-no-args.chunks.txt',
      { prompt: 565, completion: 48 },
      { calls: NO_ARGS, says: /^I'll update the issue list for you\.$/ },
    ),
    CALLS[1],
  ],
  cached: CACHED,
  reasoning: [
    recorded(
      'anthropic/anthropic-claude-opus-5-reasoning-high.1.json',
      { prompt: 51, completion: 1699, reasoning: 139 },
      { says: /^## Step 1/ },
    ),
    THOUGHTS[1],
  ],
  faults: {
    credentials: { status: 401, body: errorBody('authentication_error', 'invalid x-api-key was sent'), is: 'unavailable' },
    funds: [
      ...[
        'Your credit balance is too low to access the Anthropic API.',
        // Limits that the account's owner has set.
        'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
        'You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
        'This organization has been disabled.',
      ].map((message): Fault => ({ status: 400, body: errorBody('invalid_request_error', message), is: 'unavailable' })),
      // The limit of its tier.
      {
        status: 429,
        body: errorBody(
          'rate_limit_error',
          'You have reached your API usage limits: your organization has crossed its monthly API usage threshold.',
        ),
        is: 'unavailable',
      },
    ],
    request: {
      status: 400,
      body: errorBody('invalid_request_error', 'messages: text content blocks must be non-empty'),
      is: 'invalid_request',
      says: /says: messages: text content blocks must be non-empty/,
    },
    rate: {
      status: 429,
      body: errorBody('rate_limit_error', "This request would exceed your organization's rate limit."),
      headers: { 'retry-after': '41' },
      is: 'too_many_requests',
      retryAfter: '41',
    },
    // A special status for overload.
    failure: {
      status: 529,
      body: errorBody('overloaded_error', 'Overloaded: please try again later'),
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: {
    source: 'https://platform.claude.com/docs/en/build-with-claude/streaming#error-events',
    written: [
      ...claudeEvents(claudeAnswer([claudeText('The kettle')])).slice(0, 3),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded while it was answering' } },
    ],
  },
}
