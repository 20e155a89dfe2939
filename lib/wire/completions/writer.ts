import type { Usage } from '../../domain/usage.ts'
import type { AnswerHead, WholeAnswer } from '../answer.ts'
import { writeChatUsage } from '../chat/usage.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { DONE, encodeEvent } from '../sse.ts'
import { CompletionFold } from './fold.ts'
import { charsOf, legacyLogprobs } from './logprobs.ts'
import { echoOf, type PreparedCompletions } from './prepared.ts'

/** What a chat adds to one of its choices. */
export interface Said {
  text: string
  /** In the form of chats. */
  logprobs?: unknown
  finishReason: string | null
}

/** OpenAI's word for the end of a completion. There are no tools here that could end one. */
const reasonOf = (reason: string | null): string | null =>
  reason === null || reason === 'length' || reason === 'content_filter' ? reason : 'stop'

/** Writes chats as completions. A chunk and a whole answer have the same form. */
export class CompletionsWriter {
  readonly #prepared: PreparedCompletions
  readonly #model: string
  readonly #head: JsonObject
  readonly #echo: (index: number) => string
  /** Characters of each choice so far. */
  readonly #chars = new Map<number, number>()
  readonly fold: CompletionFold

  constructor(prepared: PreparedCompletions, { modelId, requestId, at }: AnswerHead) {
    this.#prepared = prepared
    this.#model = modelId
    this.#echo = echoOf(prepared)
    this.fold = new CompletionFold(this.#echo)
    const id = `cmpl-${requestId.replace(/^req_/, '')}`
    this.#head = { id, object: 'text_completion', created: Math.floor(at.getTime() / 1000), model: modelId }
  }

  /** A choice of an answer or of a chunk. The first one of each index begins with its prompt if that is echoed. */
  choice(index: number, { text, logprobs, finishReason }: Said): JsonObject {
    const begun = this.#chars.get(index)
    const echo = begun === undefined ? this.#echo(index) : ''
    const from = (begun ?? 0) + charsOf(echo)
    this.#chars.set(index, from + charsOf(text))
    const choice = {
      text: echo + text,
      index,
      logprobs: legacyLogprobs(logprobs, from),
      finish_reason: reasonOf(finishReason),
    }
    this.fold.add({ ...this.#head, choices: [choice] })
    return choice
  }

  /** An event of a stream; empty if a choice neither says something nor ends. */
  event(index: number, said: Said): Buffer {
    if (said.text === '' && said.finishReason === null) return NOTHING
    return encodeEvent(JSON.stringify({ ...this.#head, choices: [this.choice(index, said)] }))
  }

  /** The end of a stream. */
  tail(usage: Usage, costNano: bigint): Buffer {
    if (this.#prepared.body.stream_options?.include_usage !== true) return DONE
    return Buffer.concat([encodeEvent(this.#withUsage([], usage, costNano)), DONE])
  }

  /** The whole answer, whatever the order in which its choices arrived. `usage` is the vendor's, or null if it reported none. */
  whole(choices: readonly JsonObject[], usage: Usage | null): WholeAnswer {
    return {
      usage,
      finishReason: this.fold.finishReason,
      text: () => this.fold.text(),
      encode: (counted, costNano) => Buffer.from(this.#withUsage([...choices].sort(byIndex), counted, costNano)),
      folded: () => this.folded(),
    }
  }

  folded(): JsonValue {
    return this.fold.folded(this.#model)
  }

  #withUsage(choices: JsonValue[], usage: Usage, costNano: bigint): string {
    return JSON.stringify({ ...this.#head, choices, usage: writeChatUsage(usage, costNano, null) })
  }
}

const NOTHING = Buffer.alloc(0)
const byIndex = (a: JsonObject, b: JsonObject): number => Number(a.index) - Number(b.index)
