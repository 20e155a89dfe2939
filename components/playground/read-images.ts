import { asRecord, asText, type Json, type JsonRecord } from '../history/json.ts'

/** Images as they arrive, as data URLs: the finished ones, and the preview of the next one. */
export interface GeneratedImages {
  done: string[]
  partial: string | null
}

export const NO_GENERATED_IMAGES: GeneratedImages = { done: [], partial: null }

/** The first base64 characters of each image format. */
const BASE64_PREFIXES: [string, string][] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
]

const imageUrl = (base64: string): string =>
  `data:${BASE64_PREFIXES.find(([begins]) => base64.startsWith(begins))?.[1] ?? 'image/png'};base64,${base64}`

/** The file extension for a data URL. */
export const imageExtension = (url: string): string => /^data:image\/(\w+)/.exec(url)?.[1]?.replace('jpeg', 'jpg') ?? 'png'

/** The images after one more event of a streamed answer. */
export function withImageEvent(images: GeneratedImages, event: JsonRecord): GeneratedImages {
  const base64 = asText(event.b64_json)
  if (base64 === null) return images
  if (String(event.type).endsWith('.partial_image')) return { ...images, partial: imageUrl(base64) }
  return { done: [...images.done, imageUrl(base64)], partial: null }
}

/** The images of a complete answer. */
export function readImages(answer: Json): GeneratedImages {
  const data = asRecord(answer)?.data
  const done = (Array.isArray(data) ? data : []).flatMap((each) => {
    const base64 = asText(asRecord(each)?.b64_json)
    return base64 === null ? [] : [imageUrl(base64)]
  })
  return { done, partial: null }
}
