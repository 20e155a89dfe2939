import { MAX_DIMENSIONS } from './embed.ts'
import { SPEECH_FORMATS } from './encode-speech.ts'
import { IMAGE_MODELS } from './image-models.ts'
import type { SandboxModel } from './model.ts'
import { TOKENS_PER_IMAGE } from './usage.ts'

const chat = (id: string, description: string): SandboxModel => ({
  id,
  upstreamModel: id,
  modality: 'chat',
  facts: {},
  contextWindow: 131_072,
  maxOutput: 16_384,
  imageTokens: TOKENS_PER_IMAGE,
  capabilities: ['streaming', 'vision', 'audio', 'files', 'tools', 'structured_output'],
  rates: { input: 100_000_000n, cached_input: 25_000_000n, output: 400_000_000n },
  description,
})

/** Audio models like OpenAI's, with made-up prices. */
const AUDIO: readonly SandboxModel[] = [
  {
    ...chat(
      'sandbox/speech',
      'A simulated voice: it speaks your text in tones, for as long as it takes to say, with a voice for every name.',
    ),
    modality: 'speech',
    facts: { characters: 4096, formats: Object.keys(SPEECH_FORMATS) },
    capabilities: ['speech-events'],
    rates: { character: 10_000_000_000n },
  },
  {
    ...chat('sandbox/transcribe', 'A simulated ear: its text is made up, and its times are those of your file.'),
    modality: 'transcription',
    facts: { formats: ['json', 'text', 'srt', 'verbose_json', 'vtt'] },
    capabilities: ['streaming'],
    rates: { audio_second: 50_000_000_000n },
  },
]

const embed: SandboxModel = {
  id: 'sandbox/embed',
  upstreamModel: 'sandbox/embed',
  modality: 'embedding',
  facts: { dimensions: MAX_DIMENSIONS, shortens: true, inputs: 2048 },
  contextWindow: 8192,
  maxOutput: 1,
  imageTokens: 0,
  capabilities: [],
  rates: { input: 20_000_000n },
  description: 'A simulated embedding model: texts that share words and parts of words are near each other.',
}

/** A video model that costs one cent per second. */
const video = (id: string, description: string): SandboxModel => ({
  id,
  upstreamModel: id,
  modality: 'video',
  facts: { durations: [5, 10, 15, 20] },
  contextWindow: 8_192,
  maxOutput: 1,
  imageTokens: 0,
  capabilities: [],
  rates: { video_second: 10_000_000_000_000n },
  description,
})

/** What the catalog lists for a sandbox connection: for each kind of request, models that answer and models made to fail. */
export const SANDBOX_MODELS: readonly SandboxModel[] = [
  chat(
    'sandbox/chat',
    'A simulated chat model: it quotes you, calls your tools and fills your JSON schemas, and no vendor is called.',
  ),
  embed,
  chat('sandbox/error-429', 'Always refuses with 429 and "retry-after: 2", to try out how you handle rate limits.'),
  chat('sandbox/error-500', 'Always fails with 500, to try out how you handle a vendor’s errors.'),
  chat('sandbox/error-503', 'Always refuses with 503 and "retry-after: 5", to try out how you handle an overloaded vendor.'),
  chat('sandbox/error-slow', 'Answers like sandbox/chat, but only after 30 seconds, to try out your timeouts.'),
  chat('sandbox/error-disconnect', 'Loses the connection in the middle of the answer, to try out how you handle cut streams.'),
  chat('sandbox/error-malformed', 'Answers with something that is not JSON, to try out how you handle broken answers.'),
  ...IMAGE_MODELS,
  video('sandbox/video', 'Makes simulated videos in portrait, which show the prompt and the time.'),
  video('sandbox/video-landscape', 'Makes simulated videos in landscape, which show the prompt and the time.'),
  video('sandbox/error-video', 'Begins every video and finishes none: it fails, to try out how you handle that.'),
  video('sandbox/error-video-stuck', 'Begins every video and never finishes it, to try out your timeouts, and cancelling.'),
  ...AUDIO,
]
