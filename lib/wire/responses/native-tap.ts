import type { Usage } from '../../domain/usage.ts'
import {
  type AnswerHead,
  createUnreadableError,
  type FinishPorts,
  StreamBrokenError,
  type StreamEnd,
  type StreamTap,
  type WireError,
} from '../answer.ts'
import { concatPieces, NO_BYTES } from '../bytes.ts'
import { type ChunkReader, createChunkReader, errorCodeOf } from '../event-objects.ts'
import { type JsonObject, type JsonValue, objectIn } from '../json.ts'
import { outputId } from './ids.ts'
import { completePart, generatedText, NativeResult, toClientResponse, withOwnItemId } from './native.ts'
import { headOf, type PreparedResponse } from './prepared.ts'
import { buildResource, INITIAL_STATE, itemsOf, type ResponseHead } from './resource.ts'
import { encodeFailEvents, encodeLastEvents, encodeNamedEvent, responseErrorOf } from './stream.ts'
import { readResponsesUsage } from './usage.ts'
import { countSearches, statedSearches } from './web-search.ts'

/** Events in which strict clients read log probabilities, even if none were requested. Source: the OpenAI API, version 2.3.0. */
const TEXT_EVENTS = new Set(['response.output_text.delta', 'response.output_text.done'])
const START_EVENTS = new Set(['response.created', 'response.queued', 'response.in_progress'])

/**
 * The tap on a response that its vendor streams in this very wire. Every event passes, with ids and the model name of this
 * gateway, and numbers without gaps. The last one waits for the charge.
 */
export class NativeTap implements StreamTap {
  readonly #prepared: PreparedResponse
  readonly #head: ResponseHead
  readonly #chunkReader: ChunkReader = createChunkReader()
  /** The vendor's items, and the text of those that are not whole yet, by their index. */
  readonly #items = new Map<number, JsonObject>()
  readonly #pieces = new Map<number, string[]>()
  #sequence = 0
  #end: NativeResult | null = null
  /** What the vendor counts of a response that failed. */
  #failedUsage: JsonValue | undefined
  started = false
  broken: StreamBrokenError | null = null

  constructor(prepared: PreparedResponse, head: AnswerHead) {
    this.#prepared = prepared
    this.#head = headOf(prepared, head)
  }

  get done(): boolean {
    return this.#end !== null
  }

  push(bytes: Uint8Array): Uint8Array {
    const out: Buffer[] = []
    try {
      for (const event of this.#chunkReader.push(bytes)) {
        if (event !== 'done') out.push(this.#event(event))
        if (this.done) break
      }
    } catch (error) {
      if (!(error instanceof StreamBrokenError)) throw error
      this.broken = error
    }
    return concatPieces(out)
  }

  end(): StreamEnd {
    const { usage, finishReason = null } = this.#end ?? { usage: readResponsesUsage(this.#failedUsage) }
    return { complete: this.done, usage, finishReason }
  }

  async finish(ports: FinishPorts): Promise<void> {
    this.#end?.finish(ports)
  }

  async store(ports: FinishPorts): Promise<void> {
    await this.#end?.store(ports)
  }

  fail(error: WireError): Uint8Array {
    return encodeFailEvents(error, this.#sequence, this.#resource('failed', responseErrorOf(error)))
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    if (!this.#end) return NO_BYTES
    return encodeLastEvents(this.#end.response(usage, costNano), this.#sequence)
  }

  text(): string {
    if (this.#end) return generatedText(this.#end.answerJson)
    return generatedText({ output: [...this.#items.values()] }) + [...this.#pieces.values()].flat().join('')
  }

  /** Of the calls in the last event, which say more than those of the stream; some vendors leave them out of it. */
  get searches(): number {
    const stated = this.#end ? this.#end.statedSearches : statedSearches(this.#failedUsage)
    if (stated !== null) return stated
    const calls = itemsOf(this.#end?.answerJson ?? {}).filter(({ type }) => type === 'web_search_call')
    return countSearches(calls.length > 0 ? calls : this.#items.values())
  }

  toAnswerJson(): JsonValue {
    return this.#end?.answerJson ?? this.#resource('incomplete', null)
  }

  #resource(status: 'failed' | 'incomplete', error: { code: string; message: string } | null): JsonObject {
    const output = this.#streamed().map(([index, item]) => withOwnItemId(item, index, this.#head))
    return buildResource(this.#prepared.body, this.#head, { ...INITIAL_STATE, status, error, output })
  }

  /** The vendor's items in their order, each with its index. */
  #streamed(): [index: number, item: JsonObject][] {
    return [...this.#items].sort(([a], [b]) => a - b)
  }

  #encodeEvent(type: string, fields: JsonObject): Buffer {
    return encodeNamedEvent(type, { sequence_number: this.#sequence++, ...fields })
  }

  #event(event: JsonObject): Buffer {
    const { type, sequence_number: _, model: __, ...fields } = event
    // The type is written on a line of its own, so a line break in it would begin an event of the vendor's making.
    if (typeof type !== 'string' || !/^[\w.-]{1,100}$/.test(type)) throw createUnreadableError('an event has no type')
    const response = objectIn(fields.response)
    if (response && START_EVENTS.has(type))
      return this.#encodeEvent(type, {
        ...fields,
        response: toClientResponse({ ...response, output: [] }, this.#prepared, this.#head),
      })
    if (response) return this.#endWith(response)
    this.started ||= typeof fields.delta === 'string' || type.endsWith('.done') || type.startsWith('response.web_search_call.')
    return this.#encodeEvent(type, this.#withOwnIds(type, fields))
  }

  #endWith(response: JsonObject): Buffer {
    if (response.status !== 'completed' && response.status !== 'incomplete') {
      this.#failedUsage = response.usage
      throw new StreamBrokenError('The model failed while it was answering.', `in-band error ${errorCodeOf(response.error)}`)
    }
    // Some vendors do not repeat in the last event what they have streamed.
    const streamed = this.#streamed().map(([, item]) => item)
    const whole = itemsOf(response).length > 0 ? response : { ...response, output: streamed }
    this.#end = new NativeResult(whole, this.#prepared, this.#head)
    return NO_BYTES
  }

  /** An event of an item, with this gateway's id of the item. */
  #withOwnIds(type: string, fields: JsonObject): JsonObject {
    const index = typeof fields.output_index === 'number' ? fields.output_index : 0
    const item = objectIn(fields.item)
    if (item) {
      this.#items.set(index, item)
      this.#pieces.delete(index)
      return { ...fields, item: withOwnItemId(item, index, this.#head) }
    }
    const known = this.#items.get(index)
    const part = objectIn(fields.part)
    if (typeof fields.delta === 'string') {
      const pieces = this.#pieces.get(index) ?? []
      this.#pieces.set(index, pieces)
      pieces.push(fields.delta)
    }
    return {
      ...fields,
      ...(known && 'item_id' in fields ? { item_id: outputId(this.#head.id, known.type, index) } : {}),
      ...(part ? { part: completePart(part) } : {}),
      ...(TEXT_EVENTS.has(type) ? { logprobs: fields.logprobs ?? [] } : {}),
    }
  }
}
