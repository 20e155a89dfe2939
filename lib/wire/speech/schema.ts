import { z } from 'zod'
import { modelField } from '../fields.ts'
import { refusedFields, separatelyBilledField } from '../schema.ts'

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

const VOICE_ERROR = 'use one of the voices of the model; a voice stored in a vendor account cannot be reached from here'

/**
 * The body of POST /v1/audio/speech. Fields that it does not name are passed on unchanged. Source: the OpenAI API, version 2.3.0.
 */
export const speechSchema = z.looseObject({
  ...modelField,
  input: z.string().min(1, 'it needs text to speak').describe('The text to speak.'),
  voice: z.string({ error: VOICE_ERROR }).min(1).max(100).describe('One of the voices of the model.'),
  response_format: z.enum(SPEECH_FORMATS).nullish().describe('The audio format. The default is `mp3`.'),
  speed: z.number().min(0.25).max(4).nullish().describe('1 is normal speed, 2 is twice as fast.'),
  instructions: z.string().max(4096).nullish().describe('How the text should be spoken, in words, if the model supports it.'),
  stream_format: z.enum(['audio', 'sse']).nullish().describe('The audio itself as it is generated, or events that carry it.'),
  ...refusedFields,
  background: separatelyBilledField(),
})

export type SpeechBody = z.infer<typeof speechSchema>
