import { type AnswerHead, createUnreadableError, type NonStreamingAnswer, StreamBrokenError, type StreamEnd } from '../answer.ts'
import { readNonStreamingChat } from '../chat/non-streaming.ts'
import { readChatUsage, usageIn } from '../chat/usage.ts'
import { type ChunkReader, createChunkReader } from '../event-objects.ts'
import { type JsonObject, type JsonValue, objectIn, objectsIn, textIn } from '../json.ts'
import { normalizeChoices } from '../normalize-choices.ts'
import { RunningUsage } from '../running-usage.ts'
import { endsWithDone, isStreamComplete } from '../sse.ts'
import { sourcesIn } from './annotations.ts'
import { headOf, type PreparedResponse } from './prepared.ts'
import { ResponseStream } from './stream.ts'
import { ResponsesTap } from './tap.ts'

/** Here tokens always have their bytes, also among the alternatives. In chats they may have none, and Ollama sends none. */
const withBytes = (logprob: JsonObject): JsonObject => ({
  ...logprob,
  bytes: logprob.bytes ?? [...Buffer.from(textIn(logprob.token))],
})

const logprobsOf = (choice: JsonObject): JsonObject[] =>
  objectsIn(objectIn(choice.logprobs)?.content).map((logprob) => ({
    ...withBytes(logprob),
    top_logprobs: objectsIn(logprob.top_logprobs).map(withBytes),
  }))

/** Reads a streamed chat and writes the events of a response. */
export class ResponsesChatTap extends ResponsesTap<Uint8Array> {
  readonly #chunkReader: ChunkReader = createChunkReader()
  readonly #runningUsage = new RunningUsage()
  /** Whether the requested answer has begun. */
  #hasChoice = false
  done = false
  broken: StreamBrokenError | null = null

  push(bytes: Uint8Array): Uint8Array {
    try {
      for (const chunk of this.#chunkReader.push(bytes)) {
        if (chunk === 'done') this.#end()
        else this.#add(normalizeChoices(chunk))
        if (this.done) break
      }
    } catch (error) {
      if (!(error instanceof StreamBrokenError)) throw error
      this.broken = error
    }
    return this.stream.takeEvents()
  }

  end(): StreamEnd {
    const rest = this.#chunkReader.rest()
    if (!this.done && endsWithDone(rest)) this.#end()
    this.stream.usage = this.#runningUsage.usage
    const { started, ended } = this.stream
    const complete = isStreamComplete({ done: this.done, started, finished: ended, left: rest })
    if (complete) this.stream.close()
    return this.stream.end(complete)
  }

  get uncounted(): number {
    return this.#runningUsage.charsSince(this.stream.size)
  }

  get uncountedImages(): number {
    return this.#runningUsage.imagesSince(this.images)
  }

  #end(): void {
    this.done = true
    if (this.#hasChoice) this.stream.close()
  }

  #add(chunk: JsonObject): void {
    this.stream.begin()
    // One answer was requested. A vendor that sends more is billed for one.
    for (const item of Array.isArray(chunk.choices) ? chunk.choices : []) {
      const choice = objectIn(item)
      if (!choice || (choice.index ?? 0) !== 0) continue
      this.#hasChoice = true
      const reason = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
      this.stream.add(objectIn(choice.delta) ?? {}, logprobsOf(choice), reason, sourcesIn(chunk))
    }
    this.#runningUsage.record(readChatUsage(usageIn(chunk)), this.stream.size, this.images)
  }
}

/** A whole message, with its calls numbered one by one, whatever number or id their server gives them. */
const withCallIndexes = (message: JsonObject): JsonObject => ({
  ...message,
  tool_calls: objectsIn(message.tool_calls).map((call, index) => ({ ...call, index })),
})

/** Reads a whole chat as a response. Throws StreamBrokenError if it is not one. */
export function nonStreamingFromChat(bytes: Buffer, prepared: PreparedResponse, head: AnswerHead): NonStreamingAnswer {
  const chat = readNonStreamingChat(bytes, { ...head, forced: false })
  const answer = chat.toAnswerJson() as JsonObject
  const [first] = answer.choices as JsonValue[]
  const choice = objectIn(first)
  const message = objectIn(choice?.message)
  if (!choice || !message) throw createUnreadableError('the answer has no message')
  const stream = new ResponseStream(prepared, headOf(prepared, head))
  stream.add(
    withCallIndexes(message),
    logprobsOf(choice),
    typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop',
    sourcesIn(answer),
  )
  stream.usage = chat.usage
  return toNonStreaming(stream)
}

/** A response that was written to its end, as a non-streaming answer. */
export function toNonStreaming(stream: ResponseStream): NonStreamingAnswer {
  stream.close()
  stream.takeEvents()
  return {
    usage: stream.usage,
    finishReason: stream.finishReason,
    async finish(ports) {
      stream.finish(ports)
      stream.takeEvents()
    },
    store: (ports) => stream.store(ports),
    text: () => stream.text(),
    images: stream.images,
    encode: (usage, costNano) => Buffer.from(JSON.stringify(stream.response(usage, costNano))),
    toAnswerJson: () => stream.toAnswerJson(),
  }
}
