import { createHash } from 'node:crypto'
import { asBuffer } from '../../domain/as-buffer.ts'
import type { Usage } from '../../domain/usage.ts'
import { StreamBrokenError, type StreamEnd, type StreamTap } from '../answer.ts'
import { concatPieces, NO_BYTES } from '../bytes.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { type JsonEvent, JsonEvents } from '../json-events.ts'
import { mediaNote } from '../media-note.ts'
import { encodeEvent } from '../sse.ts'
import { AUDIO_TYPES } from './answer.ts'
import type { SpeechFormat } from './schema.ts'
import { readSpeechUsage, writeSpeechUsage } from './usage.ts'

/** Types that no sound has, such as a proxy's error page with a status of success. */
const NON_AUDIO_TYPE = /^(text\/|application\/(.*json|.*xml)$)/

interface SpeechTapOptions {
  /** What the client wants: the sound itself, or events that carry it. */
  wants: 'audio' | 'events'
  format: SpeechFormat
  /** The media type of what the vendor sends. */
  vendorType: string
  /** What is billed whatever the vendor reports, if that is known. */
  known: Usage | null
}

/**
 * The tap on speech. Speech is requested as sound or as events and may arrive as either, so that a vendor that supports only one
 * can serve both. The last byte of sound, or the last event, is held back until the charge is durable.
 */
export class SpeechTap implements StreamTap {
  readonly type: string | undefined
  readonly #options: SpeechTapOptions
  readonly #audioType: string
  readonly #events: JsonEvents | null
  readonly #hash = createHash('sha256')
  #bytes = 0
  #held: Buffer = NO_BYTES
  #usage: Usage | null = null
  #rawUsage: JsonObject | null = null
  #broken: StreamBrokenError | null = null
  done = false

  constructor(options: SpeechTapOptions) {
    this.#options = options
    this.#events = options.vendorType === 'text/event-stream' ? new JsonEvents() : null
    this.#audioType = /^audio\/[\w.+-]+$/.test(options.vendorType) ? options.vendorType : AUDIO_TYPES[options.format]
    this.type = options.wants === 'audio' ? this.#audioType : undefined
    if (this.#events === null && NON_AUDIO_TYPE.test(options.vendorType))
      this.#broken = new StreamBrokenError(
        'The model sent something that is not audio.',
        `the answer is ${options.vendorType.slice(0, 64)}`,
      )
  }

  get broken(): StreamBrokenError | null {
    return this.#broken ?? this.#events?.broken ?? null
  }

  get started(): boolean {
    return this.#bytes > 0
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.broken) return NO_BYTES
    if (this.#events === null) return this.#sound(asBuffer(bytes), null)
    const out = this.#events.push(bytes).map((event) => (this.done ? NO_BYTES : this.#event(event)))
    return concatPieces(out)
  }

  #event({ value, raw }: JsonEvent): Buffer {
    if (value.type === 'speech.audio.done') {
      this.done = true
      this.#usage = readSpeechUsage(value.usage)
      if (this.#usage) this.#rawUsage = value.usage as JsonObject
      return NO_BYTES
    }
    if (value.type === 'speech.audio.delta' && typeof value.audio === 'string')
      return this.#sound(Buffer.from(value.audio, 'base64'), raw)
    return this.#options.wants === 'events' ? raw : NO_BYTES
  }

  /** `raw` is the event that carried the sound. */
  #sound(audio: Buffer, raw: Buffer | null): Buffer {
    if (audio.length === 0) return NO_BYTES
    this.#hash.update(audio)
    this.#bytes += audio.length
    if (this.#options.wants === 'events') return raw ?? deltaOf(audio)
    const out = Buffer.concat([this.#held, audio.subarray(0, -1)])
    this.#held = Buffer.from(audio.subarray(-1))
    return out
  }

  end(): StreamEnd {
    const complete = this.#bytes > 0 && (this.#events === null || this.done)
    return { complete, usage: this.#options.known ?? this.#usage, finishReason: null }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    if (this.#options.wants === 'audio') return this.#held
    return encodeEvent(JSON.stringify({ type: 'speech.audio.done', usage: writeSpeechUsage(usage, costNano, this.#rawUsage) }))
  }

  /** Sound has no text to count. */
  text(): string {
    return ''
  }

  toAnswerJson(): JsonValue {
    return { audio: mediaNote(this.#audioType, this.#bytes, this.#hash.copy().digest('hex')) }
  }
}

const deltaOf = (audio: Buffer): Buffer =>
  encodeEvent(JSON.stringify({ type: 'speech.audio.delta', audio: audio.toString('base64') }))
