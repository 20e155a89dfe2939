import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { type Form, filesOf, type Upload } from '../../domain/form.ts'
import { modelField } from '../fields.ts'
import { fieldsOf } from '../form-fields.ts'
import { billedUnit, parseWith, refusedFields } from '../schema.ts'

export const TRANSCRIPTION_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const
export type TranscriptionFormat = (typeof TRANSCRIPTION_FORMATS)[number]

const temperature = z.number().min(0).max(1).optional().describe('How freely the model guesses where it did not hear well.')
const names = z.array(z.string()).max(100).optional()

/** The texts of the form of POST /v1/audio/transcriptions. What it does not name is passed on. Source: the OpenAI API, version 2.3.0. */
export const transcriptionSchema = z
  .looseObject({
    ...modelField,
    language: z.string().max(35).optional().describe('What is spoken, as a code such as `en`. It helps where it is known.'),
    prompt: z.string().optional().describe('Words that help to hear right: names, spellings, what was said before.'),
    response_format: z.enum(TRANSCRIPTION_FORMATS).optional().describe('JSON, plain text, or subtitles; `json` unless told.'),
    temperature,
    include: z
      .array(z.enum(['logprobs']))
      .optional()
      .describe('What else the answer says.'),
    timestamp_granularities: z
      .array(z.enum(['word', 'segment']))
      .optional()
      .describe('Of what `verbose_json` tells the times.'),
    stream: z.boolean().optional().describe('Whether the text comes in pieces, as server-sent events.'),
    known_speaker_names: names.describe('Who may be heard, where the model tells speakers apart.'),
    known_speaker_references: names.describe('A short sound of each of them, as a data: address, in the same order.'),
    languages: names.describe('Languages that may be spoken, where the model takes several.'),
    keywords: names.describe('Words that are likely to come, where the model takes them.'),
    ...refusedFields,
    background: billedUnit(),
  })
  .refine((fields) => fields.timestamp_granularities === undefined || fields.response_format === 'verbose_json', {
    path: ['timestamp_granularities'],
    error: 'it only goes with "response_format": "verbose_json"',
  })
  .refine((fields) => fields.stream !== true || !['srt', 'vtt', 'verbose_json'].includes(fields.response_format ?? 'json'), {
    path: ['response_format'],
    error: 'it cannot be streamed; ask for json, or leave "stream" out',
  })

export type TranscriptionFields = z.infer<typeof transcriptionSchema>

/** The texts of the form of POST /v1/audio/translations. What it does not name is passed on. Source: the OpenAI API, version 2.3.0. */
export const translationSchema = z.looseObject({
  ...modelField,
  prompt: z.string().optional().describe('English words that help to hear right: names, spellings, what was said before.'),
  response_format: z
    .enum(TRANSCRIPTION_FORMATS)
    .exclude(['diarized_json'])
    .optional()
    .describe('JSON, plain text, or subtitles; `json` by default.'),
  temperature,
  stream: z.literal(false, 'translations are not streamed. Leave it out').optional().describe('Translations come whole.'),
  ...refusedFields,
  background: billedUnit(),
})

/** A request that was read: what its texts mean, its sound, and all of it as it came. */
export interface TranscriptionInput {
  fields: TranscriptionFields
  file: Upload
  form: Form
}

/** A form has texts only: which of them are something else. */
const KINDS = {
  numbers: ['temperature'],
  switches: ['stream'],
  lists: ['include', 'timestamp_granularities', 'known_speaker_names', 'known_speaker_references', 'languages', 'keywords'],
}

/** Reads a form whose texts are these. Throws the 400 that names the field at fault. */
export function readTranscriptionForm(
  form: Form,
  schema: typeof transcriptionSchema | typeof translationSchema,
): TranscriptionInput {
  const fields: TranscriptionFields = parseWith(schema, fieldsOf(form, KINDS))
  const [file] = filesOf(form, 'file')
  if (!file) throw new Refusal('invalid_request', 'There is no "file". Send the sound as a file of that name.', { param: 'file' })
  return { fields, file, form }
}
