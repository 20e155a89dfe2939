import { redactMedia } from './chat/media.ts'
import type { Bound, PaidEndpoint } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import { mediaNote } from './media-note.ts'
import { TRANSCRIPTION_ANSWERS } from './transcription/answer.ts'
import { readTranscriptionForm, type TranscriptionInput, transcriptionSchema } from './transcription/schema.ts'
import { TranscriptionTap, WholeTranscriptionTap } from './transcription/tap.ts'
import { likelyTranscriptionTokens } from './transcription/usage.ts'
import { readWholeTranscription } from './transcription/whole.ts'
import { outgoingForm, prepareTranscription, type TranscriptionWork, textOf } from './transcription/work.ts'

const MAX_FILE_BYTES = 100 * 1024 * 1024

/** POST /v1/audio/transcriptions. Specification 4.6; OpenAI API 2.3.0. */
export const transcriptions: PaidEndpoint<TranscriptionInput, TranscriptionWork> = {
  kind: 'paid',
  name: 'audio.transcriptions',
  method: 'POST',
  docs: {
    summary: 'Create a transcription',
    description:
      'A model that is billed by the second is billed for the length of the audio, measured from the file itself. Every model can be streamed. If a model does not stream, the stream has a single delta.',
    answers: TRANSCRIPTION_ANSWERS,
  },
  modalities: ['transcription'],
  body: { kind: 'form', files: { file: { most: 1, least: 1, maxBytes: MAX_FILE_BYTES, types: ['audio/*'] } } },
  request: transcriptionSchema,
  parse: (form) => readTranscriptionForm(form as never, transcriptionSchema),
  modelOf: ({ fields }) => fields.model,
  streamed: ({ fields }) => fields.stream === true,
  runsOn: () => true,
  prepare: prepareTranscription,

  bound({ known, most }, _ports, _price, _multiplierBp, _freeNano, overhead): Bound {
    return { cap: 0, choices: 1, usage: known ?? { ...most, input: most.input + BigInt(overhead) } }
  },

  text: ({ input }) => textOf(input.fields),

  async estimate({ input, seconds, known, most }, countTokens, output) {
    if (known) return { usage: known, exact: true }
    const [asked, said] = await Promise.all([countTokens(textOf(input.fields)), countTokens(output())])
    return { usage: likelyTranscriptionTokens(seconds, asked, said, most), exact: false }
  },

  forms: [
    {
      wire: 'openai.transcriptions',
      ask: (work) => ({ form: outgoingForm(work) }),
      whole: (bytes, work) => readWholeTranscription(bytes, work),
      tap: (work, { type }) => (type === 'text/event-stream' ? new TranscriptionTap(work) : new WholeTranscriptionTap(work)),
    },
  ],
  // The samples of known speakers are in text fields, as data: URLs.
  redact: ({ fields, file }): JsonObject => ({
    ...(redactMedia(fields) as JsonObject),
    file: `${file.filename} ${mediaNote(file.type, file.bytes, file.sha256)}`,
  }),
}
