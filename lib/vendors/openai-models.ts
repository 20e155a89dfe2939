import { dollars, type KnownModel } from './known-model.ts'
import { OPENAI_AUDIO_MODELS } from './openai-audio-models.ts'
import { OPENAI_IMAGE_MODELS } from './openai-image-models.ts'

/** Chat models that OpenAI's web search does not work with. */
const UNABLE_TO_SEARCH: ReadonlySet<string> = new Set(['gpt-4.1-nano'])

function entry(
  name: string,
  [contextWindow, maxOutput]: [number, number],
  [input, cached, output]: [number, number, number],
  capabilities: string[],
  imageTokens = 1600,
): KnownModel {
  return {
    name,
    contextWindow,
    maxOutput,
    imageTokens,
    capabilities,
    rates: { input: dollars(input), cached_input: dollars(cached), output: dollars(output) },
    fees: UNABLE_TO_SEARCH.has(name) ? {} : { web_search: dollars(10_000) },
  }
}

/** A model that searches the web for each request, which is billed besides its tokens. */
const searching = (name: string, prices: [number, number, number], request: number, capabilities: string[]): KnownModel => ({
  ...entry(name, [128_000, 16_384], prices, capabilities),
  fees: { request: dollars(request) },
})

const embedding = (name: string, input: number, dimensions: number, shortens: boolean): KnownModel => ({
  name,
  modality: 'embedding',
  facts: { dimensions, shortens, inputs: 2048 },
  contextWindow: 8192,
  maxOutput: 1,
  imageTokens: 0,
  capabilities: [],
  rates: { input: dollars(input) },
})

const CHAT = ['tools', 'vision', 'json']
const REASONING_CAPABILITIES = [...CHAT, 'hidden-reasoning']

/**
 * OpenAI's models with their list prices (input, cached input and output, in dollars per million tokens), as on its price page
 * in 2025. A later change is a new price version in the catalog. The mini and nano models of the 4o and 4.1 families count the
 * tokens of an image several times (OpenAI, "Images and vision").
 */
export const OPENAI_MODELS: readonly KnownModel[] = [
  entry('gpt-5', [400_000, 128_000], [1.25, 0.125, 10], REASONING_CAPABILITIES),
  entry('gpt-5-mini', [400_000, 128_000], [0.25, 0.025, 2], REASONING_CAPABILITIES, 3000),
  entry('gpt-5-nano', [400_000, 128_000], [0.05, 0.005, 0.4], REASONING_CAPABILITIES, 4500),
  entry('gpt-4.1', [1_047_576, 32_768], [2, 0.5, 8], CHAT),
  entry('gpt-4.1-mini', [1_047_576, 32_768], [0.4, 0.1, 1.6], CHAT, 3000),
  entry('gpt-4.1-nano', [1_047_576, 32_768], [0.1, 0.025, 0.4], CHAT, 4500),
  entry('gpt-4o', [128_000, 16_384], [2.5, 1.25, 10], CHAT),
  entry('gpt-4o-mini', [128_000, 16_384], [0.15, 0.075, 0.6], CHAT, 50_000),
  entry('o3', [200_000, 100_000], [2, 0.5, 8], REASONING_CAPABILITIES),
  entry('o4-mini', [200_000, 100_000], [1.1, 0.275, 4.4], REASONING_CAPABILITIES, 3000),
  searching('gpt-5-search-api', [1.25, 0.125, 10], 10_000, ['json', 'hidden-reasoning']),
  searching('gpt-4o-search-preview', [2.5, 2.5, 10], 25_000, ['json']),
  searching('gpt-4o-mini-search-preview', [0.15, 0.15, 0.6], 25_000, ['json']),
  embedding('text-embedding-3-small', 0.02, 1536, true),
  embedding('text-embedding-3-large', 0.13, 3072, true),
  embedding('text-embedding-ada-002', 0.1, 1536, false),
  {
    name: 'gpt-3.5-turbo-instruct',
    modality: 'completion',
    contextWindow: 4096,
    maxOutput: 4096,
    imageTokens: 0,
    capabilities: [],
    rates: { input: dollars(1.5), output: dollars(2) },
  },
  ...OPENAI_AUDIO_MODELS,
  ...OPENAI_IMAGE_MODELS,
]
