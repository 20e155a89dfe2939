import type { JsonObject, JsonValue } from '../json.ts'
import { packVendorState, type VendorState } from './encrypted-content.ts'
import type { QualifiedName } from './namespaces.ts'

type Status = 'completed' | 'incomplete'

/** Sends an event: its type, and its fields except for the type and the sequence number. */
export type SendEvent = (type: string, fields: JsonObject) => void

/** The position of an item in its response. */
export interface ItemPosition {
  id: string
  index: number
  sendEvent: SendEvent
}

/** An item that is being written. */
export interface OpenItem {
  readonly value: JsonObject
  readonly open: boolean
  begin(): void
  /** Sends the events of its end. */
  close(status: Status): void
  /** Puts what has arrived into `value`, and sends nothing. */
  finalize(status: Status): void
  /** What the model generated for it. */
  generatedText(): string
}

export abstract class ItemBuilder implements OpenItem {
  readonly place: ItemPosition
  value: JsonObject = {}
  open = true

  constructor(place: ItemPosition) {
    this.place = place
  }

  begin(): void {
    this.place.sendEvent('response.output_item.added', { output_index: this.place.index, item: this.value })
  }

  close(status: Status): void {
    this.sendPartEnds()
    this.finalize(status)
    this.place.sendEvent('response.output_item.done', { output_index: this.place.index, item: this.value })
  }

  finalize(status: Status): void {
    this.open = false
    this.value = this.build(status)
  }

  protected sendItemEvent(type: string, fields: JsonObject): void {
    this.place.sendEvent(type, { item_id: this.place.id, output_index: this.place.index, ...fields })
  }

  /** Sends the ends of its parts. */
  protected abstract sendPartEnds(): void
  protected abstract build(status: Status): JsonObject
  abstract generatedText(): string
}

/**
 * What a model thought. Vendors show summaries or drafts. Both are sent as summaries, because every client has a place for these.
 */
export class ReasoningBuilder extends ItemBuilder {
  readonly #text: string[] = []
  #kept: VendorState = {}

  constructor(place: ItemPosition) {
    super(place)
    this.value = { id: place.id, type: 'reasoning', summary: [] }
  }

  /** True if something arrived that its vendor wants to see again. */
  get signed(): boolean {
    return this.#kept.details?.some(isSigned) === true
  }

  add(piece: string): void {
    if (this.#text.length === 0)
      this.sendItemEvent('response.reasoning_summary_part.added', { summary_index: 0, part: { type: 'summary_text', text: '' } })
    this.#text.push(piece)
    this.sendItemEvent('response.reasoning_summary_text.delta', { summary_index: 0, delta: piece })
  }

  keep(kept: VendorState): void {
    const { details, calls, field } = this.#kept
    const all = mergeDetails([...(details ?? []), ...(kept.details ?? [])])
    this.#kept = {
      ...((field ?? kept.field) ? { field: field ?? kept.field } : {}),
      ...(all.length > 0 ? { details: all } : {}),
      ...(calls || kept.calls ? { calls: { ...calls, ...kept.calls } } : {}),
    } as VendorState
  }

  generatedText(): string {
    return this.#text.join('')
  }

