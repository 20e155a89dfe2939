import { StreamBrokenError } from '../answer.ts'
import { CallIndexer } from '../call-indexer.ts'
import { madeImagesIn } from '../chat/media.ts'
import { type JsonObject, type JsonValue, listIn, objectIn, objectsIn, textIn } from '../json.ts'
import { Annotations } from './annotations.ts'
import type { VendorState } from './encrypted-content.ts'
import { outputId } from './ids.ts'
import { imagesIn, type MadeImage } from './images.ts'
import {
  CallBuilder,
  type ItemPosition,
  MessageBuilder,
  type OpenItem,
  ReasoningBuilder,
  type SendEvent,
} from './item-builders.ts'
import type { QualifiedName } from './namespaces.ts'
import { ImageBuilder, SearchBuilder } from './whole-items.ts'

/** Text beyond this many characters is more than any cap allows. */
const MAX_CHARS = 32_000_000

/**
 * Writes a chat's choice as the items of a response, and sends the events of each. Reasoning, text and refusals are open one at a
 * time. A call is closed when its arguments are complete and another one begins, or at the end.
 */
export class ItemWriter {
  readonly #responseId: string
  readonly #sendEvent: SendEvent
  readonly #toolByChatName: ReadonlyMap<string, QualifiedName>
  #open: MessageBuilder | ReasoningBuilder | null = null
  readonly #calls = new Map<number, CallBuilder>()
  readonly #indexer = new CallIndexer()
  readonly #items: OpenItem[] = []
  readonly #annotations = new Annotations()
  /** Those that have no text yet. */
  #unplaced: JsonObject[] = []
  /** How many characters of text there are, and how many of them come before the message that is open. */
  #said = 0
  #saidBefore = 0
  /** How many characters were generated. */
  size = 0
  /** How many images were made, those that are only an address included. */
  images = 0
  /** The size of what was signed, of sources and of images, which is counted separately. */
  #signedSize = 0

  /** `toolByChatName` says which tools have other names in the chat. */
  constructor(responseId: string, sendEvent: SendEvent, toolByChatName: ReadonlyMap<string, QualifiedName>) {
    this.#responseId = responseId
    this.#sendEvent = sendEvent
    this.#toolByChatName = toolByChatName
  }

  /** True once something that the model generated has arrived. */
  get started(): boolean {
    return this.size > 0 || this.#items.length > 0
  }

  /** The items in their present state. */
  get output(): JsonObject[] {
    return this.#items.map((item) => item.value)
  }

  /** Everything that was generated, for counting. */
  text(): string {
    return this.#items.map((item) => item.generatedText()).join('')
  }

  /**
   * Takes a chat's delta, or the message of a whole chat, and the sources that are named beside it. Throws StreamBrokenError if it
   * is more than can be kept.
   */
  add(delta: JsonObject, logprobs: readonly JsonValue[], sources: readonly JsonObject[]): void {
    const field = textIn(delta.reasoning_content) === '' ? 'reasoning' : 'reasoning_content'
    const thought = textIn(delta[field])
    if (thought !== '') this.#reasoning(field).add(this.#count(thought))
    const said = textIn(delta.content)
    const cites = sources.length > 0 || delta.annotations != null
    // Without a text of its own, a delta cites for the one that is open, which what was signed would close.
    if (cites && said === '') this.#annotate(delta, sources)
    const details = objectsIn(delta.reasoning_details)
    if (details.length > 0) this.#addState({ details })
    if (said !== '') {
      this.#message().add('output_text', this.#count(said), logprobs)
      this.#said += said.length
      this.#placeAnnotations()
    }
    const refused = textIn(delta.refusal)
    if (refused !== '') this.#message().add('refusal', this.#count(refused), [])
    if (cites && said !== '') this.#annotate(delta, sources)
    for (const search of objectsIn(delta.web_searches)) this.#addSearch(search)
    this.images += madeImagesIn(delta).length
    for (const image of imagesIn(delta)) this.#addImage(image)
    for (const call of listIn(delta.tool_calls)) this.#call(objectIn(call))
  }

