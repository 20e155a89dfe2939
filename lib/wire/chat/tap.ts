import type { Usage } from '../../domain/usage.ts'
import { createUnreadableError, type StreamBrokenError, type StreamEnd, type StreamTap } from '../answer.ts'
import { concatPieces, NO_BYTES } from '../bytes.ts'
import { failureIn } from '../event-objects.ts'
import { type JsonObject, type JsonValue, objectIn } from '../json.ts'
import { normalizeChoices } from '../normalize-choices.ts'
import { RunningUsage } from '../running-usage.ts'
import {
  DONE,
  EventSplitter,
  encodeEvent,
  endsWithDone,
  eventEnd,
  isDoneMarker,
  isPlainEvent,
  isStreamComplete,
  KEEP_ALIVE,
  meaningfulDataOf,
} from '../sse.ts'
import { CallNormalizer } from './calls.ts'
import { ChatFold } from './fold.ts'
import { answerIdOf, type ChatHead, createdOf, headOf, normalizeHead, normalizeRoles } from './head.ts'
import type { AnswerRules } from './non-streaming.ts'
import { ContentPattern } from './pattern.ts'
import { readChatUsage, usageIn, writeChatUsage } from './usage.ts'

/** An event can be an image that the model made, with its base64. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024
/** A stream whose events keep changing their form is parsed event by event. */
const MAX_PATTERNS = 8
/** If events differ only in their text, the first one has begun their choice. */
const ALWAYS_BEGUN = () => true
const COLON = 58

/** What a tap writes into the chunks that pass: those of a chat by default. */
export interface ChunkKind {
  object: string
  idPrefix: 'chatcmpl' | 'cmpl'
  fold: Pick<ChatFold, 'add' | 'addContent' | 'started' | 'finished' | 'finishReason' | 'text' | 'size' | 'toAnswerJson'> &
    // Absent if choices have no roles, no deltas and no images.
    Partial<Pick<ChatFold, 'hasBegun' | 'openChoices' | 'images'>>
}

/**
 * The tap on a streamed chat answer, and on a legacy completion, whose chunks have their text in another place. Events pass as
 * the vendor's own bytes, with the model's name replaced. Only chunks that carry usage, or are not in OpenAI's terms, are removed
 * or rewritten.
 */
export class ChatTap implements StreamTap {
  readonly #modelId: string
  readonly #wantsUsage: boolean
  readonly #splitter = new EventSplitter({ maxEventBytes: MAX_EVENT_BYTES })
  /** What chunks say about themselves: from the first one on the same, which is the vendor's if clients can read it. */
  #head: ChatHead
  readonly #fold: ChunkKind['fold']
  readonly #calls: CallNormalizer
  readonly #runningUsage = new RunningUsage()
  #rawUsage: JsonObject | null = null
  #hasBegun = false
  #pattern: ContentPattern | null = null
  #patternCount = 0
  done = false
  broken: StreamBrokenError | null = null

  constructor({ rules, wantsUsage, kind }: { rules: AnswerRules; wantsUsage: boolean; kind?: ChunkKind }) {
    const { object, idPrefix, fold } = kind ?? { object: 'chat.completion.chunk', idPrefix: 'chatcmpl', fold: new ChatFold() }
    this.#modelId = rules.modelId
    this.#wantsUsage = wantsUsage
    this.#calls = new CallNormalizer(rules)
    this.#head = { id: answerIdOf(idPrefix, rules), object, created: createdOf(rules) }
    this.#fold = fold
  }

  get started(): boolean {
    return this.#fold.started
  }

  push(bytes: Uint8Array): Uint8Array {
    let events: Buffer
    try {
      events = this.#splitter.push(bytes)
    } catch (error) {
      this.#break(String(error))
      return NO_BYTES
    }
    if (events.length === 0) return NO_BYTES
    const out: Buffer[] = []
    for (let at = 0; at < events.length && !this.done && !this.broken; ) {
      const plain = this.#pattern?.match(events, at)
      if (plain) {
        this.#fold.addContent(this.#pattern?.choice ?? 0, plain.text)
        out.push(...plain.out)
        at = plain.end
        continue
      }
      const end = eventEnd(events, at)
      const raw = events.subarray(at, end)
      const data = meaningfulDataOf(raw)
      const passed = data === null ? this.#comment(raw) : this.#event(data, raw)
      if (passed) out.push(passed)
      at = end
    }
    return concatPieces(out)
  }

