import type { Usage } from '../../domain/usage.ts'
import type { AnswerHead, NonStreamingAnswer } from '../answer.ts'
import { NO_BYTES } from '../bytes.ts'
import { answerIdOf, createdOf } from '../chat/head.ts'
import { writeChatUsage } from '../chat/usage.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { DONE, encodeEvent } from '../sse.ts'
import { CompletionFold } from './fold.ts'
import { countCodePoints, toLegacyLogprobs } from './logprobs.ts'
import { echoOf, type PreparedCompletions } from './prepared.ts'

/** What a chat adds to one of its choices. */
export interface ChoiceDelta {
  text: string
  /** In the form of chats. */
  logprobs?: unknown
  finishReason: string | null
}

/** OpenAI's word for the end of a completion. There are no tools here that could end one. */
const completionFinishReason = (reason: string | null): string | null =>
  reason === null || reason === 'length' || reason === 'content_filter' ? reason : 'stop'

/** Writes chats as completions. A chunk and a non-streaming answer have the same form. */
export class CompletionsWriter {
  readonly #prepared: PreparedCompletions
  readonly #model: string
  readonly #head: JsonObject
  readonly #echo: (index: number) => string
  /** Characters of each choice so far. */
  readonly #chars = new Map<number, number>()
  readonly fold: CompletionFold

  constructor(prepared: PreparedCompletions, head: AnswerHead) {
    this.#prepared = prepared
    this.#model = head.modelId
    this.#echo = echoOf(prepared)
    this.fold = new CompletionFold(this.#echo)
    this.#head = { id: answerIdOf('cmpl', head), object: 'text_completion', created: createdOf(head), model: head.modelId }
  }

  /** A choice of an answer or of a chunk. The first one of each index begins with its prompt if that is echoed. */
  choice(index: number, { text, logprobs, finishReason }: ChoiceDelta): JsonObject {
    const charsSoFar = this.#chars.get(index)
    const echo = charsSoFar === undefined ? this.#echo(index) : ''
    const from = (charsSoFar ?? 0) + countCodePoints(echo)
    this.#chars.set(index, from + countCodePoints(text))
    const choice = {
      text: echo + text,
      index,
      logprobs: toLegacyLogprobs(logprobs, from),
      finish_reason: completionFinishReason(finishReason),
    }
    this.fold.add({ ...this.#head, choices: [choice] })
    return choice
  }

  /** An event of a stream; empty if a choice neither says something nor ends. */
  event(index: number, delta: ChoiceDelta): Buffer {
    if (delta.text === '' && delta.finishReason === null) return NO_BYTES
    return encodeEvent(JSON.stringify({ ...this.#head, choices: [this.choice(index, delta)] }))
  }

  /** The end of a stream. */
  tail(usage: Usage, costNano: bigint): Buffer {
    if (this.#prepared.body.stream_options?.include_usage !== true) return DONE
    return Buffer.concat([encodeEvent(this.#withUsage([], usage, costNano)), DONE])
  }

  /**
   * The non-streaming answer, whatever the order in which its choices arrived. `usage` is the vendor's, or null if it reported
   * none.
   */
  toNonStreaming(choices: readonly JsonObject[], usage: Usage | null): NonStreamingAnswer {
    return {
      usage,
      finishReason: this.fold.finishReason,
      text: () => this.fold.text(),
      encode: (counted, costNano) => Buffer.from(this.#withUsage([...choices].sort(byIndex), counted, costNano)),
      toAnswerJson: () => this.toAnswerJson(),
    }
  }

  toAnswerJson(): JsonValue {
    return this.fold.toAnswerJson(this.#model)
  }

  #withUsage(choices: JsonValue[], usage: Usage, costNano: bigint): string {
    return JSON.stringify({ ...this.#head, choices, usage: writeChatUsage(usage, costNano, null) })
  }
}

const byIndex = (a: JsonObject, b: JsonObject): number => Number(a.index) - Number(b.index)
