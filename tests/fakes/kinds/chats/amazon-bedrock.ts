import { BEARER, type ChatRow, type ExpectedAnswer, recorded, type Used } from '../row.ts'

const SOURCE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html'
const MODEL = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const PATH = `/model/${encodeURIComponent(MODEL)}`

/** Its input tokens include neither cached ones nor those written to the cache. */
const usage = ({ prompt, completion, cached = 0, cacheWrite = 0 }: Used) => ({
  inputTokens: prompt - cached - cacheWrite,
  outputTokens: completion,
  totalTokens: prompt + completion,
  cacheReadInputTokens: cached,
  cacheWriteInputTokens: cacheWrite,
})

const CACHED: Used = { prompt: 1500, cached: 1024, cacheWrite: 256, completion: 12 }
const SAID: Pick<ExpectedAnswer, 'used' | 'finish' | 'says'> = { used: CACHED, finish: 'stop', says: /^It is warm\.$/ }
const delta = (text: string) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } })

const errorReply = (name: string, message: string) => ({ body: { message }, headers: { 'x-amzn-errortype': name } })

export const amazonBedrock: ChatRow = {
  upstreamModel: MODEL,
  path: `${PATH}/converse`,
  streamPath: `${PATH}/converse-stream`,
  credential: BEARER,
  framing: 'frames',
  text: [recorded('amazon-bedrock/amazon-bedrock-text.json', { prompt: 22, completion: 57 }, { says: /There are \*\*3\*\*/ })],
  stream: [recorded('amazon-bedrock/amazon-bedrock-text.chunks.txt', { prompt: 22, completion: 55 }, { says: /3/ })],
  tools: [
    recorded(
      'amazon-bedrock/amazon-bedrock-tool-call.1.json',
      { prompt: 10, completion: 20 },
      { calls: [['bash', '{"command":"ls -l"}']] },
    ),
  ],
  toolStream: [
    recorded(
      'amazon-bedrock/amazon-bedrock-tool-call.1.chunks.txt',
      { prompt: 125, completion: 45 },
      { calls: [['test-tool', '{"value":"Sparkle Day"}']] },
    ),
  ],
  cached: [
    {
      ...SAID,
      bytes: {
        source: SOURCE,
        written: {
          output: { message: { role: 'assistant', content: [{ text: 'It is warm.' }] } },
          stopReason: 'end_turn',
          usage: usage(CACHED),
          metrics: { latencyMs: 412 },
        },
      },
    },
    {
      ...SAID,
      bytes: {
        source: SOURCE,
        written: [
          { messageStart: { role: 'assistant' } },
          delta('It is'),
          delta(' warm.'),
          { contentBlockStop: { contentBlockIndex: 0 } },
          { messageStop: { stopReason: 'end_turn' } },
          { metadata: { usage: usage(CACHED), metrics: { latencyMs: 412 } } },
        ],
      },
    },
  ],
  reasoning: { none: 'Converse has thoughts in outputTokens, and no count of their own.' },
  faults: {
    credentials: {
      status: 403,
      ...errorReply('UnrecognizedClientException', 'The security token included in the request is invalid.'),
      is: 'unavailable',
    },
    funds: {
      status: 403,
      ...errorReply('AccessDeniedException', 'Your account is not authorized: a payment instrument is invalid.'),
      is: 'unavailable',
    },
    request: {
      status: 400,
      ...errorReply('ValidationException', 'The model returned the following errors: messages.0.content is empty'),
      is: 'invalid_request',
      says: /says: The model returned the following errors/,
    },
    rate: {
      status: 429,
      ...errorReply('ThrottlingException', 'Too many tokens, please wait before trying again.'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 503,
      ...errorReply('ServiceUnavailableException', 'Bedrock is unable to process your request.'),
      is: 'unavailable',
      retryAfter: '5',
    },
  },
  brokenStream: {
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html',
    written: [
      { messageStart: { role: 'assistant' } },
      delta('The kettle'),
      { exception: { throttlingException: { message: 'Too many requests while it was answering' } } },
    ],
  },
}
