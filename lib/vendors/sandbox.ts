import { answerChat } from './sandbox/answer-chat.ts'
import { answerEmbeddings } from './sandbox/answer-embeddings.ts'
import { answerImages } from './sandbox/answer-images.ts'
import { answerSpeech } from './sandbox/answer-speech.ts'
import { answerTranscriptions } from './sandbox/answer-transcriptions.ts'
import type { SandboxOptions } from './sandbox/options.ts'
import { sandboxVideos } from './sandbox/videos.ts'
import type { Forward, Vendor } from './vendor.ts'

/** Reports each call as sent at once, because there is no network on the way to the sandbox. */
const heard =
  (answer: Forward): Forward =>
  (call) => {
    call.sending()
    return answer(call)
  }

/** Makes the simulated vendor, with OpenAI's wires and videos. The same request gets the same answer, except for the time. */
export function sandbox(options: SandboxOptions = {}): Vendor {
  return {
    forward: {
      'openai.chat': heard(answerChat(options)),
      'openai.embeddings': heard(answerEmbeddings(options)),
      'openai.images': heard(answerImages('image_generation', options)),
      'openai.image-edits': heard(answerImages('image_edit', options)),
      'openai.speech': heard(answerSpeech(options)),
      'openai.transcriptions': heard(answerTranscriptions('transcribe', options)),
      'openai.translations': heard(answerTranscriptions('translate', options)),
    },
    videos: sandboxVideos(options),
    inputOverhead: 0,
    simulated: true,
  }
}
