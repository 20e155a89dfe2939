import { fieldIn } from '../../domain/field-in.ts'
import type { ErrorAnswer } from '../bridge/dialect.ts'
import { google as geminiChats } from '../bridge/google.ts'
import type { MediaDialect } from './media-dialect.ts'

const PLAIN = { packageOrigins: [], hosts: null, version: '', posts: 1 } as const

/** Models at fal that take a duration without a unit. */
const PLAIN_SECONDS = /kling|minimax|hailuo|pixverse|seedance|luma/

const google: MediaDialect = {
  ...PLAIN,
  skills: ['image', 'edits', 'embedding', 'video'],
  version: '/v1beta',
  async load() {
    const { createGoogle } = await import('@ai-sdk/google')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createGoogle({ baseURL: baseUrl, apiKey: secret, headers, fetch })
      return {
        image: (model) => provider.image(model),
        embedding: (model) => provider.embedding(model),
        video: (model) => provider.video(model),
      }
    }
  },
  image: { by: 'proportion' },
  inputTypes: true,
  embedding: ({ dimensions, inputType }) => ({
    google: {
      ...(dimensions === null ? {} : { outputDimensionality: dimensions }),
      ...(inputType === null ? {} : { taskType: inputType }),
    },
  }),
  correctError: (answer: ErrorAnswer) => geminiChats.correctError(answer),
}

const mistral: MediaDialect = {
  ...PLAIN,
  skills: ['embedding'],
  version: '/v1',
  async load() {
    const { createMistral } = await import('@ai-sdk/mistral')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createMistral({ baseURL: baseUrl, apiKey: secret, headers, fetch })
      return { embedding: (model) => provider.embedding(model) }
    }
  },
  embedding: ({ dimensions }) => ({ mistral: dimensions === null ? {} : { outputDimension: dimensions } }),
}

const cohere: MediaDialect = {
  ...PLAIN,
  skills: ['embedding'],
  version: '/v2',
  async load() {
    const { createCohere } = await import('@ai-sdk/cohere')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createCohere({ baseURL: baseUrl, apiKey: secret, headers, fetch })
      return { embedding: (model) => provider.embedding(model) }
    }
  },
  inputTypes: true,
  // It requires the purpose of the vectors, which OpenAI's wire does not name.
  embedding: ({ dimensions, inputType }) => ({
    cohere: { inputType: inputType ?? 'search_document', ...(dimensions === null ? {} : { outputDimension: dimensions }) },
  }),
}

const fal: MediaDialect = {
  ...PLAIN,
  skills: ['image', 'edits', 'transcription', 'video'],
  packageOrigins: ['https://fal.run', 'https://queue.fal.run'],
  hosts: /(^|\.)fal\.run$/,
  async load() {
    const { createFal } = await import('@ai-sdk/fal')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createFal({ baseURL: baseUrl, apiKey: secret, headers, fetch })
      return {
        image: (model) => provider.image(model),
        transcription: (model) => provider.transcription(model),
        // Its own copy of the interface differs in a type that is not used here.
        video: (model) => provider.video(model) as never,
      }
    }
  },
  image: { by: 'size' },
  // The package writes `5s`; some of the models there take `5` only.
  video: ({ seconds, upstreamModel }) => ({ fal: PLAIN_SECONDS.test(upstreamModel) ? { duration: String(seconds) } : {} }),
  // Null means to detect the language; if it is left out, the package sets English. Segments are made from words here.
  transcription: ({ language }) => ({ fal: { language, chunkLevel: 'word' } }),
}

const replicate: MediaDialect = {
  ...PLAIN,
  skills: ['image', 'edits', 'video'],
  version: '/v1',
  async load() {
    const { createReplicate } = await import('@ai-sdk/replicate')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createReplicate({ baseURL: baseUrl, apiToken: secret, headers, fetch })
      return { image: (model) => provider.image(model), video: (model) => provider.video(model) }
    }
  },
  image: { by: 'proportion' },
}

