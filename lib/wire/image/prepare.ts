import { refuseField } from '../../domain/errors.ts'
import { type ModelPrice, rateOf } from '../../domain/price.ts'
import type { Bound, PreparePorts } from '../endpoint.ts'
import type { JsonObject } from '../json.ts'
import { type ImageInput, isPricedByImage, maxUsageOf, possibleUnitsOf } from './bound.ts'
import { chooseImage } from './choice.ts'
import type { PreparedImageRequest } from './non-streaming.ts'
import type { ImageForm } from './obtain-image.ts'
import type { ImageBody, ImageEditBody } from './schema.ts'

/** Prepares a request in every way to make images. `images` is the number of images that came with it. */
export function prepareImages(
  body: ImageBody | ImageEditBody,
  images: ImageInput['images'],
  { model, price }: Pick<PreparePorts, 'model' | 'price'>,
): PreparedImageRequest {
  const choice = chooseImage(body, model)
  const wanted = body.response_format ?? defaultForm(images, model)
  return { choice, input: { prompt: body.prompt, images }, wanted, model, rates: price.rates, imageCount: 0 }
}

/**
 * The form of images if none was requested. OpenAI answers only base64 for models without `response_format`, and its clients read
 * that without asking. Some do so for every edit.
 */
const defaultForm = (images: ImageInput['images'], { capabilities }: PreparePorts['model']): ImageForm =>
  images > 0 || capabilities.has('base64-only') ? 'both' : 'url'

/**
 * The most that a request can use, for its hold. Throws UnpricedUnitError if the price has no rate for something that the model may
 * make, or does not say what its vendor charges for that.
 */
export function boundOf({ choice, input, model }: PreparedImageRequest, price: ModelPrice, overhead: number): Bound {
  const maxUsage = maxUsageOf(choice.images, input, choice, model, price.rates, overhead)
  // Images are not written token by token, so no vendor accepts a cap.
  const bound = { cap: 0, choices: 1 }
  if (isPricedByImage(price.rates)) {
    for (const unit of possibleUnitsOf(choice, model)) for (const rates of [price.rates, price.vendorRates]) rateOf(rates, unit)
    return { ...bound, usage: maxUsage }
  }
  const { output, image_output } = price.rates
  if (output === undefined) return { ...bound, usage: maxUsage }
  // Any of the output may be text, which has its own rate here.
  rateOf(price.vendorRates, 'output')
  if (image_output === undefined || output <= image_output) return { ...bound, usage: maxUsage }
  const { image_output: outputTokens = 0n, ...media } = maxUsage.media ?? {}
  return { ...bound, usage: { ...maxUsage, output: outputTokens, media } }
}

/** The estimated usage if the vendor reported none: as much as was held for this number of images. */
export const estimateOf = async ({ imageCount, input, choice, model, rates }: PreparedImageRequest) => ({
  usage: maxUsageOf(imageCount, input, choice, model, rates, 0),
  exact: false,
})

/**
 * The fields that are sent in the model's terms: what was chosen, so that it is billed as it is priced, and the form of the
 * answer. Base64 is requested, and is what models without a choice answer, because addresses need another fetch.
 */
export function overriddenFields({ choice, model }: PreparedImageRequest): JsonObject {
  const { qualities = [] } = model.facts
  return {
    ...(choice.size === null ? {} : { size: choice.size }),
    // A model with only one quality may not know the field.
    ...(choice.quality === null || qualities.length === 1 ? {} : { quality: choice.quality }),
    ...(model.capabilities.has('base64-only') ? {} : { response_format: 'b64_json' }),
  }
}

/**
 * Whether a field is sent as it arrived, if it is not written in the model's terms. A model with only one quality may not know
 * that field.
 */
export const isForwarded = (field: string, { model }: PreparedImageRequest): boolean =>
  field !== 'response_format' && (field !== 'quality' || model.facts.qualities?.length !== 1)

/** Throws the 400 if a model makes images but cannot edit them. */
export function checkSupportsEdits({ id, capabilities }: PreparePorts['model']): void {
  if (!capabilities.has('edits'))
    throw refuseField('model', `The model "${id}" makes images but does not edit them. Use another one.`)
}
