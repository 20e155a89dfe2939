import { redactMedia } from './chat/media.ts'
import type { Bound, PaidEndpoint } from './endpoint.ts'
import type { JsonObject } from './json.ts'
import { mediaNote } from './media-note.ts'
import { TRANSCRIPTION_ANSWERS } from './transcription/answer.ts'
import { readNonStreamingTranscription } from './transcription/non-streaming.ts'
import { outgoingForm, type PreparedTranscription, prepareTranscription, textOf } from './transcription/prepare.ts'
import { readTranscriptionForm, type TranscriptionInput, transcriptionSchema } from './transcription/schema.ts'
import { NonStreamingTranscriptionTap, TranscriptionTap } from './transcription/tap.ts'
import { estimateTranscriptionUsage } from './transcription/usage.ts'

const MAX_FILE_BYTES = 100 * 1024 * 1024

/** POST /v1/audio/transcriptions. Specification 4.6; OpenAI API 2.3.0. */
export const transcriptions: PaidEndpoint<TranscriptionInput, PreparedTranscription> = {
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
  body: { kind: 'form', files: { file: { maxCount: 1, minCount: 1, maxBytes: MAX_FILE_BYTES, types: ['audio/*'] } } },
  request: transcriptionSchema,
  parse: (form) => readTranscriptionForm(form as never, transcriptionSchema),
  modelOf: ({ fields }) => fields.model,
  isStreamed: ({ fields }) => fields.stream === true,
  continuesAfterDisconnect: () => true,
  prepare: prepareTranscription,

  bound({ known, maxUsage }, _ports, _price, _multiplierBp, _freeNano, overhead): Bound {
    return { cap: 0, choices: 1, usage: known ?? { ...maxUsage, input: maxUsage.input + BigInt(overhead) } }
  },

  text: ({ input }) => textOf(input.fields),

  async estimate({ input, seconds, known, maxUsage }, countTokens, output) {
    if (known) return { usage: known, exact: true }
    const [inputTokens, outputTokens] = await Promise.all([countTokens(textOf(input.fields)), countTokens(output())])
    return { usage: estimateTranscriptionUsage(seconds, inputTokens, outputTokens, maxUsage), exact: false }
  },

  forms: [
    {
      wire: 'openai.transcriptions',
      ask: (work) => ({ form: outgoingForm(work) }),
      readNonStreaming: (bytes, work) => readNonStreamingTranscription(bytes, work),
      createTap: (work, { type }) =>
        type === 'text/event-stream' ? new TranscriptionTap(work) : new NonStreamingTranscriptionTap(work),
    },
  ],
  // The samples of known speakers are in text fields, as data: URLs.
  redact: ({ fields, file }): JsonObject => ({
    ...(redactMedia(fields) as JsonObject),
    file: `${file.filename} ${mediaNote(file.type, file.bytes, file.sha256)}`,
  }),
}
