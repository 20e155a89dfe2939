import type { AnswerHead, StreamBrokenError, StreamEnd } from '../answer.ts'
import { NO_BYTES } from '../bytes.ts'
import { ChatReader } from '../chat/reader.ts'
import { sumUsage } from '../language-usage.ts'
import type { AnswerPiece } from '../vendor-form.ts'
import { choicesOf, type PreparedCompletions } from './prepared.ts'
import { CompletionsTap } from './tap.ts'

/** Writes streamed chats, one for each prompt, as one stream of completions. */
export class CompletionsChatTap extends CompletionsTap<AnswerPiece> {
  readonly #choices: number
  readonly #readers: ChatReader[]
  /**
   * The choices that have stated why they end. Servers in front of Gemini state it with every chunk, so text after it counts, and a
   * reason alone is not repeated.
   */
  readonly #ended = new Set<number>()

  constructor(prepared: PreparedCompletions, head: AnswerHead) {
    super(prepared, head)
    this.#choices = choicesOf(prepared.body)
    this.#readers = prepared.prompts.map(() => new ChatReader())
  }

  get done(): boolean {
    return this.#readers.every((reader) => reader.done)
  }

  get broken(): StreamBrokenError | null {
    return this.#readers.find((reader) => reader.broken)?.broken ?? null
  }

  push({ at, bytes }: AnswerPiece): Uint8Array {
    const events = (this.#readers[at]?.push(bytes) ?? []).map((piece) => {
      const index = at * this.#choices + piece.index
      const isRequested = Number.isInteger(piece.index) && piece.index >= 0 && piece.index < this.#choices
      if (!isRequested || (this.#ended.has(index) && piece.text === '')) return NO_BYTES
      if (piece.finishReason !== null) this.#ended.add(index)
      this.writer.fold.addReasoning(piece.thought)
      return this.writer.event(index, piece)
    })
    return Buffer.concat(events)
  }

  end(): StreamEnd {
    // Every reader has to be called, because the call also takes what is left in it.
    const complete = this.#readers.map((reader) => reader.complete()).every((whole) => whole)
    return { complete, usage: sumUsage(this.#readers.map(({ usage }) => usage)), finishReason: this.writer.fold.finishReason }
  }

  get uncounted(): number {
    return this.#readers.reduce((sum, { uncounted }) => sum + uncounted, 0)
  }
}