  protected sendPartEnds(): void {
    if (this.#text.length === 0) return
    const text = this.generatedText()
    this.sendItemEvent('response.reasoning_summary_text.done', { summary_index: 0, text })
    this.sendItemEvent('response.reasoning_summary_part.done', { summary_index: 0, part: { type: 'summary_text', text } })
  }

  protected build(): JsonObject {
    const summary = this.#text.length === 0 ? [] : [{ type: 'summary_text', text: this.generatedText() }]
    return { id: this.place.id, type: 'reasoning', summary, encrypted_content: packVendorState(this.#kept) }
  }
}

const isSigned = ({ signature, data }: JsonObject): boolean => typeof signature === 'string' || typeof data === 'string'

/** Some vendors send details in pieces. Those with the same index and type belong together. */
function mergeDetails(details: readonly JsonObject[]): JsonObject[] {
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

interface MessagePart {
  type: PartType
  text: string[]
  logprobs: JsonValue[]
  annotations: JsonObject[]
  ended: boolean
}

/** What a model says: parts of text and of refusal, in the order in which they arrived. */
export class MessageBuilder extends ItemBuilder {
  readonly #parts: MessagePart[] = []

  constructor(place: ItemPosition) {
    super(place)
    this.value = { id: place.id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  }

  add(type: PartType, piece: string, logprobs: readonly JsonValue[]): void {
    const last = this.#parts.at(-1)
    const part = last?.type === type ? last : this.#beginPart(type)
    part.text.push(piece)
    part.logprobs.push(...logprobs)
    const content_index = this.#parts.length - 1
    if (type === 'output_text')
      this.sendItemEvent('response.output_text.delta', { content_index, delta: piece, logprobs: [...logprobs] })
    else this.sendItemEvent('response.refusal.delta', { content_index, delta: piece })
  }

  /** Adds what the last part cites. False if that is not a text. */
  annotate(annotations: readonly JsonObject[]): boolean {
    const part = this.#parts.at(-1)
    if (part?.type !== 'output_text') return false
    for (const annotation of annotations) {
      part.annotations.push(annotation)
      const [content_index, annotation_index] = [this.#parts.length - 1, part.annotations.length - 1]
      this.sendItemEvent('response.output_text.annotation.added', { content_index, annotation_index, annotation })
    }
    return true
  }

  generatedText(): string {
    return this.#parts.map(({ text }) => text.join('')).join('')
  }

  #beginPart(type: PartType): MessagePart {
    this.#endPart()
    const part: MessagePart = { type, text: [], logprobs: [], annotations: [], ended: false }
    this.#parts.push(part)
    this.sendItemEvent('response.content_part.added', { content_index: this.#parts.length - 1, part: partOf(part) })
    return part
  }

  #endPart(): void {
    const content_index = this.#parts.length - 1
    const part = this.#parts[content_index]
    if (!part || part.ended) return
    part.ended = true
    const text = part.text.join('')
    if (part.type === 'output_text')
      this.sendItemEvent('response.output_text.done', { content_index, text, logprobs: part.logprobs })
    else this.sendItemEvent('response.refusal.done', { content_index, refusal: text })
    this.sendItemEvent('response.content_part.done', { content_index, part: partOf(part) })
  }

  protected sendPartEnds(): void {
    this.#endPart()
  }

  protected build(status: Status): JsonObject {
    const content = this.#parts.map(partOf)
    return { ...this.value, status, content }
  }
}

function partOf({ type, text: pieces, annotations, logprobs }: MessagePart): JsonObject {
  const text = pieces.join('')
  return type === 'output_text' ? { type, annotations: [...annotations], logprobs: [...logprobs], text } : { type, refusal: text }
}

type CallKind = 'function_call' | 'custom_tool_call'

/** A call of a tool. */
export class CallBuilder extends ItemBuilder {
  readonly #kind: CallKind
  readonly #tool: QualifiedName
  readonly #pieces: string[] = []

  constructor(place: ItemPosition, kind: CallKind, callId: string, tool: QualifiedName) {
    super(place)
    this.#kind = kind
    this.#tool = tool
    this.value = { id: place.id, type: kind, status: 'in_progress', call_id: callId, ...tool, ...this.#input('') }
  }

  /** True once its arguments are complete JSON, so nothing more can follow. */
  get hasCompleteArguments(): boolean {
    return this.#kind === 'function_call' && isJson(this.generatedText())
  }

  add(piece: string): void {
    // Only a blank after the last bracket can follow once a call is closed.
    if (!this.open) return
    this.#pieces.push(piece)
    const type =
      this.#kind === 'function_call' ? 'response.function_call_arguments.delta' : 'response.custom_tool_call_input.delta'
    this.sendItemEvent(type, { delta: piece })
  }

  generatedText(): string {
    return this.#pieces.join('')
  }

  #input(text: string): JsonObject {
    return this.#kind === 'function_call' ? { arguments: text } : { input: text }
  }

  protected sendPartEnds(): void {
    const input = this.#input(this.generatedText())
    if (this.#kind === 'function_call')
      this.sendItemEvent('response.function_call_arguments.done', { name: this.#tool.name, ...input })
    else this.sendItemEvent('response.custom_tool_call_input.done', input)
  }

  protected build(status: Status): JsonObject {
    return { ...this.value, status, ...this.#input(this.generatedText()) }
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
