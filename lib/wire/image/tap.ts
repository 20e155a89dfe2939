import { createHash } from 'node:crypto'
import { mediaTypeOf, SIGNATURE_BYTES } from '../../domain/media-type.ts'
import { addUsage, NO_USAGE, type Usage } from '../../domain/usage.ts'
import { createUnreadableError, type StreamBrokenError, type StreamEnd, type StreamTap } from '../answer.ts'
import { concatPieces, NO_BYTES } from '../bytes.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { JsonEvents } from '../json-events.ts'
import { mediaNote } from '../media-note.ts'
import { noImageError, type PreparedImageRequest, usageOf } from './non-streaming.ts'
import { writeImageUsage } from './usage.ts'

/** The size of an image of 20 megapixels that does not compress, in base64. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024

const encodeNamedEvent = (type: string, body: JsonObject): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify(body)}\n\n`)

/** The token counts of an image that is not billed by tokens. */
const NO_TOKENS: JsonObject = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  input_tokens_details: { text_tokens: 0, image_tokens: 0 },
}

/**
 * The tap on a streamed image answer. `*.partial_image` and `*.completed` events pass as they arrived. The last requested image
 * waits for the charge, and carries the cost of all of them. Only completed images are charged: without one, nothing was made.
 */
export class ImageTap implements StreamTap {
  readonly #work: PreparedImageRequest
  readonly #events = new JsonEvents({ maxEventBytes: MAX_EVENT_BYTES })
  readonly #notes: string[] = []
  /** The completed event that waits. */
  #last: JsonObject | null = null
  #completed = 0
  #usage: Usage | null = NO_USAGE
  #broken: StreamBrokenError | null = null

  constructor(work: PreparedImageRequest) {
    this.#work = work
  }

  get done(): boolean {
    return this.#completed >= this.#work.choice.images
  }

  /** A partial image is only a preview, not what is sold. */
  get started(): boolean {
    return this.#completed > 0
  }

  get broken(): StreamBrokenError | null {
    return this.#broken ?? this.#events.broken
  }

  push(bytes: Uint8Array): Uint8Array {
    const out: Buffer[] = []
    for (const { value, raw } of this.#events.push(bytes)) {
      if (this.done || this.#broken) break
      out.push(...this.#event(value, raw))
    }
    return concatPieces(out)
  }

  end(): StreamEnd {
    const complete = this.done || (this.#completed > 0 && this.broken === null)
    return { complete, usage: this.#usage, finishReason: null }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    return this.#last ? this.#write(this.#last, usage, costNano) : NO_BYTES
  }

  text(): string {
    return ''
  }

  toAnswerJson(): JsonValue {
    return { data: this.#notes.map((note) => ({ b64_json: note })) }
  }

  #write(event: JsonObject, usage: Usage, costNano: bigint): Buffer {
    const raw = this.#completed === 1 ? event.usage : null
    return encodeNamedEvent(String(event.type), { ...event, usage: writeImageUsage(usage, this.#completed, costNano, raw) })
  }

  #event(event: JsonObject, raw: Buffer): Buffer[] {
    if (typeof event.type === 'string') return event.type.endsWith('.completed') ? this.#complete(event, raw) : [raw]
    this.#broken = createUnreadableError('an event has no type')
    return []
  }

  #complete(event: JsonObject, raw: Buffer): Buffer[] {
    const { b64_json } = event
    const head = typeof b64_json === 'string' ? Buffer.from(b64_json.slice(0, SIGNATURE_BYTES * 2), 'base64') : NO_BYTES
    const type = mediaTypeOf(head, ['image/*'])
    if (type === null) {
      this.#broken = noImageError('a completed event without an image')
      return []
    }
    this.#completed++
    this.#work.imageCount = this.#completed
    const imageUsage = usageOf(1, event, this.#work)
    this.#usage = imageUsage === null || this.#usage === null ? null : addUsage(this.#usage, imageUsage)
    this.#notes.push(noteOf(type, b64_json as string))
    // Only the last one has the cost. The others get a usage if they have none, because clients read that of each.
    if (this.done) this.#last = event
    if (this.done) return []
    return event.usage == null ? [encodeNamedEvent(String(event.type), { ...event, usage: NO_TOKENS })] : [raw]
  }
}

function noteOf(type: string, base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  return mediaNote(type, bytes.byteLength, createHash('sha256').update(bytes).digest('hex'))
}
