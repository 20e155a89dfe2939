import type { Usage } from '../../domain/usage.ts'
import { type AnswerHead, type FinishPorts, StreamBroken, type StreamEnd, type StreamTap, type WireError } from '../answer.ts'
import { type Chunks, codeOf, readChunks } from '../event-objects.ts'
import { type JsonObject, type JsonValue, objectIn } from '../json.ts'
import { generatedText, NativeEnd, ownItem, ownPart, ownResponse } from './native.ts'
import { BEGUN, type ResponseHead, resourceOf } from './resource.ts'
import { headOf, type PreparedResponse } from './stored.ts'
import { encodeNamed, failEvents, failureOf, lastEvents } from './stream.ts'

const NOTHING = Buffer.alloc(0)
/** Events in which strict clients read log probabilities, even if none were requested. Source: the OpenAI API, version 2.3.0. */
const TEXTS = new Set(['response.output_text.delta', 'response.output_text.done'])
const BEGINNINGS = new Set(['response.created', 'response.queued', 'response.in_progress'])

/**
 * The tap on a response that its vendor streams in this very wire. Every event passes, with ids and the model name of this
 * gateway, and numbers without gaps. The last one waits for the charge.
 */
export class NativeTap implements StreamTap {
  readonly #prepared: PreparedResponse
  readonly #head: ResponseHead
  readonly #chunks: Chunks = readChunks()
  /** The whole items, and the text of those that are not whole yet, by their index. */
  readonly #items = new Map<number, JsonObject>()
  readonly #pieces = new Map<number, string[]>()
  #sequence = 0
  #end: NativeEnd | null = null
  started = false
  broken: StreamBroken | null = null

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
      for (const event of this.#chunks.push(bytes)) {
        if (event !== 'done') out.push(this.#event(event))
        if (this.done) break
      }
    } catch (error) {
      if (!(error instanceof StreamBroken)) throw error
      this.broken = error
    }
    return out.length === 1 ? (out[0] ?? NOTHING) : Buffer.concat(out)
  }

  end(): StreamEnd {
    const { usage = null, finishReason = null } = this.#end ?? {}
    return { complete: this.done, usage, finishReason }
  }

  async finish(ports: FinishPorts): Promise<void> {
    this.#end?.finish(ports)
  }

  async store(ports: FinishPorts): Promise<void> {
    await this.#end?.store(ports)
  }

  fail(error: WireError): Uint8Array {
    return failEvents(error, this.#sequence, this.#resource('failed', failureOf(error)))
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    if (!this.#end) return NOTHING
    return lastEvents(this.#end.response(usage, costNano), this.#sequence)
  }

  text(): string {
    if (this.#end) return generatedText(this.#end.folded)
    return generatedText({ output: [...this.#items.values()] }) + [...this.#pieces.values()].flat().join('')
  }

  folded(): JsonValue {
    return this.#end?.folded ?? this.#resource('incomplete', null)
  }

  #resource(status: 'failed' | 'incomplete', error: { code: string; message: string } | null): JsonObject {
    const output = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item)
    return resourceOf(this.#prepared.body, this.#head, { ...BEGUN, status, error, output })
  }

  #tell(type: string, fields: JsonObject): Buffer {
    return encodeNamed(type, { sequence_number: this.#sequence++, ...fields })
  }

  #event(event: JsonObject): Buffer {
    const { type, sequence_number: _, model: __, ...fields } = event
    // The type is written on a line of its own, so a line break in it would begin an event of the vendor's making.
    if (typeof type !== 'string' || !/^[\w.-]{1,100}$/.test(type))
      throw new StreamBroken('The model sent an answer that could not be read.', 'an event has no type')
    const response = objectIn(fields.response)
    if (response && BEGINNINGS.has(type))
      return this.#tell(type, { ...fields, response: ownResponse({ ...response, output: [] }, this.#prepared, this.#head) })
    if (response) return this.#ending(response)
    this.started ||= typeof fields.delta === 'string' || type.endsWith('.done')
    return this.#tell(type, this.#named(type, fields))
  }

  #ending(response: JsonObject): Buffer {
    if (response.status !== 'completed' && response.status !== 'incomplete')
      throw new StreamBroken('The model failed while it was answering.', `in-band error ${codeOf(response.error)}`)
    this.#end = new NativeEnd(response, this.#prepared, this.#head)
    return NOTHING
  }

  /** An event of an item, with this gateway's id of the item. */
  #named(type: string, fields: JsonObject): JsonObject {
    const index = typeof fields.output_index === 'number' ? fields.output_index : 0
    const item = objectIn(fields.item)
    if (item) {
      const own = ownItem(item, index, this.#head)
      this.#items.set(index, own)
      this.#pieces.delete(index)
      return { ...fields, item: own }
    }
    const own = this.#items.get(index)
    const part = objectIn(fields.part)
    if (typeof fields.delta === 'string') {
      const pieces = this.#pieces.get(index) ?? []
      this.#pieces.set(index, pieces)
      pieces.push(fields.delta)
    }
    return {
      ...fields,
      ...(own && 'item_id' in fields ? { item_id: own.id } : {}),
      ...(part ? { part: ownPart(part) } : {}),
      ...(TEXTS.has(type) ? { logprobs: fields.logprobs ?? [] } : {}),
    }
  }
}