const luma: MediaDialect = {
  ...PLAIN,
  // It accepts input images only by URL.
  skills: ['image'],
  async load() {
    const { createLuma } = await import('@ai-sdk/luma')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createLuma({ baseURL: baseUrl, apiKey: secret, headers, fetch })
      return { image: (model) => provider.image(model) }
    }
  },
  image: { by: 'proportion' },
}

const blackForestLabs: MediaDialect = {
  ...PLAIN,
  skills: ['image', 'edits'],
  version: '/v1',
  hosts: /^api(\.[a-z0-9-]+)?\.bfl\.(ai|ml)$/,
  async load() {
    const { createBlackForestLabs } = await import('@ai-sdk/black-forest-labs')
    return ({ baseUrl, secret, headers, fetch }) => {
      const provider = createBlackForestLabs({ baseURL: baseUrl, apiKey: secret, headers, fetch })
      return { image: (model) => provider.image(model) }
    }
  },
  image: { by: 'size' },
  // The package keeps polling after the first of these, and cannot read the other.
  refusalIn: (answer) => {
    const status = fieldIn(answer, 'status')
    return status === 'Request Moderated' || status === 'Content Moderated' ? status : null
  },
}

const elevenlabs: MediaDialect = {
  ...PLAIN,
  skills: ['speech', 'transcription'],
  packageOrigins: ['https://api.elevenlabs.io'],
  async load() {
    const { createElevenLabs } = await import('@ai-sdk/elevenlabs')
    return ({ secret, headers, fetch }) => {
      const provider = createElevenLabs({ apiKey: secret, headers, fetch })
      return { speech: (model) => provider.speech(model), transcription: (model) => provider.transcription(model) }
    }
  },
  speech: { formats: { mp3: 'mp3', pcm: 'pcm_24000' }, speeds: true, instructions: false },
  transcription: ({ language }) => ({ elevenlabs: language === null ? {} : { languageCode: language } }),
}

const deepgram: MediaDialect = {
  ...PLAIN,
  skills: ['speech', 'transcription'],
  packageOrigins: ['https://api.deepgram.com'],
  async load() {
    const { createDeepgram } = await import('@ai-sdk/deepgram')
    return ({ secret, headers, fetch }) => {
      const provider = createDeepgram({ apiKey: secret, headers, fetch })
      return { speech: (model) => provider.speech(model), transcription: (model) => provider.transcription(model) }
    }
  },
  speech: {
    formats: { mp3: 'mp3', opus: 'opus', aac: 'aac', flac: 'flac', wav: 'wav', pcm: 'pcm' },
    speeds: false,
    instructions: false,
  },
  // By default its transcripts have no punctuation and no capital letters.
  transcription: ({ language }) => ({
    deepgram: { punctuate: true, ...(language === null ? { detectLanguage: true } : { language }) },
  }),
}

const assemblyai: MediaDialect = {
  ...PLAIN,
  skills: ['transcription'],
  packageOrigins: ['https://api.assemblyai.com'],
  // The file first, then the job.
  posts: 2,
  async load() {
    const { createAssemblyAI } = await import('@ai-sdk/assemblyai')
    return ({ secret, headers, fetch }) => {
      const provider = createAssemblyAI({ apiKey: secret, headers, fetch })
      return { transcription: (model) => provider.transcription(model as never) }
    }
  },
  transcription: ({ language }) => ({ assemblyai: language === null ? { languageDetection: true } : { languageCode: language } }),
}

/** How to speak to each vendor of other media, by its kind. */
export const MEDIA_DIALECTS: Readonly<Record<string, MediaDialect>> = {
  google,
  mistral,
  cohere,
  fal,
  replicate,
  luma,
  'black-forest-labs': blackForestLabs,
  elevenlabs,
  deepgram,
  assemblyai,
}
