import { StreamBrokenError } from '../answer.ts'
import { createChunkReader } from '../event-objects.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn } from '../json.ts'
import { normalizeChoices } from '../normalize-choices.ts'
import { endsWithDone, isStreamComplete } from '../sse.ts'
import { ChatFold } from './fold.ts'
import { readChatUsage, usageIn } from './usage.ts'

/** Whether bytes are the events of a stream, not JSON. */
export const areEvents = (bytes: Buffer): boolean =>
  bytes[0] !== BRACE && /^\s*(?:data|event|id|retry)?:/.test(bytes.toString('utf8', 0, 256))

const BRACE = 123

/** The fields of a delta that a fold puts together. */
const FOLDED_FIELDS = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'refusal', 'tool_calls', 'function_call'])

/** The other fields of one choice. Texts and lists of a message grow with each chunk. Of all others, the last value applies. */
class ExtraFields {
  readonly message: Record<string, JsonValue> = {}
  readonly logprobs: Record<string, JsonValue> = {}
  readonly choice: Record<string, JsonValue> = {}

  add({ delta, logprobs, index: _, finish_reason: _end, ...choice }: JsonObject): void {
    for (const [name, value] of Object.entries(objectIn(delta) ?? {}))
      if (!FOLDED_FIELDS.has(name)) mergeField(this.message, name, value as JsonValue)
    for (const [name, value] of Object.entries(objectIn(logprobs) ?? {})) mergeField(this.logprobs, name, value as JsonValue)
    for (const [name, value] of Object.entries(choice)) if (value != null) this.choice[name] = value
  }
}

/** Appends to a list instead of copying it, because every chunk may add to it. */
function mergeField(into: Record<string, JsonValue>, name: string, value: JsonValue): void {
  const existing = into[name]
  if (value === null && existing !== undefined) return
  if (typeof existing === 'string' && typeof value === 'string') into[name] = existing + value
  else if (!Array.isArray(value)) into[name] = value
  else if (Array.isArray(existing)) for (const item of value) existing.push(item)
  else into[name] = [...value]
}

/** What has arrived of a streamed chat so far. */
class ChatGatherer {
  readonly #fold = new ChatFold(Number.POSITIVE_INFINITY)
  readonly #extras = new Map<number, ExtraFields>()
  readonly #head: Record<string, JsonValue> = {}
  #usage: JsonValue | null = null

  add(received: JsonObject): void {
    const chunk = normalizeChoices(received)
    this.#fold.add(chunk)
    for (const choice of objectsIn(chunk.choices)) this.#extrasOf(choice).add(choice)
    const rawUsage = usageIn(chunk)
    if (rawUsage !== undefined && readChatUsage(rawUsage) !== null) this.#usage = rawUsage
    const { choices: _, usage: _usage, x_groq: _groq, ...head } = chunk
    for (const [name, value] of Object.entries(head)) if (value) this.#head[name] = value
  }

  /** The answer. Throws StreamBrokenError if what arrived is not complete. */
  toAnswer(done: boolean, left: string): JsonObject {
    const { started, finished } = this.#fold
    if (!isStreamComplete({ done, started, finished, left }))
      throw new StreamBrokenError("The model's vendor ended the answer early.", 'the stream ended before its end')
    const { choices } = this.#fold.toAnswerJson('') as {
      choices: { index: number; message: JsonObject; finish_reason: string | null }[]
    }
    return {
      ...this.#head,
      choices: choices.map(({ index, message, finish_reason }) => {
        const { message: extraMessage = {}, logprobs = {}, choice = {} } = this.#extras.get(index) ?? {}
        return {
          ...choice,
          index,
          message: { ...message, ...extraMessage },
          logprobs: Object.keys(logprobs).length > 0 ? logprobs : null,
          finish_reason: finish_reason ?? 'stop',
        }
      }),
      ...(this.#usage === null ? {} : { usage: this.#usage }),
    }
  }

  #extrasOf({ index }: JsonObject): ExtraFields {
    const number = typeof index === 'number' ? index : 0
    const known = this.#extras.get(number) ?? new ExtraFields()
    this.#extras.set(number, known)
    return known
  }
}

/**
 * A streamed chat as the non-streaming answer that it would have been. Throws StreamBrokenError if it broke off, failed or is
 * not a chat.
 */
export function gatherChat(bytes: Buffer): JsonObject {
  const chunks = createChunkReader()
  const gatherer = new ChatGatherer()
  let done = false
  for (const chunk of chunks.push(bytes)) {
    // What follows is not even read.
    done = chunk === 'done'
    if (chunk === 'done') break
    gatherer.add(chunk)
  }
  const left = chunks.rest()
  return gatherer.toAnswer(done || endsWithDone(left), left)
}
