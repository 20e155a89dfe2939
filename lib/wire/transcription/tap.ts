import type { Usage } from '../../domain/usage.ts'
import type { StreamBrokenError, StreamEnd, StreamTap } from '../answer.ts'
import { StreamBrokenError as Broken } from '../answer.ts'
import { concatPieces, NO_BYTES } from '../bytes.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn, textIn } from '../json.ts'
import { type JsonEvent, JsonEvents } from '../json-events.ts'
import { encodeEvent } from '../sse.ts'
import { toHistoryTranscript } from './non-streaming.ts'
import type { PreparedTranscription } from './prepare.ts'
import { readTranscript } from './read-transcript.ts'
import { readTranscriptionUsage, writeStreamedUsage } from './usage.ts'

const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const eventOf = (value: JsonObject): Buffer => encodeEvent(JSON.stringify(value))

/**
 * The tap on a streamed transcription. Events pass as they arrived, except for the last one, which has the usage. vLLM sends chunks
 * of a chat instead, whose texts become OpenAI's events. It ends each half minute of a long sound for itself.
 */
export class TranscriptionTap implements StreamTap {
  readonly #work: PreparedTranscription
  readonly #events = new JsonEvents()
  #text = ''
  #last: JsonObject | null = null
  #usage: Usage | null = null
  /** Whether the last chunk was the end of what it belongs to. */
  #chunksEnded = false

  constructor(work: PreparedTranscription) {
    this.#work = work
  }

  get broken(): StreamBrokenError | null {
    return this.#events.broken
  }

  get done(): boolean {
    return this.#last !== null
  }

  get started(): boolean {
    return this.#text !== '' || this.done
  }

  push(bytes: Uint8Array): Uint8Array {
    const out = this.#events.push(bytes).map((event) => (this.done ? NO_BYTES : this.#event(event)))
    return concatPieces(out)
  }

  #event({ value, raw }: JsonEvent): Buffer {
    if (value.type === 'transcript.text.done') {
      this.#last = value
      this.#usage = readTranscriptionUsage(value.usage, this.#work.maxUsage)
      return NO_BYTES
    }
    if (value.object === 'transcription.chunk') return this.#chunk(value)
    if (value.type === 'transcript.text.delta' && typeof value.delta === 'string') this.#text += value.delta
    return raw
  }

  #chunk({ choices }: JsonObject): Buffer {
    const [choice] = objectsIn(choices)
    if (!choice) return NO_BYTES
    this.#chunksEnded = typeof choice.finish_reason === 'string'
    const delta = textIn(objectIn(choice.delta)?.content)
    this.#text += delta
    return delta === '' ? NO_BYTES : eventOf({ type: 'transcript.text.delta', delta })
  }

  end(): StreamEnd {
    if (this.#chunksEnded) this.#last ??= { type: 'transcript.text.done', text: this.#text }
    return { complete: this.done, usage: this.#work.known ?? this.#usage, finishReason: null }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    return eventOf({ ...this.#last, usage: writeStreamedUsage(usage, costNano) })
  }

  text(): string {
    const { text } = this.#last ?? {}
    return typeof text === 'string' ? text : this.#text
  }

  toAnswerJson(): JsonValue {
    const { type: _, ...rest } = this.#last ?? {}
    return toHistoryTranscript({ ...rest, text: this.text() }, this.#work)
  }
}

/**
 * The tap on a whole transcription for a client that wants a stream, if the model does not stream. One event has all of the text,
 * and one the usage.
 */
export class NonStreamingTranscriptionTap implements StreamTap {
  readonly #work: PreparedTranscription
  #pieces: Uint8Array[] = []
  #bytes = 0
  #answer: (JsonObject & { text: string }) | null = null
  broken: StreamBrokenError | null = null
  readonly done = false

  constructor(work: PreparedTranscription) {
    this.#work = work
  }

  get started(): boolean {
    return this.#answer !== null
  }

  push(bytes: Uint8Array): Uint8Array {
    this.#bytes += bytes.byteLength
    if (this.#bytes > MAX_ANSWER_BYTES) this.broken = new Broken('The model sent an answer that is too long.', 'over 64 MiB')
    else this.#pieces.push(bytes)
    return NO_BYTES
  }

  end(): StreamEnd {
    this.#answer ??= this.#read()
    const usage = this.#work.known ?? readTranscriptionUsage(this.#answer?.usage, this.#work.maxUsage)
    return { complete: this.#answer !== null, usage, finishReason: null }
  }

  #read(): (JsonObject & { text: string }) | null {
    try {
      return readTranscript(Buffer.concat(this.#pieces))
    } catch {
      return null
    } finally {
      this.#pieces = []
    }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    const { logprobs, text = '' }: JsonObject = this.#answer ?? {}
    const more = logprobs === undefined ? {} : { logprobs }
    return Buffer.concat([
      eventOf({ type: 'transcript.text.delta', delta: text, ...more }),
      eventOf({ type: 'transcript.text.done', text, ...more, usage: writeStreamedUsage(usage, costNano) }),
    ])
  }

  text(): string {
    return this.#answer?.text ?? ''
  }

  toAnswerJson(): JsonValue {
    return toHistoryTranscript(this.#answer ?? {}, this.#work)
  }
}
