import { type MediaRow, NO_CANCEL, NO_SPEECH, NO_TRANSCRIPTS, type Work } from '../media-row.ts'
import { SECRET } from '../row.ts'

const ID = '7a2b3c4d-0000-4000-8000-1234567890ab'

const pollBody = (status: string, more: object = {}) => ({
  id: ID,
  status,
  result: null,
  progress: null,
  details: null,
  preview: null,
  ...more,
})

const image: Work = {
  modality: 'image',
  upstreamModel: 'flux-pro-1.1',
  source: 'https://docs.bfl.ai/quick_start/generating_images',
  paths: ['/v1/flux-pro-1.1', `/v1/get_result?id=${ID}`, `/v1/get_result?id=${ID}`, '/result.png'],
  job: {
    begun: [
      (origin) => ({
        body: { id: ID, polling_url: `${origin}/v1/get_result?id=${ID}`, cost: 4, input_mp: 0, output_mp: 0.79 },
      }),
    ],
    pending: () => ({ body: pollBody('Pending', { progress: 0.4 }) }),
    done: (origin) => ({
      body: pollBody('Ready', {
        result: { sample: `${origin}/result.png`, prompt: 'a cat', seed: 42, start_time: 1.5, end_time: 4.25, duration: 2.75 },
      }),
    }),
    failed: [
      { body: pollBody('Error', { details: { reason: 'A worker has failed on its own' } }), is: 'vendor_failed' },
      // Both are about the request: another poll or retry would get the same answer (docs.bfl.ai, "Errors").
      {
        body: pollBody('Request Moderated', { details: { 'Moderation Reasons': ['Derivative Works Filter'] } }),
        is: 'invalid_request',
        says: /says: Request Moderated/,
      },
      { body: pollBody('Content Moderated'), is: 'invalid_request', says: /says: Content Moderated/ },
      { body: pollBody('Task not found'), is: 'vendor_failed' },
    ],
  },
}

export const blackForestLabs: MediaRow = {
  credential: ['x-key', SECRET],
  image,
  speech: NO_SPEECH,
  transcription: NO_TRANSCRIPTS,
  polling: [image],
  cancel: NO_CANCEL,
  faults: {
    credentials: { status: 403, body: { detail: 'Not authenticated - the key is invalid' }, is: 'unavailable' },
    funds: { status: 402, body: { detail: 'Insufficient credits. Please add more credits to continue.' }, is: 'unavailable' },
    request: {
      status: 422,
      body: {
        detail: [{ type: 'multiple_of', loc: ['body', 'width'], msg: 'Input should be a multiple of 32', input: 1023, ctx: {} }],
      },
      is: 'invalid_request',
      says: /says: Input should be a multiple of 32/,
      param: 'width',
    },
    rate: {
      status: 429,
      body: { detail: 'Rate limit exceeded: too many active tasks' },
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: { status: 503, body: { detail: 'Service unavailable for maintenance' }, is: 'unavailable', retryAfter: '5' },
  },
}
