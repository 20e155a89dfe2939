import { z } from 'zod'
import type { Answers } from '../endpoint.ts'

const count = z.number().int().min(0)
const seconds = z.number().min(0)
const cost = z.number().min(0)

const tokens = z.looseObject({
  type: z.literal('tokens'),
  input_tokens: count,
  input_token_details: z.looseObject({ text_tokens: count, audio_tokens: count }),
  output_tokens: count,
  total_tokens: count,
  cost,
})

const usage = z
  .discriminatedUnion('type', [z.looseObject({ type: z.literal('duration'), seconds, cost }), tokens])
  .meta({ id: 'TranscriptionUsage', description: 'The usage, in the unit in which the model is billed, and its cost.' })

const streamedUsage = tokens
  .extend({ seconds: seconds.optional().describe('For a model that is billed by the second. Its token counts are 0.') })
  .meta({ id: 'StreamedTranscriptionUsage', description: 'The usage and its cost.' })

const transcription = z
  .looseObject({
    text: z.string(),
    language: z.string().optional(),
    duration: seconds.optional(),
    segments: z.array(z.looseObject({ start: seconds, end: seconds, text: z.string() })).optional(),
    words: z.array(z.looseObject({ word: z.string(), start: seconds, end: seconds })).optional(),
    usage,
  })
  .meta({ id: 'Transcription' })

const event = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() }),
    z.looseObject({ type: z.literal('transcript.text.segment'), start: seconds, end: seconds, text: z.string() }),
    z.looseObject({ type: z.literal('transcript.text.done'), text: z.string(), usage: streamedUsage }),
  ])
  .meta({ id: 'TranscriptionEvent' })

/** The answers to a request for a translation. */
export const TRANSLATION_ANSWERS: Answers = {
  'application/json': transcription,
  'text/plain': z.string().describe('The text, or subtitles in SubRip format.'),
  'text/vtt': z.string(),
}

/** The answers to a request for a transcription. */
export const TRANSCRIPTION_ANSWERS: Answers = { ...TRANSLATION_ANSWERS, 'text/event-stream': event }
