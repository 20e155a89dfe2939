import { type Json, type JsonRecord, record, text } from '../history/json.ts'

/** Images as they arrive, as data URLs: the finished ones, and the preview of the next one. */
export interface MadeImages {
  done: string[]
  partial: string | null
}

export const NOTHING_MADE: MadeImages = { done: [], partial: null }

/** The first base64 characters of each image format. */
const BEGINNINGS: [string, string][] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
]

const imageUrl = (base64: string): string =>
  `data:${BEGINNINGS.find(([begins]) => base64.startsWith(begins))?.[1] ?? 'image/png'};base64,${base64}`

/** The file extension for a data URL. */
export const imageEnd = (url: string): string => /^data:image\/(\w+)/.exec(url)?.[1]?.replace('jpeg', 'jpg') ?? 'png'

/** The images after one more event of a streamed answer. */
export function withImageEvent(made: MadeImages, event: JsonRecord): MadeImages {
  const base64 = text(event.b64_json)
  if (base64 === null) return made
  if (String(event.type).endsWith('.partial_image')) return { ...made, partial: imageUrl(base64) }
  return { done: [...made.done, imageUrl(base64)], partial: null }
}

/** The images of a complete answer. */
export function readImages(answer: Json): MadeImages {
  const data = record(answer)?.data
  const done = (Array.isArray(data) ? data : []).flatMap((each) => {
    const base64 = text(record(each)?.b64_json)
    return base64 === null ? [] : [imageUrl(base64)]
  })
  return { done, partial: null }
}
