import type { Usage } from '../../domain/usage.ts'
import { StreamBroken, type StreamEnd, type StreamTap } from '../answer.ts'
import { failureTold } from '../event-objects.ts'
import { inOurEnds } from '../finish-reason.ts'
import { type JsonObject, type JsonValue, objectIn } from '../json.ts'
import { RunningUsage } from '../running-usage.ts'
import { DONE, dataOf, EventSplitter, encodeEvent, eventEnd, isDone, isOneLine, isWhole, KEEP_ALIVE, leavesDone } from '../sse.ts'
import { type CallRules, NumberedCalls } from './calls.ts'
import { ChatFold } from './fold.ts'
import { inOurHead, inOurRoles } from './head.ts'
import { ContentPattern } from './pattern.ts'
import { readChatUsage, usageIn, writeChatUsage } from './usage.ts'

const MAX_EVENT_BYTES = 16 * 1024 * 1024
/** A stream whose events have always another form is parsed event by event. */
const MOST_PATTERNS = 8
const NOTHING = Buffer.alloc(0)
/** Of events that differ in their text alone, the first one has begun their choice. */
const BEGUN = () => true
const COLON = 58

/** What a tap says of the chunks that pass: those of a chat, unless it is told otherwise. */
export interface ChunkKind {
  object: string
  fold: Pick<ChatFold, 'add' | 'addContent' | 'started' | 'finished' | 'finishReason' | 'text' | 'size' | 'folded'> &
    // Where choices have no roles, nobody asks.
    Partial<Pick<ChatFold, 'hasBegun'>>
}

/**
 * The tap on a streamed chat answer, and on one of the legacy completions, whose chunks differ in where their text stands. Events pass as the vendor's own bytes, with the model's name
 * replaced; only chunks that carry usage are taken out or written anew.
 */
export class ChatTap implements StreamTap {
  readonly #modelId: string
  readonly #wantsUsage: boolean
  readonly #splitter = new EventSplitter({ maxEventBytes: MAX_EVENT_BYTES })
  readonly #object: string
  readonly #fold: ChunkKind['fold']
  readonly #calls: NumberedCalls
  readonly #counts = new RunningUsage()
  #rawUsage: JsonObject | null = null
  #first: JsonObject | null = null
  /** The first chunk that says whose it is: Azure begins with one that does not. */
  #named: JsonObject | null = null
  #pattern: ContentPattern | null = null
  #patterns = 0
  done = false
  broken: StreamBroken | null = null

  constructor(options: { modelId: string; wantsUsage: boolean; calls: CallRules; kind?: ChunkKind }) {
    this.#modelId = options.modelId
    this.#wantsUsage = options.wantsUsage
    this.#calls = new NumberedCalls(options.calls)
    this.#object = options.kind?.object ?? 'chat.completion.chunk'
    this.#fold = options.kind?.fold ?? new ChatFold()
  }

  get started(): boolean {
    return this.#fold.started
  }

  push(bytes: Uint8Array): Uint8Array {
    let whole: Buffer
    try {
      whole = this.#splitter.push(bytes)
    } catch (error) {
      this.broken = new StreamBroken('The model sent an answer that could not be read.', String(error))
      return NOTHING
    }
    if (whole.length === 0) return NOTHING
    const out: Buffer[] = []
    for (let at = 0; at < whole.length && !this.done && !this.broken; ) {
      const plain = this.#pattern?.match(whole, at)
      if (plain) {
        this.#fold.addContent(this.#pattern?.choice ?? 0, plain.text)
        out.push(...plain.out)
        at = plain.end
        continue
      }
      const end = eventEnd(whole, at)
      const raw = whole.subarray(at, end)
      const data = dataOf(raw)
      const passed = data === null ? this.#comment(raw) : this.#event(data, raw)
      if (passed) out.push(passed)
      at = end
    }
    return out.length === 1 ? (out[0] ?? NOTHING) : Buffer.concat(out)
  }

