import type { Usage } from '../../domain/usage.ts'
import { createUnreadableError, type StreamBrokenError } from '../answer.ts'
import { failureIn } from '../event-objects.ts'
import { type JsonObject, objectsIn, textIn } from '../json.ts'
import { normalizeChoices } from '../normalize-choices.ts'
import { RunningUsage } from '../running-usage.ts'
import { EventSplitter, endsWithDone, isDoneMarker, isStreamComplete, iterateEvents, meaningfulDataOf } from '../sse.ts'
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
  /** Whether each choice that began has ended. Nothing that follows takes that back. */
  readonly #hasEndedByChoice = new Map<number, boolean>()
  #done = false
  #size = 0
  readonly #runningUsage = new RunningUsage()
  broken: StreamBrokenError | null = null

  /** True once the vendor has said that it is done. */
  get done(): boolean {
    return this.#done
  }

  get usage(): Usage | null {
    return this.#runningUsage.usage
  }

  /** How many characters have arrived since the last usage. */
  get uncounted(): number {
    return this.#runningUsage.charsSince(this.#size)
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
    for (const event of iterateEvents(run)) {
      if (this.#done || this.broken) break
      const data = meaningfulDataOf(event)
      if (data !== null) pieces.push(...this.#event(data))
    }
    return pieces
  }

  /** Whether it ended as a whole answer should. */
  complete(): boolean {
    // A last event may lack its empty line. Half an event means that the stream was cut, and empty lines mean nothing.
    const left = this.#splitter.rest().toString().trim()
    if (endsWithDone(left)) this.#done = true
    const finished = this.#hasEndedByChoice.size > 0 && [...this.#hasEndedByChoice.values()].every((ended) => ended)
    return isStreamComplete({ done: this.#done, started: this.#size > 0, finished, left })
  }

  #event(data: string): ChatPiece[] {
    if (isDoneMarker(data)) {
      this.#done = true
      return []
    }
    const chunk = parseChunk(data)
    if (chunk === null) return this.#break('an event is not a JSON object')
    this.broken = failureIn(chunk)
    if (this.broken) return []
    const pieces = objectsIn(normalizeChoices(chunk).choices).map((choice) => this.#piece(choice))
    for (const piece of pieces) this.#size += piece.text.length + piece.thought.length
    this.#runningUsage.record(readChatUsage(usageIn(chunk)), this.#size)
    return pieces
  }

  #piece(choice: JsonObject): ChatPiece {
    const index = typeof choice.index === 'number' ? choice.index : 0
    const delta = (choice.delta ?? {}) as JsonObject
    const finishReason = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
    this.#hasEndedByChoice.set(index, finishReason !== null || this.#hasEndedByChoice.get(index) === true)
    return {
      index,
      text: textIn(delta.content) || textIn(delta.refusal),
      thought: textIn(delta.reasoning_content) || textIn(delta.reasoning),
      logprobs: choice.logprobs ?? null,
      finishReason,
    }
  }

  #break(detail: string): [] {
    this.broken = createUnreadableError(detail)
    return []
  }
}
