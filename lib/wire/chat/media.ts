import { createHash } from 'node:crypto'
import { type JsonObject, type JsonValue, objectIn, objectsIn, textIn } from '../json.ts'
import { mediaNote } from '../media-note.ts'

const MAX_UNREDACTED_CHARS = 256

/** What a request carries besides text. Only sounds are counted by their bytes. */
export interface Media {
  images: number
  /** Files and videos. Their size says nothing about their cost, so they may fill the whole context. */
  unbounded: number
  /** Characters of inline sounds, which are counted by their bytes. */
  soundChars: number
  /** Bytes of inline media inside the body. */
  inlineBytes: number
}

type Part =
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'video_url'; video_url: { url: string } }
  | { type: 'file'; file: { file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string } }
  | { type: 'text' | 'refusal' }

interface Message {
  content?: unknown
}

/**
 * Finds the media of chat messages that were checked. The type of a part decides what it is, and everything else in it is text to
 * count. Audio is still counted by its bytes, of which it has more than tokens.
 */
export function mediaOf(messages: readonly Message[]): Media {
  const media: Media = { images: 0, unbounded: 0, soundChars: 0, inlineBytes: 0 }
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue
    for (const part of content as Part[]) {
      if (part.type === 'image_url') {
        media.images++
        media.inlineBytes += part.image_url.url.length
      } else if (part.type === 'file' || part.type === 'video_url') {
        media.unbounded++
        media.inlineBytes += part.type === 'file' ? part.file.file_data.length : part.video_url.url.length
      } else if (part.type === 'input_audio') media.soundChars += part.input_audio.data.length
    }
  }
  return media
}

/** Chat messages without their media, with only the type of such parts: what can be counted as text. */
export function withoutMedia(messages: readonly Message[]): Message[] {
  return messages.map((message) =>
    Array.isArray(message.content)
      ? {
          ...message,
          content: (message.content as Part[]).map((part) =>
            part.type === 'text' || part.type === 'refusal' ? part : { type: part.type },
          ),
        }
      : message,
  )
}

/** The images that a model made in a message or a delta (OpenRouter's form). An entry without an address is none. */
export const madeImagesIn = ({ images }: JsonObject): JsonObject[] =>
  objectsIn(images).filter(({ image_url }) => textIn(objectIn(image_url)?.url) !== '')

/** Replaces inline media, wherever they are, with their type, digest and size. */
export function redactMedia(value: unknown): JsonValue {
  if (typeof value === 'string') return redactText(value)
  if (typeof value !== 'object' || value === null) return value as JsonValue
  if (Array.isArray(value)) {
    const items = value.map(redactMedia)
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  // Few messages carry media, so a value that needs no change is not copied.
  const changed: [string, JsonValue][] = []
  const isImage = 'result' in value && (value as JsonObject).type === 'image_generation_call'
  for (const name in value) {
    const item = (value as JsonObject)[name]
    const redacted = isImage && name === 'result' ? redactImage(item) : redactField(name, item)
    if (redacted !== item) changed.push([name, redacted])
  }
  return changed.length === 0 ? (value as JsonValue) : { ...(value as JsonObject), ...Object.fromEntries(changed) }
}

const redactField = (name: string, item: unknown): JsonValue =>
  (name === 'data' || name === 'file_data') && typeof item === 'string' && item.length > MAX_UNREDACTED_CHARS
    ? digest(name === 'data' ? 'audio' : 'file', item)
    : redactMedia(item)

/** An image that a model made, in an item of a response. */
const redactImage = (item: unknown): JsonValue =>
  typeof item === 'string' && item.length > MAX_UNREDACTED_CHARS ? digest('image', item) : redactMedia(item)

function redactText(text: string): string {
  if (text.length <= MAX_UNREDACTED_CHARS || text.slice(0, 5).toLowerCase() !== 'data:') return text
  const comma = text.indexOf(',')
  const type = comma > 0 && comma < 200 ? text.slice(5, comma).replace(/;base64$/, '') : 'unknown'
  return digest(type, comma > 0 ? text.slice(comma + 1) : text)
}

function digest(type: string, base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  return mediaNote(type, bytes.length, createHash('sha256').update(bytes).digest('hex'))
}
