import type { CatalogModel } from '../../domain/catalog.ts'
import { type Rates, rateOf } from '../../domain/price.ts'
import { imageUnit, type MediaUnit, mediaUsage, NO_USAGE, type Usage } from '../../domain/usage.ts'
import { mostTokensOf } from '../token-bound.ts'
import type { ImageChoice } from './choice.ts'

/** The tokens that each partial image adds. Source: OpenAI, "Image generation". */
const PARTIAL_TOKENS = 100

/** Whether a price counts images rather than tokens. */
export const pricedByImage = (rates: Rates): boolean =>
  Object.keys(rates).some((unit) => unit === 'image' || unit.startsWith('image:'))

/** The sizes or qualities that an answer can have. If the model chooses, it can be any that the model lists. */
function possible(asked: string | null, listed: readonly string[] | undefined): (string | null)[] {
  if (asked !== null && asked !== 'auto') return [asked]
  const own = (listed ?? []).filter((word) => word !== 'auto')
  return own.length > 0 ? own : [null]
}

/** The units under which an image may be billed. If the model chooses, it can be any that the model lists. */
export function unitsOf({ size, quality }: ImageChoice, { facts }: CatalogModel): MediaUnit[] {
  return possible(size, facts.sizes).flatMap((wide) =>
    possible(quality, facts.qualities).map((good): MediaUnit => (wide === null ? 'image' : imageUnit(wide, good))),
  )
}

/**
 * The unit under which an image is billed: that of the requested size and quality. If the model chose them, it is that of the
 * ones its answer names, or the most expensive possible one if it names none. Throws UnpricedUnitError.
 */
export function billedUnit(
  choice: ImageChoice,
  model: CatalogModel,
  rates: Rates,
  named: { size: string | null; quality: string | null } = { size: null, quality: null },
): MediaUnit {
  const chosen = (asked: string | null, said: string | null) => (asked === null || asked === 'auto' ? (said ?? asked) : asked)
  const units = unitsOf(choice, model)
  const answered = unitsOf(
    { ...choice, size: chosen(choice.size, named.size), quality: chosen(choice.quality, named.quality) },
    model,
  ).filter((unit) => units.includes(unit))
  return (answered.length > 0 ? answered : units).reduce((a, b) => (rateOf(rates, a) >= rateOf(rates, b) ? a : b))
}

/** The most output tokens that one image can have. */
function tokensOfImage(choice: ImageChoice, { facts, maxOutput }: CatalogModel): number {
  const counts = possible(choice.size, facts.sizes).flatMap((wide) =>
    possible(choice.quality, facts.qualities).map((good) => facts.outputTokens?.[`${wide}:${good}`] ?? maxOutput),
  )
  return Math.max(...counts) + choice.partials * PARTIAL_TOKENS
}

/** What a request contains that is billed as input. */
export interface ImageInput {
  prompt: string
  /** The number of images that came with it, masks included. */
  images: number
}

/**
 * The most that this number of images can use, in images or in tokens, whichever the price counts. The input may be billed again
 * for each image. Throws UnpricedUnitError.
 */
export function mostOf(
  images: number,
  input: ImageInput,
  choice: ImageChoice,
  model: CatalogModel,
  rates: Rates,
  overhead: number,
): Usage {
  if (pricedByImage(rates)) return mediaUsage({ [billedUnit(choice, model, rates)]: BigInt(images) })
  const text = mostTokensOf(input.prompt) + overhead
  return {
    ...NO_USAGE,
    input: BigInt(text * images),
    requests: 1n,
    media: {
      ...(input.images > 0 ? { image_input: BigInt(input.images * model.imageTokens * images) } : {}),
      image_output: BigInt(tokensOfImage(choice, model) * images),
    },
  }
}