  /** Closes what is still open. If the answer was cut, the last item is incomplete. */
  close(status: 'completed' | 'incomplete'): void {
    const last = this.#items.at(-1)
    for (const item of this.#items) if (item.open) item.close(item === last ? status : 'completed')
    this.#open = null
  }

  /** Marks what is open as incomplete, for a response that failed. No more events are sent for it. */
  markIncomplete(): void {
    for (const item of this.#items) if (item.open) item.finalize('incomplete')
  }

  #count(piece: string): string {
    this.size += this.#checkSize(piece.length)
    return piece
  }

  /** The length of what is added. Throws StreamBrokenError if it is too much. */
  #checkSize(length: number): number {
    if (this.size + this.#signedSize + length > MAX_CHARS)
      throw new StreamBrokenError('The model sent an answer that is too long.', `over ${MAX_CHARS} characters`)
    return length
  }

  #nextPosition(type: string): ItemPosition {
    const index = this.#items.length
    return { id: outputId(this.#responseId, type, index), index, sendEvent: this.#sendEvent }
  }

  #begin<T extends OpenItem>(item: T): T {
    this.#items.push(item)
    item.begin()
    return item
  }

  #message(): MessageBuilder {
    if (this.#open instanceof MessageBuilder) return this.#open
    this.#open?.close('completed')
    this.#saidBefore = this.#said
    const message = this.#begin(new MessageBuilder(this.#nextPosition('message')))
    this.#open = message
    return message
  }

  #reasoning(field: VendorState['field']): ReasoningBuilder {
    // A signature ends a thought.
    if (this.#open instanceof ReasoningBuilder && !this.#open.signed) return this.#open
    this.#open?.close('completed')
    const reasoning = this.#begin(new ReasoningBuilder(this.#nextPosition('reasoning')))
    reasoning.keep(field === undefined ? {} : { field })
    this.#open = reasoning
    return reasoning
  }

  /** What has to come back belongs to the open reasoning item. If there is none, it becomes an item of its own. */
  #addState(kept: VendorState): void {
    this.#signedSize += JSON.stringify(kept).length
    const open = this.#open instanceof ReasoningBuilder ? this.#open : this.#reasoning(undefined)
    open.keep(kept)
  }

  /** Sources belong to the open text, or to the next one if none is open: some vendors name them before they say anything. */
  #annotate(delta: JsonObject, sources: readonly JsonObject[]): void {
    const fresh = this.#annotations.take(delta, sources, this.#saidBefore)
    this.#signedSize += fresh.length > 0 ? JSON.stringify(fresh).length : 0
    this.#unplaced.push(...fresh)
    this.#placeAnnotations()
  }

  #placeAnnotations(): void {
    if (this.#unplaced.length === 0 || !(this.#open instanceof MessageBuilder)) return
    if (this.#open.annotate(this.#unplaced)) this.#unplaced = []
  }

  #addSearch({ query, status }: JsonObject): void {
    const search = { query: textIn(query), failed: status === 'failed' }
    this.#signedSize += this.#checkSize(search.query.length)
    this.#addWhole(new SearchBuilder(this.#nextPosition('web_search_call'), search))
  }

  #addImage(image: MadeImage): void {
    this.#signedSize += this.#checkSize(image.base64.length)
    this.#addWhole(new ImageBuilder(this.#nextPosition('image_generation_call'), image))
  }

  /** An item that arrives whole begins and ends at once. */
  #addWhole(item: OpenItem): void {
    this.#open?.close('completed')
    this.#open = null
    this.#begin(item).close('completed')
  }

  #call(delta: JsonObject | null): void {
    if (!delta) return
    const place = this.#indexer.indexOf(delta)
    const body = objectIn(delta.function) ?? objectIn(delta.custom)
    const call = this.#calls.get(place) ?? this.#beginCall(place, delta, textIn(body?.name))
    const piece = textIn(body?.arguments) || textIn(body?.input)
    if (piece !== '') call.add(this.#count(piece))
  }

  #beginCall(place: number, delta: JsonObject, name: string): CallBuilder {
    const callId = textIn(delta.id) || `call_${outputId(this.#responseId, 'function_call', this.#items.length).slice(3)}`
    const extra = objectIn(delta.extra_content)
    if (extra) this.#addState({ calls: { [callId]: extra } })
    this.#open?.close('completed')
    this.#open = null
    for (const call of this.#calls.values()) if (call.open && call.hasCompleteArguments) call.close('completed')
    const kind = delta.type === 'custom' || objectIn(delta.custom) ? 'custom_tool_call' : 'function_call'
    const call = this.#begin(new CallBuilder(this.#nextPosition(kind), kind, callId, this.#toolByChatName.get(name) ?? { name }))
    this.#calls.set(place, call)
    return call
  }
}
