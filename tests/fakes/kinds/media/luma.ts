import { type MediaRow, NO_CANCEL, NO_SPEECH, NO_TRANSCRIPTS, type Work } from '../media-row.ts'
import { BEARER } from '../row.ts'

const ID = '123e4567-e89b-12d3-a456-426614174000'

const generation = (state: string, more: object = {}) => ({
  id: ID,
  generation_type: 'image',
  state,
  failure_reason: null,
  created_at: '2026-11-02T10:20:30Z',
  assets: null,
  model: 'photon-1',
  request: { generation_type: 'image', model: 'photon-1', prompt: 'a cat', aspect_ratio: '4:3' },
  ...more,
})

const image: Work = {
  modality: 'image',
  upstreamModel: 'photon-1',
  source: 'https://docs.lumalabs.ai/docs/image-generation',
  paths: [
    '/dream-machine/v1/generations/image',
    `/dream-machine/v1/generations/${ID}`,
    `/dream-machine/v1/generations/${ID}`,
    '/result.png',
  ],
  job: {
    begun: [() => ({ status: 201, body: generation('queued') })],
    pending: () => ({ body: generation('dreaming') }),
    done: (origin) => ({ body: generation('completed', { assets: { image: `${origin}/result.png` } }) }),
    failed: [
      {
        body: generation('failed', { failure_reason: '400: prompt not allowed because advanced moderation failed' }),
        is: 'vendor_failed',
      },
    ],
  },
}

export const luma: MediaRow = {
  credential: BEARER,
  image,
  speech: NO_SPEECH,
  transcription: NO_TRANSCRIPTS,
  polling: [image],
  cancel: NO_CANCEL,
  faults: {
    credentials: { status: 403, body: { detail: 'Invalid authentication credentials' }, is: 'unavailable' },
    funds: { none: 'Its documentation shows no answer to an account without credits.' },
    request: {
      status: 400,
      body: {
        detail: [
          { type: 'string_too_short', loc: ['body', 'prompt'], msg: 'Prompt is too short, at least 3 letters', input: 'x' },
        ],
      },
      is: 'invalid_request',
      says: /says: Prompt is too short/,
      param: 'prompt',
    },
    rate: { status: 429, body: { detail: 'Too many requests, please slow down' }, is: 'too_many_requests', retryAfter: '5' },
    failure: { status: 500, body: { detail: 'Internal Server Error of the machine' }, is: 'vendor_failed' },
  },
}
