import type { ModelFacts } from '../../domain/catalog.ts'
import { dollars } from '../known-model.ts'
import type { SandboxModel } from './model.ts'

/** Nano-dollars per million images, from dollars per image. */
const each = (amount: number): bigint => dollars(amount * 1_000_000)

/** An image model. `prices` are dollars per image, by unit. */
const image = (
  id: string,
  description: string,
  facts: ModelFacts,
  capabilities: string[],
  prices: Record<string, number>,
): SandboxModel => ({
  id,
  upstreamModel: id,
  modality: 'image',
  facts: { formats: ['png', 'jpeg', 'webp'], characters: 4000, inputs: 1, ...facts },
  contextWindow: 32_768,
  maxOutput: 8192,
  imageTokens: 1024,
  capabilities: ['base64-only', ...capabilities],
  rates: Object.fromEntries(Object.entries(prices).map(([unit, amount]) => [unit, each(amount)])),
  description,
})

/** The three families of sizes and qualities that image models come in. */
const FAMILY_A = { sizes: ['1024x1024', '1792x1024', '1024x1792'], qualities: ['standard', 'hd'], images: 1 }
const FAMILY_B = { sizes: ['1024x1024', '512x512', '256x256'], qualities: ['standard'], images: 10 }
const FAMILY_C = { sizes: ['1024x1024', '1536x1024', '1024x1536'], qualities: ['standard', 'hd'], images: 10, inputs: 16 }

/** One model for each family, and one that exists to fail. */
export const IMAGE_MODELS: readonly SandboxModel[] = [
  image(
    'sandbox/image',
    'A simulated image model: it draws your prompt, edits images, and streams them while they grow.',
    FAMILY_C,
    ['edits', 'streaming'],
    {
      'image:1024x1024': 0.01,
      'image:1024x1024:hd': 0.02,
      'image:1536x1024': 0.015,
      'image:1536x1024:hd': 0.03,
      'image:1024x1536': 0.015,
      'image:1024x1536:hd': 0.03,
    },
  ),
  image(
    'sandbox/image-wide',
    'Like sandbox/image, one image at a time, in wide and tall formats, without editing.',
    FAMILY_A,
    [],
    {
      'image:1024x1024': 0.01,
      'image:1024x1024:hd': 0.02,
      'image:1792x1024': 0.02,
      'image:1792x1024:hd': 0.03,
      'image:1024x1792': 0.02,
      'image:1024x1792:hd': 0.03,
    },
  ),
  image('sandbox/image-small', 'Like sandbox/image, for small images, and it edits one at a time.', FAMILY_B, ['edits'], {
    'image:1024x1024': 0.01,
    'image:512x512': 0.008,
    'image:256x256': 0.006,
  }),
  image(
    'sandbox/image-error',
    'Always fails to make an image, to try out how you handle that.',
    FAMILY_C,
    ['edits', 'streaming'],
    {
      image: 0.01,
    },
  ),
]
