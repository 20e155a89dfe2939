import { answerChat } from './sandbox/answer-chat.ts'
import { answerEmbeddings } from './sandbox/answer-embeddings.ts'
import { answerImages } from './sandbox/answer-images.ts'
import { answerSpeech } from './sandbox/answer-speech.ts'
import { answerTranscriptions } from './sandbox/answer-transcriptions.ts'
import type { SandboxOptions } from './sandbox/options.ts'
import { sandboxVideos } from './sandbox/videos.ts'
import type { Vendor } from './vendor.ts'

/** The simulated vendor. It answers in OpenAI's wires, and makes videos: the same for the same request but for the time. */
export function sandbox(options: SandboxOptions = {}): Vendor {
  return {
    forward: {
      'openai.chat': answerChat(options),
      'openai.embeddings': answerEmbeddings(options),
      'openai.images': answerImages('image_generation', options),
      'openai.image-edits': answerImages('image_edit', options),
      'openai.speech': answerSpeech(options),
      'openai.transcriptions': answerTranscriptions(options),
    },
    videos: sandboxVideos(options),
    inputOverhead: 0,
    simulated: true,
  }
}
