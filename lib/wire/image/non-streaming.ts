import type { CatalogModel } from '../../domain/catalog.ts'
import { fieldIn } from '../../domain/field-in.ts'
import type { Rates } from '../../domain/price.ts'
import { mediaUsage, type Usage } from '../../domain/usage.ts'
import { createUnreadableError, type FinishPorts, type NonStreamingAnswer, StreamBrokenError } from '../answer.ts'
import { type ExtractedValues, extractValues } from '../extract-values.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { billedImageUnit, type ImageInput, isPricedByImage } from './bound.ts'
import type { ImageChoice } from './choice.ts'
import { type ImageForm, NoImageError, type ObtainedImage, obtainImage } from './obtain-image.ts'
import { readImageUsage, writeImageUsage } from './usage.ts'

/** A request for images whose size, model and price are known. */
export interface PreparedImageRequest {
  choice: ImageChoice
  input: ImageInput
  wanted: ImageForm
  model: CatalogModel
  rates: Rates
  /** The number of images that arrived, once they are here. */
  imageCount: number
}

const BACKSLASH = 92
/** Shorter texts are parsed with the rest. */
const MIN_EXTRACTED_BYTES = 1024

/** What an answer says about its images, besides the images. */
const REPORTED_FIELDS = ['background', 'output_format', 'quality', 'size'] as const

export const noImageError = (detail: string): StreamBrokenError =>
  new StreamBrokenError('The model made no image; another prompt may help.', detail)

/** The size and the quality that an answer's fields name. */
export const namedBy = ({ size, quality }: JsonObject) => ({
  size: typeof size === 'string' ? size : null,
  quality: typeof quality === 'string' ? quality : null,
})

/** What this number of images used; null if the price counts tokens and the vendor reported none. */
export function usageOf(images: number, answer: JsonObject, { choice, model, rates }: PreparedImageRequest): Usage | null {
  return isPricedByImage(rates)
    ? mediaUsage({ [billedImageUnit(choice, model, rates, namedBy(answer))]: BigInt(images) })
    : readImageUsage(answer.usage, rates)
}

/** A non-streaming answer with images. Its images are those that could be obtained, never more than were requested. */
class ImageAnswer implements NonStreamingAnswer {
  readonly finishReason = null
  readonly #answer: JsonObject
  /** The images that were cut out of it. */
  #extracted: ExtractedValues<Buffer> | null
  readonly #created: number
  readonly #work: PreparedImageRequest
  #images: ObtainedImage[] = []

  constructor(answer: JsonObject, extracted: ExtractedValues<Buffer>, work: PreparedImageRequest, at: Date) {
    this.#answer = answer
    this.#extracted = extracted
    this.#work = work
    const { created } = answer
    this.#created = typeof created === 'number' && Number.isInteger(created) ? created : Math.floor(at.getTime() / 1000)
  }

  async finish(ports: FinishPorts): Promise<void> {
    const items = (this.#answer.data as JsonValue[]).slice(0, this.#work.choice.images).map((item) => this.#restoreImage(item))
    const results = await Promise.allSettled(items.map((item) => obtainImage(item, this.#work.wanted, ports)))
    const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    const gatewayError = errors.find((error) => !(error instanceof NoImageError))
    if (gatewayError) throw gatewayError
    this.#images = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    this.#work.imageCount = this.#images.length
    // The vendor's text is as long as its images, and is no longer needed.
    this.#answer.data = []
    this.#extracted = null
    if (this.#images.length === 0) throw noImageError((errors[0] as Error | undefined)?.message ?? 'an empty list')
  }

  #restoreImage(item: JsonValue): unknown {
    const image = this.#extracted?.of(fieldIn(item, 'b64_json'))
    return image ? { ...(item as JsonObject), b64_json: image.toString('latin1') } : item
  }

  get usage(): Usage | null {
    return usageOf(this.#images.length, this.#answer, this.#work)
  }

  text(): string {
    return ''
  }

  encode(usage: Usage, costNano: bigint): Buffer {
    const data = this.#images.map(({ image, revisedPrompt }) => ({
      ...image,
      ...(revisedPrompt === null ? {} : { revised_prompt: revisedPrompt }),
    }))
    const imageUsage = writeImageUsage(usage, this.#images.length, costNano, this.#answer.usage)
    return Buffer.from(JSON.stringify({ created: this.#created, ...this.#reportedFields(), data, usage: imageUsage }))
  }

  toAnswerJson(): JsonValue {
    const data = this.#images.map(({ image, note, revisedPrompt }) => ({
      ...image,
      b64_json: note,
      ...(revisedPrompt === null ? {} : { revised_prompt: revisedPrompt }),
    }))
    return { created: this.#created, ...this.#reportedFields(), data }
  }

  #reportedFields(): JsonObject {
    return Object.fromEntries(
      REPORTED_FIELDS.filter((name) => typeof this.#answer[name] === 'string').map((name) => [name, this.#answer[name]]),
    )
  }
}

/**
 * The contents of a long base64 string in JSON, if it has no escapes: some vendors write a slash with a backslash. Otherwise
 * null. Line ends, which JSON also has only with a backslash, are skipped when base64 is decoded.
 */
const unescapedContent = (json: Buffer): Buffer | null =>
  json.byteLength > MIN_EXTRACTED_BYTES && !json.includes(BACKSLASH) ? json.subarray(1, -1) : null

/** Reads a whole image answer. Throws StreamBrokenError if it is not one. */
export function readImageAnswer(bytes: Buffer, work: PreparedImageRequest, at: Date): NonStreamingAnswer {
  // Images are nearly all of it.
  const extracted = extractValues(bytes, { name: 'b64_json', opens: ['"'], parse: unescapedContent })
  let answer: unknown
  try {
    answer = JSON.parse(extracted.rest)
  } catch {
    throw createUnreadableError('the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || !Array.isArray((answer as JsonObject).data))
    throw createUnreadableError('the answer has no data')
  return new ImageAnswer(answer as JsonObject, extracted, work, at)
}
