import { StreamBroken } from '../answer.ts'
import { readChunks } from '../event-objects.ts'
import { inOurEnds } from '../finish-reason.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn } from '../json.ts'
import { isWhole, leavesDone } from '../sse.ts'
import { ChatFold } from './fold.ts'
import { readChatUsage, usageIn } from './usage.ts'

/** Whether bytes are the events of a stream, not JSON. */
export const areEvents = (bytes: Buffer): boolean =>
  bytes[0] !== BRACE && /^\s*(?:data|event|id|retry)?:/.test(bytes.toString('utf8', 0, 256))

const BRACE = 123

/** The fields of a delta that a fold puts together. */
const FOLDED = new Set(['role', 'content', 'reasoning_content', 'reasoning', 'refusal', 'tool_calls', 'function_call'])

/** The other fields of one choice. Texts and lists of a message grow with each chunk. Of all others, the last value applies. */
class Beside {
  readonly message: Record<string, JsonValue> = {}
  readonly logprobs: Record<string, JsonValue> = {}
  readonly choice: Record<string, JsonValue> = {}

  add({ delta, logprobs, index: _, finish_reason: _end, ...choice }: JsonObject): void {
    for (const [name, value] of Object.entries(objectIn(delta) ?? {}))
      if (!FOLDED.has(name)) join(this.message, name, value as JsonValue)
    for (const [name, value] of Object.entries(objectIn(logprobs) ?? {})) join(this.logprobs, name, value as JsonValue)
    for (const [name, value] of Object.entries(choice)) if (value != null) this.choice[name] = value
  }
}

/** Appends to a list instead of copying it, because every chunk may add to it. */
function join(into: Record<string, JsonValue>, name: string, value: JsonValue): void {
  const before = into[name]
  if (value === null && before !== undefined) return
  if (typeof before === 'string' && typeof value === 'string') into[name] = before + value
  else if (!Array.isArray(value)) into[name] = value
  else if (Array.isArray(before)) for (const item of value) before.push(item)
  else into[name] = [...value]
}

/** What has arrived of a streamed chat so far. */
class Gathered {
  readonly #fold = new ChatFold({ mostKept: Number.POSITIVE_INFINITY })
  readonly #beside = new Map<number, Beside>()
  readonly #head: Record<string, JsonValue> = {}
  #usage: JsonValue | null = null

  add(said: JsonObject): void {
    const chunk = inOurEnds(said)
    this.#fold.add(chunk)
    for (const choice of objectsIn(chunk.choices)) this.#besideOf(choice).add(choice)
    const told = usageIn(chunk)
    if (told !== undefined && readChatUsage(told) !== null) this.#usage = told
    const { choices: _, usage: _usage, x_groq: _groq, ...head } = chunk
    for (const [name, value] of Object.entries(head)) if (value) this.#head[name] = value
  }

  /** The answer. Throws StreamBroken if what arrived is not complete. */
  whole(done: boolean, left: string): JsonObject {
    const { started, finished } = this.#fold
    if (!isWhole({ done, started, finished, left }))
      throw new StreamBroken("The model's vendor ended the answer early.", 'the stream ended before its end')
    const { choices } = this.#fold.folded('') as {
      choices: { index: number; message: JsonObject; finish_reason: string | null }[]
    }
    return {
      ...this.#head,
      choices: choices.map(({ index, message, finish_reason }) => {
        const { message: more = {}, logprobs = {}, choice = {} } = this.#beside.get(index) ?? {}
        return {
          ...choice,
          index,
          message: { ...message, ...more },
          logprobs: Object.keys(logprobs).length > 0 ? logprobs : null,
          finish_reason: finish_reason ?? 'stop',
        }
      }),
      ...(this.#usage === null ? {} : { usage: this.#usage }),
    }
  }

  #besideOf({ index }: JsonObject): Beside {
    const number = typeof index === 'number' ? index : 0
    const known = this.#beside.get(number) ?? new Beside()
    this.#beside.set(number, known)
    return known
  }
}

/** A streamed chat as the whole answer that it would have been. Throws StreamBroken if it broke off, failed or is not a chat. */
export function gatherChat(bytes: Buffer): JsonObject {
  const chunks = readChunks()
  const gathered = new Gathered()
  let done = false
  for (const chunk of chunks.push(bytes)) {
    // What follows is not even read.
    done = chunk === 'done'
    if (chunk === 'done') break
    gathered.add(chunk)
  }
  const left = chunks.rest()
  return gathered.whole(done || leavesDone(left), left)
}
