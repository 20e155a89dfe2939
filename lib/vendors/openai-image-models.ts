import type { ModelFacts } from '../domain/catalog.ts'
import type { MediaUnit } from '../domain/usage.ts'
import { dollars, type KnownModel } from './known-model.ts'

/** A model that is billed per image. `prices` are dollars per image; the rates are named like their units. */
function byImage(name: string, facts: ModelFacts, capabilities: string[], prices: { [unit in MediaUnit]?: number }): KnownModel {
  const rates = Object.entries(prices).map(([unit, price]) => [unit, dollars((price ?? 0) * 1_000_000)])
  return { ...IMAGE, name, facts: { formats: ['png'], ...facts }, capabilities, rates: Object.fromEntries(rates) }
}

/** A model that is billed per token. Dollars per million tokens: text, cached text, input images, output images. */
function byToken(
  name: string,
  facts: ModelFacts,
  maxOutput: number,
  [text, cached, imageInput, imageOutput]: [number, number, number, number],
): KnownModel {
  return {
    ...IMAGE,
    name,
    facts: { ...GPT_IMAGE_FACTS, ...facts },
    maxOutput,
    capabilities: ['edits', 'streaming', 'base64-only'],
    rates: {
      input: dollars(text),
      cached_input: dollars(cached),
      image_input: dollars(imageInput),
      image_output: dollars(imageOutput),
    },
  }
}

/** An input image costs 65 tokens, 129 for each of a few tiles, and up to 6,240 more with high input fidelity. */
const IMAGE = { modality: 'image', contextWindow: 65_536, maxOutput: 8192, imageTokens: 8192 }

const GPT_IMAGE_FACTS: ModelFacts = {
  sizes: ['auto', '1024x1024', '1536x1024', '1024x1536'],
  qualities: ['auto', 'low', 'medium', 'high'],
  images: 10,
  inputs: 16,
  characters: 32_000,
  formats: ['png', 'jpeg', 'webp'],
}

/** Output tokens by size and quality (OpenAI, "Image generation"). */
const GPT_IMAGE_1_TOKENS = {
  '1024x1024:low': 272,
  '1024x1536:low': 408,
  '1536x1024:low': 400,
  '1024x1024:medium': 1056,
  '1024x1536:medium': 1584,
  '1536x1024:medium': 1568,
  '1024x1024:high': 4160,
  '1024x1536:high': 6240,
  '1536x1024:high': 6208,
}

/**
 * OpenAI's image models with their list prices, as on its price page in 2025: the three families in the specification's
 * table of sizes.
 */
export const OPENAI_IMAGE_MODELS: readonly KnownModel[] = [
  byImage(
    'dall-e-3',
    { sizes: ['1024x1024', '1792x1024', '1024x1792'], qualities: ['standard', 'hd'], images: 1, characters: 4000 },
    [],
    {
      'image:1024x1024': 0.04,
      'image:1792x1024': 0.08,
      'image:1024x1792': 0.08,
      'image:1024x1024:hd': 0.08,
      'image:1792x1024:hd': 0.12,
      'image:1024x1792:hd': 0.12,
    },
  ),
  byImage(
    'dall-e-2',
    { sizes: ['1024x1024', '512x512', '256x256'], qualities: ['standard'], images: 10, inputs: 1, characters: 1000 },
    ['edits'],
    { 'image:1024x1024': 0.02, 'image:512x512': 0.018, 'image:256x256': 0.016 },
  ),
  byToken('gpt-image-1', { outputTokens: GPT_IMAGE_1_TOKENS }, 6240, [5, 1.25, 10, 40]),
  // Its images have other token counts, which are published only as dollar prices. So the hold covers the maximum.
  byToken('gpt-image-1-mini', {}, 8192, [2, 0.2, 2.5, 8]),
]
