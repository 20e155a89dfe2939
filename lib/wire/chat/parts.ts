import type { LanguagePart } from '../../domain/language.ts'
import type { Usage } from '../../domain/usage.ts'
import { type LanguageHead, type NonStreamingAnswer, StreamBrokenError, type StreamEnd, type StreamTap } from '../answer.ts'
import { NO_BYTES } from '../bytes.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { DONE, encodeEvent } from '../sse.ts'
import { customToolNames } from './custom-tools.ts'
import { ChatDeltas } from './deltas.ts'
import { ChatFold } from './fold.ts'
import { answerIdOf, createdOf } from './head.ts'
import type { ChatBody } from './schema.ts'
import { writeChatUsage } from './usage.ts'

/** What of a request decides how its answer is written. */
type Asked = Pick<ChatBody, 'n' | 'tools' | 'stream_options'>

const idOf = (head: LanguageHead): string => answerIdOf('chatcmpl', head)

const deltasOf = ({ skills }: LanguageHead, body: Asked): ChatDeltas =>
  new ChatDeltas(skills, body.n ?? 1, { customTools: customToolNames(body) })

/** The `usage` of a bridged answer: OpenAI's form, with what was written to a cache. */
function usageOf(usage: Usage, costNano: bigint): JsonValue {
  const cacheWriteDetails =
    usage.cacheWrite > 0n ? { prompt_tokens_details: { cache_write_tokens: Number(usage.cacheWrite) } } : null
  return writeChatUsage(usage, costNano, cacheWriteDetails)
}

/** Writes a bridged model's parts as the chunks of a streamed chat answer. */
export class ChatPartsTap implements StreamTap<LanguagePart> {
  readonly #head: LanguageHead
  readonly #wantsUsage: boolean
  readonly #deltas: ChatDeltas
  readonly #fold = new ChatFold()
  readonly #startedChoices = new Set<number>()
  readonly #prefix: string

  constructor(options: { head: LanguageHead; body: Asked }) {
    this.#head = options.head
    this.#wantsUsage = options.body.stream_options?.include_usage === true
    this.#deltas = deltasOf(options.head, options.body)
    const head = { id: idOf(options.head), object: 'chat.completion.chunk', created: createdOf(options.head) }
    this.#fold.add({ id: head.id, created: head.created })
    this.#prefix = `data: ${JSON.stringify({ ...head, model: options.head.modelId }).slice(0, -1)},"choices":[{"index":`
  }

  get started(): boolean {
    return this.#fold.started
  }

  get broken(): StreamBrokenError | null {
    return this.#deltas.broken
  }

  get done(): boolean {
    return this.#deltas.done
  }

  push(part: LanguagePart): Uint8Array {
    const read = this.#deltas.read(part)
    if (read === null) return NO_BYTES
    const { index, finishReason } = read
    this.#fold.addDelta(index, read.delta, finishReason)
    const delta = this.#startedChoices.has(index) ? read.delta : { role: 'assistant', ...read.delta }
    this.#startedChoices.add(index)
    const finish = finishReason === null ? 'null' : `"${finishReason}"`
    return Buffer.from(
      `${this.#prefix}${index},"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${finish}}]}\n\n`,
    )
  }

  end(): StreamEnd {
    return { complete: this.done, usage: this.#deltas.usage(), finishReason: this.#fold.finishReason }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    if (!this.#wantsUsage) return DONE
    const chunk = {
      id: idOf(this.#head),
      object: 'chat.completion.chunk',
      created: createdOf(this.#head),
      model: this.#head.modelId,
      choices: [],
      usage: usageOf(usage, costNano),
    }
    return Buffer.concat([encodeEvent(JSON.stringify(chunk)), DONE])
  }

  text(): string {
    return this.#fold.text()
  }

  get images(): number {
    return this.#fold.images
  }

  get searches(): number {
    return this.#deltas.searches
  }

  toAnswerJson(): JsonValue {
    return this.#fold.toAnswerJson(this.#head.modelId)
  }
}

/** Reads the parts of a non-streaming answer. Throws StreamBrokenError if they have no end. */
export function readNonStreamingParts(parts: readonly LanguagePart[], head: LanguageHead, body: Asked): NonStreamingAnswer {
  const deltas = deltasOf(head, body)
  const fold = new ChatFold(Number.POSITIVE_INFINITY)
  fold.add({ id: idOf(head), created: createdOf(head) })
  const finalDeltas = new Map<number, JsonObject>()
  const images = new Map<number, JsonValue[]>()
  for (const part of parts) {
    const read = deltas.read(part)
    if (deltas.broken) throw deltas.broken
    if (read === null) continue
    fold.addDelta(read.index, read.delta, read.finishReason)
    if (Array.isArray(read.delta.images)) images.set(read.index, [...(images.get(read.index) ?? []), ...read.delta.images])
    if (read.finishReason !== null) finalDeltas.set(read.index, read.delta)
  }
  if (!deltas.done) throw new StreamBrokenError("The model's vendor ended the answer early.", 'the answer has no end')
  const folded = withImages(fold.toAnswerJson(head.modelId) as JsonObject, images)
  return {
    usage: deltas.usage(),
    finishReason: fold.finishReason,
    text: () => fold.text(),
    images: fold.images,
    searches: deltas.searches,
    encode: (usage, costNano) =>
      Buffer.from(
        JSON.stringify({ ...folded, choices: withSignedThoughts(folded, finalDeltas), usage: usageOf(usage, costNano) }),
      ),
    toAnswerJson: () => folded,
  }
}

function withImages(answer: JsonObject, images: ReadonlyMap<number, JsonValue[]>): JsonObject {
  if (images.size === 0) return answer
  const choices = (answer.choices as JsonObject[]).map((choice) => {
    const made = images.get(choice.index as number)
    return made ? { ...choice, message: { ...(choice.message as JsonObject), images: made } } : choice
  })
  return { ...answer, choices }
}

/** The choices, with what only the client gets: the thoughts that it has to send back. */
function withSignedThoughts(folded: JsonObject, finalDeltas: ReadonlyMap<number, JsonObject>): JsonObject[] {
  return (folded.choices as JsonObject[]).map((choice) => {
    const { reasoning_details } = finalDeltas.get(choice.index as number) ?? {}
    const message = choice.message as JsonObject
    const content = message.content ?? (message.tool_calls ? null : '')
    return {
      ...choice,
      logprobs: null,
      message: { refusal: null, ...message, content, ...(reasoning_details ? { reasoning_details } : {}) },
    }
  })
}
