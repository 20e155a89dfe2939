import { z } from 'zod'
import type { Answers } from '../endpoint.ts'
import type { SpeechFormat } from './schema.ts'

/** The media types of the formats. */
export const AUDIO_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

const count = z.number().int().min(0)

const speechEvent = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('speech.audio.delta'), audio: z.string().describe('Audio, in base64.') }),
    z.looseObject({
      type: z.literal('speech.audio.done'),
      usage: z.looseObject({
        input_tokens: count,
        output_tokens: count,
        total_tokens: count,
        characters: count.optional(),
        cost: z.number().min(0),
      }),
    }),
  ])
  .meta({ id: 'SpeechEvent' })

/** The answers to a request for speech. */
export const SPEECH_ANSWERS: Answers = {
  ...Object.fromEntries(Object.values(AUDIO_TYPES).map((type) => [type, null])),
  'text/event-stream': speechEvent,
}
