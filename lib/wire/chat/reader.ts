import type { Usage } from '../../domain/usage.ts'
import { StreamBroken } from '../answer.ts'
import { failureTold } from '../event-objects.ts'
import { inOurEnds } from '../finish-reason.ts'
import { type JsonObject, objectsIn, textIn } from '../json.ts'
import { RunningUsage } from '../running-usage.ts'
import { dataOf, EventSplitter, eventsIn, isDone, isWhole, leavesDone } from '../sse.ts'
import { parseChunk } from './tap.ts'
import { readChatUsage, usageIn } from './usage.ts'

const MAX_EVENT_BYTES = 16 * 1024 * 1024

/** What a chunk adds to one choice. */
export interface ChatPiece {
  index: number
  text: string
  /** The text of its reasoning. */
  thought: string
  logprobs: unknown
  finishReason: string | null
}

/** Reads a streamed chat answer that is not passed on as it is. */
export class ChatReader {
  readonly #splitter = new EventSplitter({ maxEventBytes: MAX_EVENT_BYTES })
  /** Whether each choice that began has ended. What vendors send after that changes nothing. */
  readonly #ended = new Map<number, boolean>()
  #done = false
  #size = 0
  readonly #counts = new RunningUsage()
  broken: StreamBroken | null = null

  /** True once the vendor has said that it is done. */
  get done(): boolean {
    return this.#done
  }

  get usage(): Usage | null {
    return this.#counts.usage
  }

  /** How many characters have arrived since the last usage. */
  get uncounted(): number {
    return this.#counts.since(this.#size)
  }

  push(bytes: Uint8Array): ChatPiece[] {
    let run: Buffer
    try {
      run = this.#splitter.push(bytes)
    } catch (error) {
      this.#break(String(error))
      return []
    }
    const pieces: ChatPiece[] = []
    for (const event of eventsIn(run)) {
      if (this.#done || this.broken) break
      const data = dataOf(event)
      if (data !== null) pieces.push(...this.#event(data))
    }
    return pieces
  }

  /** Whether it ended as a whole answer should. */
  complete(): boolean {
    // A last event may lack its empty line. Half an event means that the stream was cut, and empty lines mean nothing.
    const left = this.#splitter.rest().toString().trim()
    if (leavesDone(left)) this.#done = true
    const finished = this.#ended.size > 0 && [...this.#ended.values()].every((ended) => ended)
    return isWhole({ done: this.#done, started: this.#size > 0, finished, left })
  }

  #event(data: string): ChatPiece[] {
    if (isDone(data)) {
      this.#done = true
      return []
    }
    const chunk = parseChunk(data)
    if (chunk === null) return this.#break('an event is not a JSON object')
    this.broken = failureTold(chunk)
    if (this.broken) return []
    const pieces = objectsIn(inOurEnds(chunk).choices).map((choice) => this.#piece(choice))
    for (const piece of pieces) this.#size += piece.text.length + piece.thought.length
    this.#counts.told(readChatUsage(usageIn(chunk)), this.#size)
    return pieces
  }

  #piece(choice: JsonObject): ChatPiece {
    const index = typeof choice.index === 'number' ? choice.index : 0
    const delta = (choice.delta ?? {}) as JsonObject
    const finishReason = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
    this.#ended.set(index, finishReason !== null || this.#ended.get(index) === true)
    return {
      index,
      text: textIn(delta.content) || textIn(delta.refusal),
      thought: textIn(delta.reasoning_content) || textIn(delta.reasoning),
      logprobs: choice.logprobs ?? null,
      finishReason,
    }
  }

  #break(detail: string): [] {
    this.broken = new StreamBroken('The model sent an answer that could not be read.', detail)
    return []
  }
}
