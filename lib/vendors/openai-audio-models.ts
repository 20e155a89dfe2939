import type { ModelFacts } from '../domain/catalog.ts'
import type { Rates } from '../domain/price.ts'
import { dollars, type KnownModel } from './known-model.ts'

const WRITES_TIMES = ['json', 'text', 'srt', 'verbose_json', 'vtt']
const SPEAKS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer']

const hears = (name: string, formats: string[], capabilities: string[], rates: Rates): KnownModel => ({
  name,
  modality: 'transcription',
  facts: { formats },
  contextWindow: 16_000,
  maxOutput: 2000,
  imageTokens: 0,
  capabilities,
  rates,
})

const speaks = (name: string, facts: ModelFacts, capabilities: string[], rates: Rates): KnownModel => ({
  name,
  modality: 'speech',
  facts: { characters: 4096, formats: SPEAKS, ...facts },
  contextWindow: 2000,
  maxOutput: 16_384,
  imageTokens: 0,
  capabilities,
  rates,
})

/** Dollars per million: text tokens in, audio tokens in, text tokens out. */
const heard = (input: number, audio: number, output: number): Rates => ({
  input: dollars(input),
  audio_input: dollars(audio),
  output: dollars(output),
})

/** OpenAI's audio models with their list prices, as on its price page in 2025. Whisper costs 0.006 dollars per minute. */
export const OPENAI_AUDIO_MODELS: readonly KnownModel[] = [
  hears('whisper-1', WRITES_TIMES, [], { audio_second: dollars(100) }),
  hears('gpt-4o-transcribe', ['json'], ['streaming'], heard(2.5, 6, 10)),
  hears('gpt-4o-mini-transcribe', ['json'], ['streaming'], heard(1.25, 3, 5)),
  speaks('tts-1', { voices: VOICES }, [], { character: dollars(15) }),
  speaks('tts-1-hd', { voices: VOICES }, [], { character: dollars(30) }),
  speaks('gpt-4o-mini-tts', { voices: [...VOICES, 'ballad', 'verse', 'marin', 'cedar'] }, ['speech-events'], {
    input: dollars(0.6),
    audio_output: dollars(12),
  }),
]