  end(): StreamEnd {
    const rest = this.#splitter.rest()
    // A last event may lack its empty line. Half an event means that the stream was cut, and empty lines mean nothing.
    const left = rest.toString().trim()
    if (!this.done && endsWithDone(left)) this.done = true
    return {
      complete: isStreamComplete({ done: this.done, started: this.#fold.started, finished: this.#fold.finished, left }),
      usage: this.#runningUsage.usage,
      finishReason: this.#fold.finishReason,
    }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    const head = { ...this.#head, model: this.#modelId }
    const open = this.#fold.openChoices?.() ?? []
    // Some servers end a stream without a word why. Clients wait for a reason, and OpenAI always has one.
    const ends = { ...head, choices: open.map((index) => ({ index, delta: {}, finish_reason: 'stop' })) }
    return Buffer.concat([
      ...(open.length === 0 ? [] : [encodeEvent(JSON.stringify(this.#calls.normalize(ends)))]),
      ...(this.#wantsUsage
        ? [encodeEvent(JSON.stringify({ ...head, choices: [], usage: writeChatUsage(usage, costNano, this.#rawUsage) }))]
        : []),
      DONE,
    ])
  }

  text(): string {
    return this.#fold.text()
  }

  get images(): number {
    return this.#fold.images ?? 0
  }

  get uncounted(): number {
    return this.#runningUsage.charsSince(this.#fold.size)
  }

  get uncountedImages(): number {
    return this.#runningUsage.imagesSince(this.images)
  }

  toAnswerJson(): JsonObject {
    return this.#fold.toAnswerJson(this.#modelId) as JsonObject
  }

  /**
   * A comment keeps a connection alive, but its text is not passed on. Before the first chunk it would only fix the status, which
   * can still become an error's. Events without data have no effect.
   */
  #comment(raw: Buffer): Buffer | null {
    return this.#hasBegun && raw[0] === COLON ? KEEP_ALIVE : null
  }

  #event(data: string, raw: Buffer): Buffer | null {
    if (isDoneMarker(data)) {
      this.done = true
      return null
    }
    const received = parseChunk(data)
    if (received === null) return this.#break('an event is not a JSON object')
    this.broken = failureIn(received)
    if (this.broken || hasNoChoices(received)) return null
    if (!this.#hasBegun) this.#head = headOf(received, this.#head)
    this.#hasBegun = true
    const chunk = this.#calls.normalize(this.#normalize(received, (choice) => this.#fold.hasBegun?.(choice) ?? false))
    this.#fold.add(chunk)
    const rawUsage = usageIn(chunk)
    if (rawUsage !== undefined) return this.#usageChunk(chunk, rawUsage)
    if (this.#patternCount < MAX_PATTERNS) this.#learn(chunk, raw)
    return this.#write(received, chunk, raw)
  }

  #normalize(received: JsonObject, hasBegun: (choice: number) => boolean): JsonObject {
    const chunk = normalizeHead(normalizeChoices(received), this.#head)
    return this.#fold.hasBegun ? normalizeRoles(chunk, hasBegun) : chunk
  }

  /** An event as it arrived, except for the model's name, if it is in OpenAI's terms. */
  #write(received: JsonObject, chunk: JsonObject, raw: Buffer): Buffer {
    return chunk === received ? this.#rename(chunk, raw) : encodeEvent(JSON.stringify({ ...chunk, model: this.#modelId }))
  }

  #learn(chunk: JsonObject, raw: Buffer): void {
    const pattern = ContentPattern.of(chunk, raw, (other, bytes) =>
      this.#write(other, this.#normalize(other, ALWAYS_BEGUN), bytes),
    )
    if (pattern === null) return
    this.#pattern = pattern
    this.#patternCount++
  }

  #break(detail: string): null {
    this.broken = createUnreadableError(detail)
    return null
  }

  /** A usage that makes no sense is removed all the same: what was counted instead is sent at the end. */
  #usageChunk(chunk: JsonObject, rawUsage: JsonValue): Buffer | null {
    const usage = readChatUsage(rawUsage)
    this.#runningUsage.record(usage, this.#fold.size, this.images)
    if (usage) this.#rawUsage = objectIn(rawUsage)
    if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) return null
    const { usage: _, x_groq: _groq, ...rest } = chunk
    return encodeEvent(JSON.stringify({ ...rest, model: this.#modelId }))
  }

  /** Whatever an event has besides its data is not passed on. Some clients read no line that has no space or ends in CR. */
  #rename(chunk: JsonObject, raw: Buffer): Buffer {
    const isPlain = isPlainEvent(raw)
    if (isPlain && chunk.model === this.#modelId) return raw
    const name = JSON.stringify(chunk.model)
    const at = raw.indexOf('"model"')
    // If these letters appear only once and the name follows, they are the field itself.
    const spliced =
      isPlain &&
      at >= 0 &&
      typeof chunk.model === 'string' &&
      raw.indexOf('"model"', at + 7) < 0 &&
      raw.indexOf(`:${name}`, at + 7) === at + 7
    if (!spliced) return encodeEvent(JSON.stringify({ ...chunk, model: this.#modelId }))
    const end = at + 8 + Buffer.byteLength(name)
    return Buffer.concat([raw.subarray(0, at), Buffer.from(`"model":${JSON.stringify(this.#modelId)}`), raw.subarray(end)])
  }
}

/**
 * At OpenAI, only a chunk that reports usage has no choices, and in all others clients read the first choice. Azure begins with a
 * chunk that has none, which reports what its filters found in the prompt.
 */
const hasNoChoices = (chunk: JsonObject): boolean =>
  usageIn(chunk) === undefined && !(Array.isArray(chunk.choices) && chunk.choices.length > 0)

/** Returns null if the data is not a JSON object. It is not logged either, because it may contain an answer. */
export function parseChunk(data: string): JsonObject | null {
  try {
    return objectIn(JSON.parse(data))
  } catch {
    return null
  }
}
