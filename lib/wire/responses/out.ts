import type { JsonObject, JsonValue } from '../json.ts'
import type { Called } from './namespaces.ts'
import { type Kept, packKept } from './thoughts.ts'

type Status = 'completed' | 'incomplete'

/** Sends an event: its type, and its fields except for the type and the sequence number. */
export type Tell = (type: string, fields: JsonObject) => void

/** The position of an item in its response. */
export interface Place {
  id: string
  index: number
  tell: Tell
}

/** An item that is being written. */
export interface OpenItem {
  readonly value: JsonObject
  readonly open: boolean
  begin(): void
  /** Sends the events of its end. */
  close(status: Status): void
  /** Puts what has arrived into `value`, and sends nothing. */
  settle(status: Status): void
  /** What the model generated for it. */
  said(): string
}

abstract class Out implements OpenItem {
  readonly place: Place
  value: JsonObject = {}
  open = true

  constructor(place: Place) {
    this.place = place
  }

  begin(): void {
    this.place.tell('response.output_item.added', { output_index: this.place.index, item: this.value })
  }

  close(status: Status): void {
    this.finish()
    this.settle(status)
    this.place.tell('response.output_item.done', { output_index: this.place.index, item: this.value })
  }

  settle(status: Status): void {
    this.open = false
    this.value = this.made(status)
  }

  protected tell(type: string, fields: JsonObject): void {
    this.place.tell(type, { item_id: this.place.id, output_index: this.place.index, ...fields })
  }

  /** Sends the ends of its parts. */
  protected abstract finish(): void
  protected abstract made(status: Status): JsonObject
  abstract said(): string
}

/**
 * What a model thought. Vendors show summaries or drafts. Both are sent as summaries, because every client has a place for these.
 */
export class ReasoningOut extends Out {
  readonly #text: string[] = []
  #kept: Kept = {}

  constructor(place: Place) {
    super(place)
    this.value = { id: place.id, type: 'reasoning', summary: [] }
  }

  /** True if something arrived that its vendor wants to see again. */
  get signed(): boolean {
    return this.#kept.details?.some(isSigned) === true
  }

  add(piece: string): void {
    if (this.#text.length === 0)
      this.tell('response.reasoning_summary_part.added', { summary_index: 0, part: { type: 'summary_text', text: '' } })
    this.#text.push(piece)
    this.tell('response.reasoning_summary_text.delta', { summary_index: 0, delta: piece })
  }

  keep(kept: Kept): void {
    const { details, calls, field } = this.#kept
    const all = joinDetails([...(details ?? []), ...(kept.details ?? [])])
    this.#kept = {
      ...((field ?? kept.field) ? { field: field ?? kept.field } : {}),
      ...(all.length > 0 ? { details: all } : {}),
      ...(calls || kept.calls ? { calls: { ...calls, ...kept.calls } } : {}),
    } as Kept
  }

  said(): string {
    return this.#text.join('')
  }

