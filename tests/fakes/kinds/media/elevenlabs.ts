import { AT_ONCE, type MediaRow, NO_CANCEL, NO_IMAGES } from '../media-row.ts'
import { SECRET } from '../row.ts'

const errorBody = (status: string, message: string): object => ({ detail: { status, message } })

export const elevenlabs: MediaRow = {
  credential: ['xi-api-key', SECRET],
  image: NO_IMAGES,
  speech: {
    modality: 'speech',
    upstreamModel: 'eleven_v3',
    source: 'https://elevenlabs.io/docs/api-reference/text-to-speech/convert',
    paths: ['/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM?output_format=mp3_44100_128'],
    answer: () => ({ bytes: Buffer.from('ID3 spoken by one'), type: 'audio/mpeg' }),
  },
  transcription: {
    modality: 'transcription',
    upstreamModel: 'scribe_v1',
    source: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
    paths: ['/v1/speech-to-text'],
    says: /^Hello from the Vercel AI SDK\.$/,
    answer: () => ({ recorded: 'elevenlabs/elevenlabs-transcription.json' }),
  },
  polling: AT_ONCE,
  cancel: NO_CANCEL,
  faults: {
    credentials: { status: 401, body: errorBody('invalid_api_key', 'Invalid API key was given'), is: 'unavailable' },
    funds: {
      status: 401,
      body: errorBody('quota_exceeded', 'This request exceeds your quota of 10000. You have 3 credits remaining.'),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody('max_character_limit_exceeded', "This request's text has 627 characters and exceeds the limit."),
      is: 'invalid_request',
      says: /says: This request's text has 627 characters/,
    },
    rate: {
      status: 429,
      body: errorBody('too_many_concurrent_requests', 'Too many concurrent requests. Your limit is 2.'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: { status: 500, body: { detail: 'Something went wrong inside' }, is: 'vendor_failed' },
  },
}
