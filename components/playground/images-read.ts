import { type Json, type JsonRecord, record, text } from '../history/json.ts'

/** Images as they come: finished ones, and the look ahead at the next. Data URLs. */
export interface MadeImages {
  done: string[]
  partial: string | null
}

export const NOTHING_MADE: MadeImages = { done: [], partial: null }

/** How the base64 of each kind of picture begins. */
const BEGINNINGS: [string, string][] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
]

const imageUrl = (base64: string): string =>
  `data:${BEGINNINGS.find(([begins]) => base64.startsWith(begins))?.[1] ?? 'image/png'};base64,${base64}`

/** The end of a file's name for a data URL. */
export const imageEnd = (url: string): string => /^data:image\/(\w+)/.exec(url)?.[1]?.replace('jpeg', 'jpg') ?? 'png'

/** With one more event of a streamed answer. */
export function withImageEvent(made: MadeImages, event: JsonRecord): MadeImages {
  const base64 = text(event.b64_json)
  if (base64 === null) return made
  if (String(event.type).endsWith('.partial_image')) return { ...made, partial: imageUrl(base64) }
  return { done: [...made.done, imageUrl(base64)], partial: null }
}

/** The images of a whole answer. */
export function readImages(answer: Json): MadeImages {
  const data = record(answer)?.data
  const done = (Array.isArray(data) ? data : []).flatMap((each) => {
    const base64 = text(record(each)?.b64_json)
    return base64 === null ? [] : [imageUrl(base64)]
  })
  return { done, partial: null }
}