  protected finish(): void {
    if (this.#text.length === 0) return
    const text = this.said()
    this.tell('response.reasoning_summary_text.done', { summary_index: 0, text })
    this.tell('response.reasoning_summary_part.done', { summary_index: 0, part: { type: 'summary_text', text } })
  }

  protected made(): JsonObject {
    const summary = this.#text.length === 0 ? [] : [{ type: 'summary_text', text: this.said() }]
    return { id: this.place.id, type: 'reasoning', summary, encrypted_content: packKept(this.#kept) }
  }
}

const isSigned = ({ signature, data }: JsonObject): boolean => typeof signature === 'string' || typeof data === 'string'

/** Some vendors send details in pieces. Those with the same index and type belong together. */
function joinDetails(details: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = []
  for (const detail of details) {
    const last = joined.at(-1)
    if (!last || last.index === undefined || last.index !== detail.index || last.type !== detail.type || isSigned(last))
      joined.push(detail)
    else {
      const pieces = ['text', 'summary', 'data'].flatMap((name): [string, JsonValue][] =>
        typeof last[name] === 'string' && typeof detail[name] === 'string' ? [[name, `${last[name]}${detail[name]}`]] : [],
      )
      joined[joined.length - 1] = { ...last, ...detail, ...Object.fromEntries(pieces) }
    }
  }
  return joined
}

type PartType = 'output_text' | 'refusal'

interface SaidPart {
  type: PartType
  text: string[]
  logprobs: JsonValue[]
  ended: boolean
}

/** What a model says: parts of text and of refusal, in the order in which they arrived. */
export class MessageOut extends Out {
  readonly #parts: SaidPart[] = []

  constructor(place: Place) {
    super(place)
    this.value = { id: place.id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  }

  add(type: PartType, piece: string, logprobs: readonly JsonValue[]): void {
    const last = this.#parts.at(-1)
    const part = last?.type === type ? last : this.#beginPart(type)
    part.text.push(piece)
    part.logprobs.push(...logprobs)
    const content_index = this.#parts.length - 1
    if (type === 'output_text') this.tell('response.output_text.delta', { content_index, delta: piece, logprobs: [...logprobs] })
    else this.tell('response.refusal.delta', { content_index, delta: piece })
  }

  said(): string {
    return this.#parts.map(({ text }) => text.join('')).join('')
  }

  #beginPart(type: PartType): SaidPart {
    this.#endPart()
    const part: SaidPart = { type, text: [], logprobs: [], ended: false }
    this.#parts.push(part)
    this.tell('response.content_part.added', { content_index: this.#parts.length - 1, part: partOf(type, '', []) })
    return part
  }

  #endPart(): void {
    const content_index = this.#parts.length - 1
    const part = this.#parts[content_index]
    if (!part || part.ended) return
    part.ended = true
    const text = part.text.join('')
    if (part.type === 'output_text') this.tell('response.output_text.done', { content_index, text, logprobs: part.logprobs })
    else this.tell('response.refusal.done', { content_index, refusal: text })
    this.tell('response.content_part.done', { content_index, part: partOf(part.type, text, part.logprobs) })
  }

  protected finish(): void {
    this.#endPart()
  }

  protected made(status: Status): JsonObject {
    const content = this.#parts.map(({ type, text, logprobs }) => partOf(type, text.join(''), logprobs))
    return { ...this.value, status, content }
  }
}

const partOf = (type: PartType, text: string, logprobs: JsonValue[]): JsonObject =>
  type === 'output_text' ? { type, annotations: [], logprobs, text } : { type, refusal: text }

type CallKind = 'function_call' | 'custom_tool_call'

/** A call of a tool. */
export class CallOut extends Out {
  readonly #kind: CallKind
  readonly #called: Called
  readonly #pieces: string[] = []

  constructor(place: Place, kind: CallKind, callId: string, called: Called) {
    super(place)
    this.#kind = kind
    this.#called = called
    this.value = { id: place.id, type: kind, status: 'in_progress', call_id: callId, ...called, ...this.#input('') }
  }

  /** True once its arguments are complete JSON, so nothing more can follow. */
  get whole(): boolean {
    return this.#kind === 'function_call' && isJson(this.said())
  }

  add(piece: string): void {
    // Only a blank after the last bracket can follow once a call is closed.
    if (!this.open) return
    this.#pieces.push(piece)
    const type =
      this.#kind === 'function_call' ? 'response.function_call_arguments.delta' : 'response.custom_tool_call_input.delta'
    this.tell(type, { delta: piece })
  }

  said(): string {
    return this.#pieces.join('')
  }

  #input(text: string): JsonObject {
    return this.#kind === 'function_call' ? { arguments: text } : { input: text }
  }

  protected finish(): void {
    const input = this.#input(this.said())
    if (this.#kind === 'function_call') this.tell('response.function_call_arguments.done', { name: this.#called.name, ...input })
    else this.tell('response.custom_tool_call_input.done', input)
  }

  protected made(status: Status): JsonObject {
    return { ...this.value, status, ...this.#input(this.said()) }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
