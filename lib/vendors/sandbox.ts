import { answerChat } from './sandbox/answer-chat.ts'
import { answerEmbeddings } from './sandbox/answer-embeddings.ts'
import { answerImages } from './sandbox/answer-images.ts'
import { answerSpeech } from './sandbox/answer-speech.ts'
import { answerTranscriptions } from './sandbox/answer-transcriptions.ts'
import type { SandboxOptions } from './sandbox/options.ts'
import { createSandboxVideos } from './sandbox/videos.ts'
import type { Forward, Vendor } from './vendor.ts'

/** Reports each call as sent at once, because there is no network on the way to the sandbox. */
const reportSentAtOnce =
  (answer: Forward): Forward =>
  (call) => {
    call.onSent()
    return answer(call)
  }

/** Makes the simulated vendor, with OpenAI's wires and videos. The same request gets the same answer, except for the time and ids. */
export function createSandbox(options: SandboxOptions = {}): Vendor {
  return {
    forward: {
      'openai.chat': reportSentAtOnce(answerChat(options)),
      'openai.embeddings': reportSentAtOnce(answerEmbeddings(options)),
      'openai.images': reportSentAtOnce(answerImages('image_generation', options)),
      'openai.image-edits': reportSentAtOnce(answerImages('image_edit', options)),
      'openai.speech': reportSentAtOnce(answerSpeech(options)),
      'openai.transcriptions': reportSentAtOnce(answerTranscriptions('transcribe', options)),
      'openai.translations': reportSentAtOnce(answerTranscriptions('translate', options)),
    },
    videos: createSandboxVideos(options),
    inputOverhead: 0,
    simulated: true,
  }
}
