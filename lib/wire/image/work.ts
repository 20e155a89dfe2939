import { Refusal } from '../../domain/errors.ts'
import { type ModelPrice, rateOf } from '../../domain/price.ts'
import type { Bound, PreparePorts } from '../endpoint.ts'
import type { JsonObject } from '../json.ts'
import { type ImageInput, mostOf, pricedByImage, unitsOf } from './bound.ts'
import { chooseImage } from './choice.ts'
import type { ImageForm } from './made.ts'
import type { ImageBody, ImageEditBody } from './schema.ts'
import type { ImageWork } from './whole.ts'

/** Prepares a request in every way to make images. `images` is the number of images that came with it. */
export function prepareImages(
  body: ImageBody | ImageEditBody,
  images: ImageInput['images'],
  { model, price }: Pick<PreparePorts, 'model' | 'price'>,
): ImageWork {
  const choice = chooseImage(body, model)
  const wanted = body.response_format ?? formUnasked(images, model)
  return { choice, input: { prompt: body.prompt, images }, wanted, model, rates: price.rates, made: 0 }
}

/**
 * The form of images if none was requested. OpenAI answers only base64 for models without `response_format`, and its clients read
 * that without asking. Some do so for every edit.
 */
const formUnasked = (images: ImageInput['images'], { capabilities }: PreparePorts['model']): ImageForm =>
  images > 0 || capabilities.has('base64-only') ? 'both' : 'url'

/**
 * The most that a request can use, for its hold. Throws UnpricedUnitError if the price has no rate for something that the model may
 * make, or does not say what its vendor charges for that.
 */
export function boundOf({ choice, input, model }: ImageWork, price: ModelPrice, overhead: number): Bound {
  const most = mostOf(choice.images, input, choice, model, price.rates, overhead)
  // Images are not written token by token, so no vendor accepts a cap.
  const bound = { cap: 0, choices: 1 }
  if (pricedByImage(price.rates)) {
    for (const unit of unitsOf(choice, model)) for (const rates of [price.rates, price.vendorRates]) rateOf(rates, unit)
    return { ...bound, usage: most }
  }
  const { output, image_output } = price.rates
  if (output === undefined) return { ...bound, usage: most }
  // Any of the output may be text, which has its own rate here.
  rateOf(price.vendorRates, 'output')
  if (image_output === undefined || output <= image_output) return { ...bound, usage: most }
  const { image_output: made = 0n, ...media } = most.media ?? {}
  return { ...bound, usage: { ...most, output: made, media } }
}

/** The estimated usage if the vendor reported none: as much as was held for this number of images. */
export const estimateOf = async ({ made, input, choice, model, rates }: ImageWork) => ({
  usage: mostOf(made, input, choice, model, rates, 0),
  exact: false,
})

/**
 * The fields that are sent in the model's terms: what was chosen, so that it is billed as it is priced, and the form of the
 * answer. Base64 is requested, and is what models without a choice answer, because addresses need another fetch.
 */
export function toldFields({ choice, model }: ImageWork): JsonObject {
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
export const goesOut = (field: string, { model }: ImageWork): boolean =>
  field !== 'response_format' && (field !== 'quality' || model.facts.qualities?.length !== 1)

/** Throws the 400 if a model makes images but cannot edit them. */
export function needsEdits({ id, capabilities }: PreparePorts['model']): void {
  if (!capabilities.has('edits'))
    throw new Refusal('invalid_request', `The model "${id}" makes images but does not edit them. Use another one.`, {
      param: 'model',
    })
}