  end(): StreamEnd {
    const rest = this.#splitter.rest()
    // A last event may lack its empty line; half an event is a cut, empty lines are none.
    const left = rest.toString().trim()
    if (!this.done && leavesDone(left)) this.done = true
    return {
      complete: isWhole({ done: this.done, started: this.#fold.started, finished: this.#fold.finished, left }),
      usage: this.#counts.usage,
      finishReason: this.#fold.finishReason,
    }
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    if (!this.#wantsUsage) return DONE
    const chunk = {
      id: this.#named?.id ?? null,
      object: this.#object,
      created: this.#named?.created ?? null,
      model: this.#modelId,
      choices: [],
      usage: writeChatUsage(usage, costNano, this.#rawUsage),
    }
    return Buffer.concat([encodeEvent(JSON.stringify(chunk)), DONE])
  }

  text(): string {
    return this.#fold.text()
  }

  get uncounted(): number {
    return this.#counts.since(this.#fold.size)
  }

  folded(): JsonObject {
    return this.#fold.folded(this.#modelId) as JsonObject
  }

  /**
   * A comment keeps a connection alive; what it says is between the vendor and us. Before the first
   * chunk it would only fix the status, which can still become an error's. Events without data are nothing.
   */
  #comment(raw: Buffer): Buffer | null {
    return this.#first !== null && raw[0] === COLON ? KEEP_ALIVE : null
  }

  #event(data: string, raw: Buffer): Buffer | null {
    if (isDone(data)) {
      this.done = true
      return null
    }
    const said = parseChunk(data)
    if (said === null) return this.#break('The model sent an answer that could not be read.', 'an event is not a JSON object')
    this.broken = failureTold(said)
    if (this.broken || saysNothing(said)) return null
    const chunk = this.#calls.numbered(this.#inOurWords(said, (choice) => this.#fold.hasBegun?.(choice) ?? false))
    this.#first ??= chunk
    if (!this.#named?.id) this.#named = chunk
    this.#fold.add(chunk)
    const told = usageIn(chunk)
    if (told !== undefined) return this.#usageChunk(chunk, told)
    if (this.#patterns < MOST_PATTERNS) this.#learn(chunk, raw)
    return this.#write(said, chunk, raw)
  }

  #inOurWords(said: JsonObject, hasBegun: (choice: number) => boolean): JsonObject {
    const chunk = inOurHead(inOurEnds(said), this.#object)
    return this.#fold.hasBegun ? inOurRoles(chunk, hasBegun) : chunk
  }

  /** An event as it came where it is in our words, but for the model's name. */
  #write(said: JsonObject, chunk: JsonObject, raw: Buffer): Buffer {
    return chunk === said ? this.#rename(chunk, raw) : encodeEvent(JSON.stringify({ ...chunk, model: this.#modelId }))
  }

  #learn(chunk: JsonObject, raw: Buffer): void {
    const pattern = ContentPattern.of(chunk, raw, (other, bytes) => this.#write(other, this.#inOurWords(other, BEGUN), bytes))
    if (pattern === null) return
    this.#pattern = pattern
    this.#patterns++
  }

  #break(message: string, detail: string): null {
    this.broken = new StreamBroken(message, detail)
    return null
  }

  /** What makes no sense as a usage is taken out all the same: at the end stands what was counted instead. */
  #usageChunk(chunk: JsonObject, told: JsonValue): Buffer | null {
    const usage = readChatUsage(told)
    this.#counts.told(usage, this.#fold.size)
    if (usage) this.#rawUsage = objectIn(told)
    if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) return null
    const { usage: _, x_groq: _groq, ...rest } = chunk
    return encodeEvent(JSON.stringify({ ...rest, model: this.#modelId }))
  }

  /** What stands in an event beside its data is between the vendor and us, too. */
  #rename(chunk: JsonObject, raw: Buffer): Buffer {
    const isPlain = isOneLine(raw)
    if (isPlain && chunk.model === this.#modelId) return raw
    const name = JSON.stringify(chunk.model)
    const at = raw.indexOf('"model"')
    // Where these letters stand but once, and are followed by the name, they are the field itself.
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
 * Without choices OpenAI's chunks tell usage, and nothing else does: clients look into the first one that there is. Azure begins so,
 * with what its filters found in the prompt.
 */
const saysNothing = (chunk: JsonObject): boolean =>
  usageIn(chunk) === undefined && !(Array.isArray(chunk.choices) && chunk.choices.length > 0)

/** Null where it is no JSON object: what it was is not for the log either, it may hold an answer. */
export function parseChunk(data: string): JsonObject | null {
  try {
    return objectIn(JSON.parse(data))
  } catch {
    return null
  }
}
