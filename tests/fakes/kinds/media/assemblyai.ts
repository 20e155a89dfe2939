import { type MediaRow, NO_CANCEL, NO_IMAGES, NO_SPEECH, type Work } from '../media-row.ts'
import { SECRET } from '../row.ts'

const ID = '9ea68fd3-f953-42c1-9742-976c447fb463'

const transcript = (status: string, more: object = {}) => ({
  id: ID,
  language_model: 'assemblyai_default',
  acoustic_model: 'assemblyai_default',
  status,
  audio_url: 'https://cdn.assemblyai.com/upload/1',
  text: null,
  words: null,
  utterances: null,
  confidence: null,
  audio_duration: null,
  language_detection: true,
  ...more,
})

const transcription: Work = {
  modality: 'transcription',
  upstreamModel: 'best',
  source: 'https://www.assemblyai.com/docs/api-reference/transcripts/get',
  paths: ['/v2/upload', '/v2/transcript', `/v2/transcript/${ID}`, `/v2/transcript/${ID}`],
  says: /^Hello there\.$/,
  job: {
    begun: [() => ({ body: { upload_url: 'https://cdn.assemblyai.com/upload/1' } }), () => ({ body: transcript('queued') })],
    pending: () => ({ body: transcript('processing') }),
    done: () => ({
      body: transcript('completed', {
        text: 'Hello there.',
        language_code: 'en_us',
        confidence: 0.98,
        audio_duration: 2,
        words: [
          { text: 'Hello', start: 250, end: 650, confidence: 0.97, speaker: null },
          { text: 'there.', start: 730, end: 1022, confidence: 0.99, speaker: null },
        ],
      }),
    }),
    failed: [
      {
        body: transcript('error', { error: 'Transcoding failed. File does not appear to contain audio.' }),
        is: 'vendor_failed',
      },
    ],
  },
}

export const assemblyai: MediaRow = {
  credential: ['authorization', SECRET],
  image: NO_IMAGES,
  speech: NO_SPEECH,
  transcription,
  polling: [transcription],
  cancel: NO_CANCEL,
  faults: {
    credentials: { status: 401, body: { error: 'Authentication error, API token missing/invalid' }, is: 'unavailable' },
    funds: {
      status: 403,
      body: { error: 'Your current account balance is negative. Please top up to continue.' },
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: { error: 'language_code: invalid language code was given' },
      is: 'invalid_request',
      says: /says: language_code: invalid language code/,
    },
    rate: {
      status: 429,
      body: { error: 'Too many requests, the limit is 20000 every 5 minutes' },
      headers: { 'retry-after': '30' },
      is: 'too_many_requests',
      retryAfter: '30',
    },
    failure: { status: 500, body: { error: 'Server error, please contact the support' }, is: 'vendor_failed' },
  },
}
