import { AT_ONCE, type MediaRow, NO_CANCEL, NO_IMAGES } from '../media-row.ts'
import { SECRET } from '../row.ts'

const errorBody = (code: string, message: string): object => ({ err_code: code, err_msg: message, request_id: 'e9ad6d71' })

export const deepgram: MediaRow = {
  credential: ['authorization', `Token ${SECRET}`],
  image: NO_IMAGES,
  speech: {
    modality: 'speech',
    upstreamModel: 'aura-2-thalia-en',
    source: 'https://developers.deepgram.com/reference/text-to-speech-api',
    paths: ['/v1/speak?model=aura-2-thalia-en&encoding=mp3'],
    answer: () => ({ bytes: Buffer.from('ID3 spoken by another'), type: 'audio/mpeg' }),
  },
  transcription: {
    modality: 'transcription',
    upstreamModel: 'nova-3',
    source: 'https://developers.deepgram.com/reference/speech-to-text-api/listen',
    paths: ['/v1/listen?'],
    says: /^galileo was an american robotic/,
    answer: () => ({ recorded: 'deepgram/deepgram-transcription.json' }),
  },
  polling: AT_ONCE,
  cancel: NO_CANCEL,
  faults: {
    credentials: {
      status: 401,
      body: errorBody('INVALID_AUTH', 'Invalid credentials were given for this project.'),
      is: 'unavailable',
    },
    funds: {
      status: 402,
      body: errorBody('ASR_PAYMENT_REQUIRED', 'Project does not have enough credits for an ASR request.'),
      is: 'unavailable',
    },
    request: {
      status: 400,
      body: errorBody('Bad Request', 'Bad Request: failed to process audio: corrupt or unsupported data'),
      is: 'invalid_request',
      says: /says: Bad Request: failed to process audio/,
    },
    rate: {
      status: 429,
      body: errorBody('TOO_MANY_REQUESTS', 'Too many requests. Please try again later'),
      is: 'too_many_requests',
      retryAfter: '5',
    },
    failure: {
      status: 503,
      body: { category: 'SERVICE_UNAVAILABLE', message: 'The service is unavailable.', details: 'No worker.', request_id: 'e9' },
      is: 'unavailable',
      retryAfter: '5',
    },
  },
}
