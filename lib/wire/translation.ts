import type { PaidEndpoint } from './endpoint.ts'
import { TRANSLATION_ANSWERS } from './transcription/answer.ts'
import { readNonStreamingTranscription } from './transcription/non-streaming.ts'
import { outgoingForm, type PreparedTranscription, prepareTranscription } from './transcription/prepare.ts'
import { readTranscriptionForm, TRANSLATION_FORMATS, type TranscriptionInput, translationSchema } from './transcription/schema.ts'
import { transcriptions } from './transcription.ts'

/**
 * POST /v1/audio/translations: a transcription whose text is English, whatever language was spoken. It is measured, held for and
 * billed in the same way. OpenAI API 2.3.0.
 */
export const translations: PaidEndpoint<TranscriptionInput, PreparedTranscription> = {
  ...transcriptions,
  name: 'audio.translations',
  docs: {
    summary: 'Translate speech into English text',
    description:
      'Billed as transcriptions are. Not every model that transcribes also translates: OpenAI’s `whisper-1` and multilingual Whisper models do, but Whisper’s turbo models were not trained for it.',
    answers: TRANSLATION_ANSWERS,
  },
  request: translationSchema,
  parse: (form) => readTranscriptionForm(form as never, translationSchema),
  isStreamed: () => false,
  prepare: (input, ports) => prepareTranscription(input, ports, TRANSLATION_FORMATS),
  mayBeUnsupported: true,
  forms: [
    {
      wire: 'openai.translations',
      ask: (work) => ({ form: outgoingForm(work) }),
      readNonStreaming: (bytes, work) => readNonStreamingTranscription(bytes, work, 'english'),
    },
  ],
}
