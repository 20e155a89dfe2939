import { CallIndexer } from '../call-indexer.ts'
import { type JsonObject, type JsonValue, listIn, objectIn, objectsIn, textIn } from '../json.ts'
import { madeImagesIn, redactMedia } from './media.ts'

/** Text beyond this many characters is counted but not kept. */
const MAX_KEPT_CHARS = 1_000_000
/** The same for notes of images, and for what is cited. */
const MAX_KEPT_IMAGES = 100
const MAX_KEPT_ANNOTATIONS = 1000

interface Call {
  id: string
  type: string
  name: string
  args: string[]
  /** What a vendor signed. It is sent back with the call. */
  extra: JsonObject | null
}

interface Choice {
  content: string[]
  reasoning: string[]
  refusal: string[]
  /** Notes of them: each image is larger than a long text. */
  images: JsonValue[]
  annotations: JsonObject[]
  calls: Map<number, Call>
  callIndexer: CallIndexer
  /** The form of a call before there could be several. */
  functionCall: { name: string; args: string[] } | null
  finishReason: string | null
  /** Whether it has said something, even if only its role. */
  begun: boolean
}

const newChoice = (): Choice => ({
  content: [],
  reasoning: [],
  refusal: [],
  images: [],
  annotations: [],
  calls: new Map(),
  callIndexer: new CallIndexer(),
  functionCall: null,
  finishReason: null,
  begun: false,
})

/** Folds the chunks of a streamed chat answer into the whole form, for history and for counting. */
export class ChatFold {
  #choices = new Map<number, Choice>()
  #head: { id: JsonValue; created: JsonValue } | null = null
  #keptChars = 0
  #droppedChars = 0
  readonly #maxKeptChars: number

  /** True once a choice has said something. */
  started = false
  /** How many images have arrived. */
  images = 0

  /** `maxKeptChars` is in characters. */
  constructor(options: { maxKeptChars: number } = { maxKeptChars: MAX_KEPT_CHARS }) {
    this.#maxKeptChars = options.maxKeptChars
  }

  /** Takes the contents of a chunk that the gateway makes itself, so there is nothing to parse. */
  addDelta(index: number, delta: JsonObject, finishReason: string | null): void {
    this.#addChoice({ index, delta, finish_reason: finishReason })
  }

