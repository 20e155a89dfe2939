import type { ModelFacts } from '../domain/catalog.ts'
import type { Rates } from '../domain/price.ts'
import { dollars, type KnownModel } from './known-model.ts'

const WHISPER_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt']
const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer']

const transcriptionModel = (name: string, formats: string[], capabilities: string[], rates: Rates): KnownModel => ({
  name,
  modality: 'transcription',
  facts: { formats },
  contextWindow: 16_000,
  maxOutput: 2000,
  imageTokens: 0,
  capabilities,
  rates,
})

const speechModel = (name: string, facts: ModelFacts, capabilities: string[], rates: Rates): KnownModel => ({
  name,
  modality: 'speech',
  facts: { characters: 4096, formats: SPEECH_FORMATS, ...facts },
  contextWindow: 2000,
  maxOutput: 16_384,
  imageTokens: 0,
  capabilities,
  rates,
})

/** Dollars per million: text tokens in, audio tokens in, text tokens out. */
const transcriptionRates = (input: number, audio: number, output: number): Rates => ({
  input: dollars(input),
  audio_input: dollars(audio),
  output: dollars(output),
})

/** OpenAI's audio models with their list prices, as on its price page in 2025. Whisper costs 0.006 dollars per minute. */
export const OPENAI_AUDIO_MODELS: readonly KnownModel[] = [
  transcriptionModel('whisper-1', WHISPER_FORMATS, [], { audio_second: dollars(100) }),
  transcriptionModel('gpt-4o-transcribe', ['json'], ['streaming'], transcriptionRates(2.5, 6, 10)),
  transcriptionModel('gpt-4o-mini-transcribe', ['json'], ['streaming'], transcriptionRates(1.25, 3, 5)),
  speechModel('tts-1', { voices: VOICES }, [], { character: dollars(15) }),
  speechModel('tts-1-hd', { voices: VOICES }, [], { character: dollars(30) }),
  speechModel('gpt-4o-mini-tts', { voices: [...VOICES, 'ballad', 'verse', 'marin', 'cedar'] }, ['speech-events'], {
    input: dollars(0.6),
    audio_output: dollars(12),
  }),
]
