import { StreamBroken } from '../answer.ts'
import { CallPlaces } from '../call-places.ts'
import { type JsonObject, type JsonValue, objectIn, textIn } from '../json.ts'
import { outputId } from './ids.ts'
import type { Called } from './namespaces.ts'
import { CallOut, MessageOut, type OpenItem, type Place, ReasoningOut, type Tell } from './out.ts'
import type { Kept } from './thoughts.ts'

/** Text beyond this many characters is more than any cap allows. */
const MAX_KEPT = 32_000_000

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * Writes a chat's choice as the items of a response, and sends the events of each. Reasoning, text and refusals are open one at a
 * time. A call is closed when its arguments are complete and another one begins, or at the end.
 */
export class ItemWriter {
  readonly #responseId: string
  readonly #tell: Tell
  readonly #named: ReadonlyMap<string, Called>
  #open: MessageOut | ReasoningOut | null = null
  readonly #calls = new Map<number, CallOut>()
  readonly #places = new CallPlaces()
  readonly #items: OpenItem[] = []
  /** How many characters were generated. */
  size = 0
  /** The size of what was signed, which is counted separately. */
  #signed = 0

  /** `named` says which tools have other names in the chat. */
  constructor(responseId: string, tell: Tell, named: ReadonlyMap<string, Called>) {
    this.#responseId = responseId
    this.#tell = tell
    this.#named = named
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
    return this.#items.map((item) => item.said()).join('')
  }

  /** Takes a chat's delta, or the message of a whole chat. Throws StreamBroken if it is more than can be kept. */
  add(delta: JsonObject, logprobs: readonly JsonValue[] = []): void {
    const field = textIn(delta.reasoning_content) === '' ? 'reasoning' : 'reasoning_content'
    const thought = textIn(delta[field])
    if (thought !== '') this.#reasoning(field).add(this.#weigh(thought))
    const details = list(delta.reasoning_details).filter((item) => objectIn(item) !== null) as JsonObject[]
    if (details.length > 0) this.#keep({ details })
    const said = textIn(delta.content)
    if (said !== '') this.#message().add('output_text', this.#weigh(said), logprobs)
    const refused = textIn(delta.refusal)
    if (refused !== '') this.#message().add('refusal', this.#weigh(refused), [])
    for (const call of list(delta.tool_calls)) this.#call(objectIn(call))
  }

  /** Closes what is still open. If the answer was cut, the last item is incomplete. */
  close(status: 'completed' | 'incomplete'): void {
    const last = this.#items.at(-1)
    for (const item of this.#items) if (item.open) item.close(item === last ? status : 'completed')
    this.#open = null
  }

  /** Marks what is open as incomplete, for a response that failed. No more events are sent for it. */
  abandon(): void {
    for (const item of this.#items) if (item.open) item.settle('incomplete')
  }

  #weigh(piece: string): string {
    this.size += piece.length
    if (this.size + this.#signed > MAX_KEPT)
      throw new StreamBroken('The model sent an answer that is too long.', `over ${MAX_KEPT} characters`)
    return piece
  }

  #place(type: string): Place {
    const index = this.#items.length
    return { id: outputId(this.#responseId, type, index), index, tell: this.#tell }
  }

  #begin<T extends OpenItem>(item: T): T {
    this.#items.push(item)
    item.begin()
    return item
  }

  #message(): MessageOut {
    if (this.#open instanceof MessageOut) return this.#open
    this.#open?.close('completed')
    const message = this.#begin(new MessageOut(this.#place('message')))
    this.#open = message
    return message
  }

  #reasoning(field: Kept['field']): ReasoningOut {
    // A signature ends a thought.
    if (this.#open instanceof ReasoningOut && !this.#open.signed) return this.#open
    this.#open?.close('completed')
    const reasoning = this.#begin(new ReasoningOut(this.#place('reasoning')))
    reasoning.keep(field === undefined ? {} : { field })
    this.#open = reasoning
    return reasoning
  }

  /** What has to come back belongs to the open reasoning item. If there is none, it becomes an item of its own. */
  #keep(kept: Kept): void {
    this.#signed += JSON.stringify(kept).length
    const open = this.#open instanceof ReasoningOut ? this.#open : this.#reasoning(undefined)
    open.keep(kept)
  }

  #call(delta: JsonObject | null): void {
    if (!delta) return
    const place = this.#places.of(delta)
    const body = objectIn(delta.function) ?? objectIn(delta.custom)
    const call = this.#calls.get(place) ?? this.#beginCall(place, delta, textIn(body?.name))
    const piece = textIn(body?.arguments) || textIn(body?.input)
    if (piece !== '') call.add(this.#weigh(piece))
  }

  #beginCall(place: number, delta: JsonObject, name: string): CallOut {
    const callId = textIn(delta.id) || `call_${outputId(this.#responseId, 'function_call', this.#items.length).slice(3)}`
    const extra = objectIn(delta.extra_content)
    if (extra) this.#keep({ calls: { [callId]: extra } })
    this.#open?.close('completed')
    this.#open = null
    for (const call of this.#calls.values()) if (call.open && call.whole) call.close('completed')
    const kind = delta.type === 'custom' || objectIn(delta.custom) ? 'custom_tool_call' : 'function_call'
    const call = this.#begin(new CallOut(this.#place(kind), kind, callId, this.#named.get(name) ?? { name }))
    this.#calls.set(place, call)
    return call
  }
}