  /** Takes the parsed JSON of one chunk. */
  add(chunk: JsonObject): void {
    if (!this.#head?.id) this.#head = { id: chunk.id ?? null, created: chunk.created ?? null }
    for (const item of listIn(chunk.choices)) {
      const choice = objectIn(item)
      if (choice) this.#addChoice(choice)
    }
  }

  /** Takes text that is added to a choice which has begun. */
  addContent(index: number, piece: string): void {
    const choice = this.#choices.get(index)
    if (choice) this.#keep(choice.content, piece)
  }

  /** The reason of the first choice. */
  get finishReason(): string | null {
    return this.#choices.get(0)?.finishReason ?? [...this.#choices.values()][0]?.finishReason ?? null
  }

  /** Whether a choice has said something, even if only its role. */
  hasBegun(index: number): boolean {
    return this.#choices.get(index)?.begun === true
  }

  /** True when every choice that began has ended. */
  get finished(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every((choice) => choice.finishReason !== null)
  }

  /** The choices that began and have not ended. */
  openChoices(): number[] {
    return [...this.#choices].filter(([, { finishReason }]) => finishReason === null).map(([index]) => index)
  }

  /** How many characters were generated. */
  get size(): number {
    return this.#keptChars + this.#droppedChars
  }

  /** Everything that was generated, for counting. */
  text(): string {
    const parts = [...this.#choices.values()].flatMap((choice) => [
      ...choice.reasoning,
      ...choice.content,
      ...choice.refusal,
      ...[...choice.calls.values(), ...(choice.functionCall ? [choice.functionCall] : [])].flatMap((call) => [
        call.name,
        ...call.args,
      ]),
    ])
    return parts.join('') + 'x '.repeat(Math.ceil(this.#droppedChars / 8))
  }

  toAnswerJson(model: string): JsonValue {
    return {
      ...this.#head,
      object: 'chat.completion',
      model,
      choices: [...this.#choices]
        .sort(([a], [b]) => a - b)
        .map(([index, choice]) => ({
          index,
          message: messageOf(choice),
          finish_reason: choice.finishReason,
        })),
      ...(this.#droppedChars > 0 ? { truncated: true } : {}),
    }
  }

  #addChoice(item: JsonObject): void {
    const index = typeof item.index === 'number' ? item.index : 0
    const choice = this.#choices.get(index) ?? newChoice()
    this.#choices.set(index, choice)
    if (typeof item.finish_reason === 'string') choice.finishReason = item.finish_reason
    const delta = objectIn(item.delta)
    if (!delta) return
    choice.begun = true
    this.#keep(choice.content, textIn(delta.content))
    this.#keep(choice.reasoning, textIn(delta.reasoning_content) || textIn(delta.reasoning))
    this.#keep(choice.refusal, textIn(delta.refusal))
    for (const image of madeImagesIn(delta)) this.#addImage(choice, image)
    if (delta.annotations != null)
      choice.annotations.push(...objectsIn(delta.annotations).slice(0, MAX_KEPT_ANNOTATIONS - choice.annotations.length))
    for (const call of listIn(delta.tool_calls)) this.#addCall(choice, objectIn(call))
    this.#addFunctionCall(choice, objectIn(delta.function_call))
  }

  #addImage(choice: Choice, image: JsonObject): void {
    this.images++
    this.started = true
    if (choice.images.length < MAX_KEPT_IMAGES) choice.images.push(redactMedia(image))
  }

  #addFunctionCall(choice: Choice, delta: JsonObject | null): void {
    if (!delta) return
    choice.functionCall ??= { name: '', args: [] }
    choice.functionCall.name ||= textIn(delta.name)
    this.#keep(choice.functionCall.args, textIn(delta.arguments))
    this.started = true
  }

  #addCall(choice: Choice, delta: JsonObject | null): void {
    if (!delta) return
    const place = choice.callIndexer.indexOf(delta)
    const call = choice.calls.get(place) ?? { id: '', type: 'function', name: '', args: [], extra: null }
    choice.calls.set(place, call)
    call.id ||= textIn(delta.id)
    call.extra ??= objectIn(delta.extra_content)
    const body = objectIn(delta.function) ?? objectIn(delta.custom)
    call.name ||= textIn(body?.name)
    this.#keep(call.args, textIn(body?.arguments) || textIn(body?.input))
    this.started = true
  }

  #keep(parts: string[], piece: string): void {
    if (piece === '') return
    this.started = true
    if (this.#keptChars + piece.length > this.#maxKeptChars) this.#droppedChars += piece.length
    else {
      this.#keptChars += piece.length
      parts.push(piece)
    }
  }
}

function messageOf(choice: Choice): JsonObject {
  const calls = [...choice.calls]
    .sort(([a], [b]) => a - b)
    .map(([, call]) => ({
      id: call.id,
      type: call.type,
      function: { name: call.name, arguments: call.args.join('') },
      ...(call.extra ? { extra_content: call.extra } : {}),
    }))
  return {
    role: 'assistant',
    content: choice.content.length > 0 ? choice.content.join('') : null,
    ...(choice.reasoning.length > 0 ? { reasoning_content: choice.reasoning.join('') } : {}),
    ...(choice.refusal.length > 0 ? { refusal: choice.refusal.join('') } : {}),
    ...(choice.images.length > 0 ? { images: choice.images } : {}),
    ...(choice.annotations.length > 0 ? { annotations: choice.annotations } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(choice.functionCall
      ? { function_call: { name: choice.functionCall.name, arguments: choice.functionCall.args.join('') } }
      : {}),
  }
}
