import type { CatalogModel } from '../../domain/catalog.ts'
import type { Rates } from '../../domain/price.ts'
import { mediaUsage, type Usage } from '../../domain/usage.ts'
import { type FinishPorts, StreamBroken, type WholeAnswer } from '../answer.ts'
import { type Cut, cutValues } from '../cut-values.ts'
import { fieldIn, type JsonObject, type JsonValue } from '../json.ts'
import { billedUnit, type ImageInput, pricedByImage } from './bound.ts'
import type { ImageChoice } from './choice.ts'
import { type ImageForm, type MadeImage, makeImage, NoImage } from './made.ts'
import { readImageUsage, writeImageUsage } from './usage.ts'

/** A request for images whose size, model and price are known. */
export interface ImageWork {
  choice: ImageChoice
  input: ImageInput
  wanted: ImageForm
  model: CatalogModel
  rates: Rates
  /** The number of images that arrived, once they are here. */
  made: number
}

const BACKSLASH = 92
/** Shorter texts are parsed with the rest. */
const LONG_BYTES = 1024

/** What an answer says about its images, besides the images. */
const SAID = ['background', 'output_format', 'quality', 'size'] as const

export const nothingMade = (detail: string): StreamBroken =>
  new StreamBroken('The model made no image; another prompt may help.', detail)

/** The size and the quality that an answer's fields name. */
export const namedBy = ({ size, quality }: JsonObject) => ({
  size: typeof size === 'string' ? size : null,
  quality: typeof quality === 'string' ? quality : null,
})

/** What this number of images used; null if the price counts tokens and the vendor reported none. */
export function usageOf(images: number, answer: JsonObject, { choice, model, rates }: ImageWork): Usage | null {
  return pricedByImage(rates)
    ? mediaUsage({ [billedUnit(choice, model, rates, namedBy(answer))]: BigInt(images) })
    : readImageUsage(answer.usage, rates)
}

/** A whole answer with images. Its images are those that could be obtained, never more than were requested. */
class ImageAnswer implements WholeAnswer {
  readonly finishReason = null
  readonly #answer: JsonObject
  /** The images that were cut out of it. */
  #cut: Cut<Buffer> | null
  readonly #created: number
  readonly #work: ImageWork
  #made: MadeImage[] = []

  constructor(answer: JsonObject, cut: Cut<Buffer>, work: ImageWork, at: Date) {
    this.#answer = answer
    this.#cut = cut
    this.#work = work
    const { created } = answer
    this.#created = typeof created === 'number' && Number.isInteger(created) ? created : Math.floor(at.getTime() / 1000)
  }

  async finish(ports: FinishPorts): Promise<void> {
    const items = (this.#answer.data as JsonValue[]).slice(0, this.#work.choice.images).map((item) => this.#whole(item))
    const made = await Promise.allSettled(items.map((item) => makeImage(item, this.#work.wanted, ports)))
    const failed = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    const own = failed.find((error) => !(error instanceof NoImage))
    if (own) throw own
    this.#made = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    this.#work.made = this.#made.length
    // The vendor's text is as long as its images, and is no longer needed.
    this.#answer.data = []
    this.#cut = null
    if (this.#made.length === 0) throw nothingMade((failed[0] as Error | undefined)?.message ?? 'an empty list')
  }

  #whole(item: JsonValue): unknown {
    const image = this.#cut?.of(fieldIn(item, 'b64_json'))
    return image ? { ...(item as JsonObject), b64_json: image.toString('latin1') } : item
  }

  get usage(): Usage | null {
    return usageOf(this.#made.length, this.#answer, this.#work)
  }

  text(): string {
    return ''
  }

  encode(usage: Usage, costNano: bigint): Buffer {
    const data = this.#made.map(({ image, revisedPrompt }) => ({
      ...image,
      ...(revisedPrompt === null ? {} : { revised_prompt: revisedPrompt }),
    }))
    const told = writeImageUsage(usage, this.#made.length, costNano, this.#answer.usage)
    return Buffer.from(JSON.stringify({ created: this.#created, ...this.#said(), data, usage: told }))
  }

  folded(): JsonValue {
    const data = this.#made.map(({ image, note, revisedPrompt }) => ({
      ...image,
      b64_json: note,
      ...(revisedPrompt === null ? {} : { revised_prompt: revisedPrompt }),
    }))
    return { created: this.#created, ...this.#said(), data }
  }

  #said(): JsonObject {
    return Object.fromEntries(
      SAID.filter((name) => typeof this.#answer[name] === 'string').map((name) => [name, this.#answer[name]]),
    )
  }
}

/**
 * The contents of a long base64 string in JSON, if it has no escapes: some vendors write a slash with a backslash. Otherwise
 * null. Line ends, which JSON also has only with a backslash, are skipped when base64 is decoded.
 */
const plainText = (json: Buffer): Buffer | null =>
  json.byteLength > LONG_BYTES && !json.includes(BACKSLASH) ? json.subarray(1, -1) : null

/** Reads a whole image answer. Throws StreamBroken if it is not one. */
export function readImageAnswer(bytes: Buffer, work: ImageWork, at: Date): WholeAnswer {
  // Images are nearly all of it.
  const cut = cutValues(bytes, { name: 'b64_json', opens: ['"'], take: plainText })
  let answer: unknown
  try {
    answer = JSON.parse(cut.rest)
  } catch {
    throw new StreamBroken('The model sent an answer that could not be read.', 'the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || !Array.isArray((answer as JsonObject).data))
    throw new StreamBroken('The model sent an answer that could not be read.', 'the answer has no data')
  return new ImageAnswer(answer as JsonObject, cut, work, at)
}
