import { z } from 'zod'
import { Refusal } from '../domain/errors.ts'
import { type Form, filesOf, type Upload } from '../domain/form.ts'
import { fieldsOf } from './form-fields.ts'
import { billedUnit, parseWith, refusedFields } from './schema.ts'

export const TRANSCRIPTION_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const
export type TranscriptionFormat = (typeof TRANSCRIPTION_FORMATS)[number]

const names = z.array(z.string()).max(100).optional()

/** The texts of the form of POST /v1/audio/transcriptions. What it does not name is passed on. Source: the OpenAI API, version 2.3.0. */
export const transcriptionSchema = z
  .looseObject({
    model: z.string().min(1).max(200),
    language: z.string().max(35).optional(),
    prompt: z.string().optional(),
    response_format: z.enum(TRANSCRIPTION_FORMATS).optional(),
    temperature: z.number().min(0).max(1).optional(),
    include: z.array(z.enum(['logprobs'])).optional(),
    timestamp_granularities: z.array(z.enum(['word', 'segment'])).optional(),
    stream: z.boolean().optional(),
    known_speaker_names: names,
    known_speaker_references: names,
    languages: names,
    keywords: names,
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

/** Reads a form. Throws the 400 that names the field at fault. */
export function readTranscriptionForm(form: Form): TranscriptionInput {
  const fields = parseWith(transcriptionSchema, fieldsOf(form, KINDS))
  const [file] = filesOf(form, 'file')
  if (!file) throw new Refusal('invalid_request', 'There is no "file". Send the sound as a file of that name.', { param: 'file' })
  return { fields, file, form }
}
