import { type MediaRow, NO_CANCEL, NO_SPEECH, NO_TRANSCRIPTS, type Work } from '../media-row.ts'
import { BEARER } from '../row.ts'

const MODEL = 'black-forest-labs/flux-schnell'

const prediction = (origin: string, status: string, more: object = {}) => ({
  id: 'gm3qorzdhgbfurvjtvhg6dckhu',
  model: MODEL,
  version: 'hidden',
  input: { prompt: 'a cat' },
  logs: '',
  output: null,
  data_removed: false,
  error: null,
  source: 'api',
  status,
  created_at: '2026-11-02T10:20:30.000Z',
  urls: {
    cancel: `${origin}/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu/cancel`,
    get: `${origin}/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu`,
  },
  ...more,
})

const NOWHERE = 'https://api.replicate.com'

const image: Work = {
  modality: 'image',
  upstreamModel: MODEL,
  source: 'https://replicate.com/docs/reference/http#predictions.create',
  paths: [
    `/v1/models/${MODEL}/predictions`,
    '/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu',
    '/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu',
    '/result.png',
  ],
  job: {
    begun: [(origin) => ({ status: 201, body: prediction(origin, 'starting') })],
    pending: (origin) => ({ body: prediction(origin, 'processing') }),
    done: (origin) => ({
      body: prediction(origin, 'succeeded', { output: [`${origin}/result.png`], metrics: { predict_time: 0.8 } }),
    }),
    failed: [
      { body: prediction(NOWHERE, 'failed', { error: 'CUDA out of memory on this machine' }), is: 'vendor_failed' },
      { body: prediction(NOWHERE, 'canceled', { error: 'It was canceled in the console' }), is: 'vendor_failed' },
    ],
  },
}

const errorBody = (status: number, title: string, detail: string): object => ({ title, detail, status })

export const replicate: MediaRow = {
  credential: BEARER,
  image,
  speech: NO_SPEECH,
  transcription: NO_TRANSCRIPTS,
  polling: [image],
  cancel: NO_CANCEL,
  faults: {
    credentials: {
      status: 401,
      body: errorBody(401, 'Unauthenticated', 'You did not pass a valid authentication token'),
      is: 'unavailable',
    },
    funds: {
      status: 402,
      body: errorBody(402, 'Insufficient credit', 'You have insufficient credit to run this model. Go to the billing page.'),
      is: 'unavailable',
    },
    request: {
      status: 422,
      body: { ...errorBody(422, 'Input validation failed', '- input.prompt: must not be empty'), invalid_fields: [] },
      is: 'invalid_request',
      says: /says: - input\.prompt: must not be empty/,
    },
    rate: {
      status: 429,
      body: { detail: 'Request was throttled. Expected available in 6 seconds.', status: 429, retry_after: 6 },
      headers: { 'retry-after': '6' },
      is: 'too_many_requests',
      retryAfter: '6',
    },
    failure: { status: 500, body: errorBody(500, 'Internal error', 'Prediction could not be created'), is: 'vendor_failed' },
  },
}
