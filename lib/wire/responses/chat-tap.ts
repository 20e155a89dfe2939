import { type AnswerHead, StreamBroken, type StreamEnd, type WholeAnswer } from '../answer.ts'
import { readChatUsage, usageIn } from '../chat/usage.ts'
import { readWholeChat } from '../chat/whole.ts'
import { type Chunks, readChunks } from '../event-objects.ts'
import { inOurEnds } from '../finish-reason.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn } from '../json.ts'
import { RunningUsage } from '../running-usage.ts'
import { isWhole, leavesDone } from '../sse.ts'
import { headOf, type PreparedResponse } from './stored.ts'
import { ResponseStream } from './stream.ts'
import { ResponsesTap } from './tap.ts'

const logprobsOf = (choice: JsonObject): JsonValue[] => {
  const content = objectIn(choice.logprobs)?.content
  return Array.isArray(content) ? content : []
}

/** Reads a streamed chat and writes the events of a response. */
export class ResponsesChatTap extends ResponsesTap<Uint8Array> {
  readonly #chunks: Chunks = readChunks()
  readonly #counts = new RunningUsage()
  /** Whether the requested answer has begun. */
  #chosen = false
  done = false
  broken: StreamBroken | null = null

  push(bytes: Uint8Array): Uint8Array {
    try {
      for (const chunk of this.#chunks.push(bytes)) {
        if (chunk === 'done') this.#end()
        else this.#add(inOurEnds(chunk))
        if (this.done) break
      }
    } catch (error) {
      if (!(error instanceof StreamBroken)) throw error
      this.broken = error
    }
    return this.stream.take()
  }

  end(): StreamEnd {
    const rest = this.#chunks.rest()
    if (!this.done && leavesDone(rest)) this.#end()
    this.stream.usage = this.#counts.usage
    const { started, ended } = this.stream
    return this.stream.end(isWhole({ done: this.done, started, finished: ended, left: rest }))
  }

  get uncounted(): number {
    return this.#counts.since(this.stream.size)
  }

  #end(): void {
    this.done = true
    if (this.#chosen) this.stream.close()
  }

  #add(chunk: JsonObject): void {
    this.stream.begin()
    // One answer was requested. A vendor that sends more is billed for one.
    for (const item of Array.isArray(chunk.choices) ? chunk.choices : []) {
      const choice = objectIn(item)
      if (!choice || (choice.index ?? 0) !== 0) continue
      this.#chosen = true
      const reason = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
      this.stream.add(objectIn(choice.delta) ?? {}, logprobsOf(choice), reason)
    }
    this.#counts.told(readChatUsage(usageIn(chunk)), this.stream.size)
  }
}

/** A whole message, with its calls numbered one by one, whatever number or id their server gives them. */
const numbered = (message: JsonObject): JsonObject => ({
  ...message,
  tool_calls: objectsIn(message.tool_calls).map((call, index) => ({ ...call, index })),
})

/** Reads a whole chat as a response. Throws StreamBroken if it is not one. */
export function wholeFromChat(bytes: Buffer, prepared: PreparedResponse, head: AnswerHead): WholeAnswer {
  const chat = readWholeChat(bytes, { modelId: head.modelId, requestId: head.requestId, forced: false })
  const [first] = (chat.folded() as JsonObject).choices as JsonValue[]
  const choice = objectIn(first)
  const message = objectIn(choice?.message)
  if (!choice || !message) throw new StreamBroken('The model sent an answer that could not be read.', 'the answer has no message')
  const stream = new ResponseStream(prepared, headOf(prepared, head))
  stream.add(numbered(message), logprobsOf(choice), typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop')
  stream.usage = chat.usage
  return wholeOf(stream)
}

/** A response that was written to its end, as a whole answer. */
export function wholeOf(stream: ResponseStream): WholeAnswer {
  stream.take()
  return {
    usage: stream.usage,
    finishReason: stream.finishReason,
    async finish(ports) {
      stream.finish(ports)
      stream.take()
    },
    store: (ports) => stream.store(ports),
    text: () => stream.text(),
    encode: (usage, costNano) => Buffer.from(JSON.stringify(stream.response(usage, costNano))),
    folded: () => stream.folded(),
  }
}
