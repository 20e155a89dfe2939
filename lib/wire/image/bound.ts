import type { CatalogModel } from '../../domain/catalog.ts'
import { type Rates, rateOf } from '../../domain/price.ts'
import { imageUnit, type MediaUnit, mediaUsage, NO_USAGE, type Usage } from '../../domain/usage.ts'
import { maxTokensOf } from '../token-bound.ts'
import type { ImageChoice } from './choice.ts'

/** The tokens that each partial image adds. Source: OpenAI, "Image generation". */
const PARTIAL_TOKENS = 100

/** Whether a price counts images rather than tokens. */
export const isPricedByImage = (rates: Rates): boolean =>
  Object.keys(rates).some((unit) => unit === 'image' || unit.startsWith('image:'))

/** The sizes or qualities that an answer can have. If the model chooses, it can be any that the model lists. */
function possibleValues(asked: string | null, listed: readonly string[] | undefined): (string | null)[] {
  if (asked !== null && asked !== 'auto') return [asked]
  const own = (listed ?? []).filter((word) => word !== 'auto')
  return own.length > 0 ? own : [null]
}

/** The units under which an image may be billed. If the model chooses, it can be any that the model lists. */
export function possibleUnitsOf({ size, quality }: ImageChoice, { facts }: CatalogModel): MediaUnit[] {
  return possibleValues(size, facts.sizes).flatMap((sizeValue) =>
    possibleValues(quality, facts.qualities).map(
      (qualityValue): MediaUnit => (sizeValue === null ? 'image' : imageUnit(sizeValue, qualityValue)),
    ),
  )
}

/**
 * The unit under which an image is billed: that of the requested size and quality. If the model chose them, it is that of the
 * ones its answer names, or the most expensive possible one if it names none. Throws UnpricedUnitError.
 */
export function billedImageUnit(
  choice: ImageChoice,
  model: CatalogModel,
  rates: Rates,
  reported: { size: string | null; quality: string | null } = { size: null, quality: null },
): MediaUnit {
  const resolveAuto = (asked: string | null, reportedValue: string | null) =>
    asked === null || asked === 'auto' ? (reportedValue ?? asked) : asked
  const units = possibleUnitsOf(choice, model)
  const reportedUnits = possibleUnitsOf(
    { ...choice, size: resolveAuto(choice.size, reported.size), quality: resolveAuto(choice.quality, reported.quality) },
    model,
  ).filter((unit) => units.includes(unit))
  return (reportedUnits.length > 0 ? reportedUnits : units).reduce((a, b) => (rateOf(rates, a) >= rateOf(rates, b) ? a : b))
}

/** The most output tokens that one image can have. */
function maxImageTokens(choice: ImageChoice, { facts, maxOutput }: CatalogModel): number {
  const counts = possibleValues(choice.size, facts.sizes).flatMap((sizeValue) =>
    possibleValues(choice.quality, facts.qualities).map(
      (qualityValue) => facts.outputTokens?.[`${sizeValue}:${qualityValue}`] ?? maxOutput,
    ),
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
export function maxUsageOf(
  images: number,
  input: ImageInput,
  choice: ImageChoice,
  model: CatalogModel,
  rates: Rates,
  overhead: number,
): Usage {
  if (isPricedByImage(rates)) return mediaUsage({ [billedImageUnit(choice, model, rates)]: BigInt(images) })
  const text = maxTokensOf(input.prompt) + overhead
  return {
    ...NO_USAGE,
    input: BigInt(text * images),
    requests: 1n,
    media: {
      ...(input.images > 0 ? { image_input: BigInt(input.images * model.imageTokens * images) } : {}),
      image_output: BigInt(maxImageTokens(choice, model) * images),
    },
  }
}
