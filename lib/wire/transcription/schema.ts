import { z } from 'zod'
import { refuseField } from '../../domain/errors.ts'
import { type Form, filesOf, type Upload } from '../../domain/form.ts'
import { modelField } from '../fields.ts'
import { parseFormFields } from '../form-fields.ts'
import { parseWith, refusedFields, separatelyBilledField, uploadOnlyField, vendorStateField } from '../schema.ts'

export const TRANSCRIPTION_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const
export type TranscriptionFormat = (typeof TRANSCRIPTION_FORMATS)[number]
/** A translation does not tell speakers apart. */
export const TRANSLATION_FORMATS = [
  'json',
  'text',
  'srt',
  'verbose_json',
  'vtt',
] as const satisfies readonly TranscriptionFormat[]
const otherSources = { url: uploadOnlyField('file'), file_id: vendorStateField() }

const temperature = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe('How freely the model guesses at words that it did not hear well.')
const names = z.array(z.string()).max(100).optional()

/**
 * The texts of the form of POST /v1/audio/transcriptions. Fields that it does not name are passed on. Source: the OpenAI API,
 * version 2.3.0.
 */
export const transcriptionSchema = z
  .looseObject({
    ...modelField,
    language: z
      .string()
      .max(35)
      .optional()
      .describe('The language that is spoken, as a code such as `en`. It improves the result if you know it.'),
    prompt: z.string().optional().describe('Words that help with recognition: names, spellings, what was said before.'),
    response_format: z.enum(TRANSCRIPTION_FORMATS).optional().describe('JSON, plain text or subtitles. The default is `json`.'),
    temperature,
    include: z
      .array(z.enum(['logprobs']))
      .optional()
      .describe('What else to include in the response.'),
    timestamp_granularities: z
      .array(z.enum(['word', 'segment']))
      .optional()
      .describe('What `verbose_json` gives timestamps for.'),
    stream: z.boolean().optional().describe('Whether to stream the text as server-sent events.'),
    known_speaker_names: names.describe('Names of speakers who may be heard, if the model distinguishes speakers.'),
    known_speaker_references: names.describe('A short audio sample of each speaker, as a data: URL, in the same order.'),
    languages: names.describe('Languages that may be spoken, if the model accepts several.'),
    keywords: names.describe('Words that are likely to occur, if the model accepts them.'),
    ...refusedFields,
    ...otherSources,
    background: separatelyBilledField(),
  })
  .refine((fields) => fields.timestamp_granularities === undefined || fields.response_format === 'verbose_json', {
    path: ['timestamp_granularities'],
    error: 'it requires "response_format": "verbose_json"',
  })
  .refine((fields) => fields.stream !== true || !['srt', 'vtt', 'verbose_json'].includes(fields.response_format ?? 'json'), {
    path: ['response_format'],
    error: 'it cannot be streamed; ask for json, or leave "stream" out',
  })

export type TranscriptionFields = z.infer<typeof transcriptionSchema>

/**
 * The texts of the form of POST /v1/audio/translations. Fields that it does not name are passed on. Source: the OpenAI API,
 * version 2.3.0.
 */
export const translationSchema = z.looseObject({
  ...modelField,
  prompt: z.string().optional().describe('English words that help with recognition: names, spellings, what was said before.'),
  response_format: z.enum(TRANSLATION_FORMATS).optional().describe('JSON, plain text or subtitles. The default is `json`.'),
  temperature,
  stream: z.literal(false, 'translations are not streamed. Leave it out').optional().describe('Translations come whole.'),
  ...refusedFields,
  ...otherSources,
  background: separatelyBilledField(),
})

/** A request that was read: its fields, its sound, and the whole form as it arrived. */
export interface TranscriptionInput {
  fields: TranscriptionFields
  file: Upload
  form: Form
}

/** A form has only texts. These are the ones that stand for something else. */
const FIELD_KINDS = {
  numbers: ['temperature'],
  switches: ['stream'],
  lists: ['include', 'timestamp_granularities', 'known_speaker_names', 'known_speaker_references', 'languages', 'keywords'],
}

/** Reads a form with the fields of a schema. Throws the 400 that names the invalid field. */
export function readTranscriptionForm(
  form: Form,
  schema: typeof transcriptionSchema | typeof translationSchema,
): TranscriptionInput {
  const fields: TranscriptionFields = parseWith(schema, parseFormFields(form, FIELD_KINDS))
  const [file] = filesOf(form, 'file')
  if (!file) throw refuseField('file', 'There is no "file". Send the audio as a file with that name.')
  return { fields, file, form }
}
