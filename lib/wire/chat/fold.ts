import { CallIndexer } from '../call-indexer.ts'
import { ChoiceFold } from '../choice-fold.ts'
import { type JsonObject, type JsonValue, listIn, objectIn, objectsIn, textIn } from '../json.ts'
import { madeImagesIn, redactMedia } from './media.ts'

/** How many notes of images, and of what is cited, are kept. */
const MAX_KEPT_IMAGES = 100
const MAX_KEPT_ANNOTATIONS = 1000

interface Call {
  id: string
  type: string
  name: string
  /** The pieces of its arguments, or of the text with which a custom tool is called. */
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

/** Folds the chunks of a streamed chat answer into the whole form, for history and for counting. */
export class ChatFold extends ChoiceFold<Choice> {
  /** True once a choice has said something. */
  started = false
  /** How many images have arrived. */
  images = 0

  /** Takes the contents of a chunk that the gateway makes itself, so there is nothing to parse. */
  addDelta(index: number, delta: JsonObject, finishReason: string | null): void {
    this.addPart({ index, delta, finish_reason: finishReason })
  }

  /** Takes text that is added to a choice which has begun. */
  addContent(index: number, piece: string): void {
    const choice = this.choices.get(index)
    if (choice) this.#keep(choice.content, piece)
  }

  /** Whether a choice has said something, even if only its role. */
  hasBegun(index: number): boolean {
    return this.choices.get(index)?.begun === true
  }

  /** The choices that began and have not ended. */
  openChoices(): number[] {
    return [...this.choices].filter(([, { finishReason }]) => finishReason === null).map(([index]) => index)
  }

  /** Everything that was generated, for counting. */
  text(): string {
    const parts = [...this.choices.values()].flatMap((choice) => [
      ...choice.reasoning,
      ...choice.content,
      ...choice.refusal,
      ...[...choice.calls.values(), ...(choice.functionCall ? [choice.functionCall] : [])].flatMap((call) => [
        call.name,
        ...call.args,
      ]),
    ])
    return parts.join('') + this.placeholder
  }

  toAnswerJson(model: string): JsonValue {
    return this.wholeJson('chat.completion', model, (choice) => ({ message: messageOf(choice) }))
  }

  protected createChoice(): Choice {
    return {
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
    }
  }

  protected extend(choice: Choice, part: JsonObject): void {
    const delta = objectIn(part.delta)
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
    if (delta.type === 'custom' || objectIn(delta.custom)) call.type = 'custom'
    const body = objectIn(delta.function) ?? objectIn(delta.custom)
    call.name ||= textIn(body?.name)
    this.#keep(call.args, textIn(body?.arguments) || textIn(body?.input))
    this.started = true
  }

  #keep(parts: string[], piece: string): void {
    if (piece === '') return
    this.started = true
    this.keep(parts, piece)
  }
}

function messageOf(choice: Choice): JsonObject {
  const calls = [...choice.calls]
    .sort(([a], [b]) => a - b)
    .map(([, call]) => ({
      id: call.id,
      type: call.type,
      ...(call.type === 'custom'
        ? { custom: { name: call.name, input: call.args.join('') } }
        : { function: { name: call.name, arguments: call.args.join('') } }),
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
