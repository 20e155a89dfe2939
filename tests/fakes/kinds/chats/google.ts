import { geminiAnswer, geminiEvents } from '../../bridged-vendors.ts'
import { type ChatRow, type ExpectedAnswer, type Faults, recorded, SECRET, type Used } from '../row.ts'

const SOURCE = 'https://ai.google.dev/api/generate-content#UsageMetadata'
const CITY = [['weather', '{"location":"San Francisco"}']] as const

/** Its prompt tokens include cached ones. Its candidate tokens exclude thoughts. */
const usage = ({ prompt, completion, cached = 0, reasoning = 0 }: Used) => ({
  promptTokenCount: prompt,
  cachedContentTokenCount: cached,
  candidatesTokenCount: completion - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: prompt + completion,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cached }],
})

const CACHED: Used = { prompt: 2300, cached: 2048, completion: 40, reasoning: 16 }
const ANSWER = geminiAnswer([{ text: 'It is' }, { text: ' warm.' }], usage(CACHED))
const SAID: Pick<ExpectedAnswer, 'used' | 'finish' | 'says'> = { used: CACHED, finish: 'stop', says: /^It is warm\.$/ }

const errorBody = (code: number, status: string, message: string, details: object[] = []): object => ({
  error: { code, message, status, details },
})

const faults: Faults = {
  credentials: {
    status: 400,
    body: errorBody(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
    ]),
    is: 'unavailable',
  },
  funds: [
    {
      status: 400,
      body: errorBody(
        400,
        'FAILED_PRECONDITION',
        'Gemini API free tier is not available in your country. Please enable billing.',
      ),
      is: 'unavailable',
    },
    {
      status: 429,
      body: errorBody(
        429,
        'RESOURCE_EXHAUSTED',
        'Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.',
      ),
      is: 'unavailable',
    },
    {
      status: 429,
      body: errorBody(429, 'RESOURCE_EXHAUSTED', 'Your project has exceeded its monthly spending cap. Please go to AI Studio.'),
      is: 'unavailable',
    },
  ],
  request: {
    status: 400,
    body: errorBody(400, 'INVALID_ARGUMENT', 'Please use a valid role: user, model.'),
    is: 'invalid_request',
    says: /says: Please use a valid role: user, model/,
  },
  rate: {
    status: 429,
    body: errorBody(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
    ]),
    is: 'too_many_requests',
    retryAfter: '35',
  },
  failure: {
    status: 503,
    body: errorBody(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    is: 'unavailable',
    retryAfter: '5',
  },
}

export const google: ChatRow = {
  upstreamModel: 'gemini-3.5-flash',
  path: '/v1beta/models/gemini-3.5-flash:generateContent',
  streamPath: '/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse',
  credential: ['x-goog-api-key', SECRET],
  framing: 'bare',
  text: [recorded('google/google-text.json', { prompt: 9, completion: 272, reasoning: 244 }, { says: /^There are \*\*3\*\*/ })],
  stream: [
    recorded('google/google-text.chunks.txt', { prompt: 9, completion: 208, reasoning: 185 }, { says: /^There are \*\*3\*\*/ }),
  ],
  tools: [recorded('google/google-tool-call.json', { prompt: 29, completion: 908, reasoning: 893 }, { calls: CITY })],
  toolStream: [recorded('google/google-tool-call.chunks.txt', { prompt: 29, completion: 60, reasoning: 45 }, { calls: CITY })],
  cached: [
    { ...SAID, bytes: { source: SOURCE, written: ANSWER } },
    { ...SAID, bytes: { source: SOURCE, written: geminiEvents(ANSWER) } },
  ],
  reasoning: [
    recorded('google/google-reasoning.json', { prompt: 9, completion: 311, reasoning: 282 }, { says: /^There are \*\*3\*\*/ }),
    recorded(
      'google/google-reasoning.chunks.txt',
      { prompt: 9, completion: 285, reasoning: 256 },
      { says: /^There are \*\*3\*\*/ },
    ),
  ],
  faults,
  brokenStream: {
    source: 'https://ai.google.dev/gemini-api/docs/troubleshooting',
    written: [geminiAnswer([{ text: 'The kettle' }], null, null), errorBody(500, 'INTERNAL', 'An internal error has occurred.')],
  },
}

/** Gemini on Google Cloud answers as Gemini does, at another address. */
export const googleVertex: ChatRow = {
  ...google,
  path: '/v1/projects/my-project/locations/global/publishers/google/models/gemini-3.5-flash:generateContent',
  streamPath: '/v1/projects/my-project/locations/global/publishers/google/models/gemini-3.5-flash:streamGenerateContent?alt=sse',
  faults: {
    ...faults,
    credentials: {
      status: 401,
      body: errorBody(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials. Expected OAuth 2 access token.'),
      is: 'unavailable',
    },
    funds: {
      status: 403,
      body: errorBody(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled. Please enable billing.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'BILLING_DISABLED', domain: 'googleapis.com' },
      ]),
      is: 'unavailable',
    },
    rate: {
      status: 429,
      body: errorBody(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
  },
}
