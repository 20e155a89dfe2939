import { readDataUrl } from '../../domain/data-url.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../../domain/media-type.ts'
import { madeImagesIn } from '../chat/media.ts'
import { type JsonObject, objectIn, textIn } from '../json.ts'
import type { ImageItem, MessageItem } from './items-schema.ts'

/** An image that a chat model made. */
export interface MadeImage {
  base64: string
  /** As the items of OpenAI name it, such as `png`; null if it is none of those. */
  format: string | null
}

/** The OpenAI API, ImageGenerationCall. */
const FORMATS = new Set(['png', 'webp', 'jpeg', 'gif'])

/**
 * The images in a delta or a message of a chat, which have a field of their own (OpenRouter, "Image Generation"). One that its
 * vendor only gives the address of is not among them: an item has the image itself.
 */
export function imagesIn(message: JsonObject): MadeImage[] {
  return madeImagesIn(message).flatMap((image) => {
    const data = readDataUrl(textIn(objectIn(image.image_url)?.url))
    if (!data?.type.startsWith('image/') || data.base64 === '') return []
    const format = typeOf(data.base64, data.type).slice('image/'.length)
    return [{ base64: data.base64, format: FORMATS.has(format) ? format : null }]
  })
}

/** The type that an image has, or else the one that it is said to have. */
const typeOf = (base64: string, named: string): string =>
  mediaTypeOf(Buffer.from(base64.slice(0, SIGNATURE_BYTES * 2), 'base64'), ['image/*']) ?? named

/**
 * An image that a model made, as the message of a user: in a conversation that is sent back, that is where every vendor accepts
 * images. Null if there is none in the item.
 */
export function imageMessage({ result }: ImageItem): MessageItem | null {
  if (!result) return null
  const image_url = `data:${typeOf(result, 'image/png')};base64,${result}`
  return { type: 'message', role: 'user', content: [{ type: 'input_image', image_url }] }
}
