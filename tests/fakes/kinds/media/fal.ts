import { type MediaRow, NO_CANCEL, NO_SPEECH, type Work } from '../media-row.ts'
import { SECRET } from '../row.ts'

const errorBody = (loc: string[], msg: string, type: string): object => ({
  detail: [{ loc, msg, type, url: `https://docs.fal.ai/errors/#${type}`, ctx: {}, input: 'a cat' }],
})

const image: Work = {
  modality: 'image',
  upstreamModel: 'fal-ai/flux/dev',
  source: 'https://fal.ai/models/fal-ai/flux/dev/api',
  paths: ['/fal-ai/flux/dev', '/result.png'],
  answer: (origin) => ({
    body: {
      images: [{ url: `${origin}/result.png`, width: 1024, height: 768, content_type: 'image/png' }],
      timings: { inference: 1.23 },
      seed: 4_242_424,
      has_nsfw_concepts: [false],
      prompt: 'a cat',
    },
  }),
}

const transcription: Work = {
  modality: 'transcription',
  upstreamModel: 'wizper',
  source: 'https://fal.ai/models/fal-ai/wizper/api',
  paths: ['/fal-ai/wizper', '/fal-ai/wizper/requests/test-id', '/fal-ai/wizper/requests/test-id'],
  says: /^Hello from the Versal AISDK\.$/,
  job: {
    begun: [() => ({ recorded: 'fal/fal-transcription-queue.json' })],
    pending: () => ({ status: 400, body: { detail: 'Request is still in progress' } }),
    done: () => ({ recorded: 'fal/fal-transcription-result.json' }),
    failed: [
      {
        status: 422,
        body: errorBody(['body', 'audio_url'], 'Unable to decode the audio file.', 'audio_decode_error'),
        is: 'invalid_request',
        says: /says: Unable to decode the audio file/,
        param: 'audio_url',
      },
      { status: 500, body: { detail: 'Internal Server Error of a runner' }, is: 'vendor_failed' },
    ],
  },
}

export const fal: MediaRow = {
  credential: ['authorization', `Key ${SECRET}`],
  image,
  speech: NO_SPEECH,
  transcription,
  polling: [transcription],
  cancel: NO_CANCEL,
  faults: {
    credentials: {
      status: 401,
      body: { detail: 'Cannot access application "fal-ai/flux". Authentication is required to access it.' },
      is: 'unavailable',
    },
    funds: {
      status: 403,
      body: { detail: 'User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing.' },
      is: 'unavailable',
    },
    request: {
      status: 422,
      body: errorBody(
        ['body', 'prompt'],
        'The content could not be processed because it contained material flagged by a content checker.',
        'content_policy_violation',
      ),
      is: 'invalid_request',
      says: /says: The content could not be processed/,
      param: 'prompt',
    },
    rate: {
      status: 429,
      body: { detail: 'Rate limit of concurrent requests exceeded' },
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 504,
      body: { detail: 'Request timed out on its runner', error_type: 'request_timeout' },
      is: 'vendor_failed',
    },
  },
}
