import type { Usage } from '../../domain/usage.ts'
import type { AnswerHead, StreamBrokenError, StreamEnd, StreamTap } from '../answer.ts'
import type { JsonValue } from '../json.ts'
import type { PreparedCompletions } from './prepared.ts'
import { CompletionsWriter } from './writer.ts'

/** Writes what a subclass reads as one stream of completions. */
export abstract class CompletionsTap<Item> implements StreamTap<Item> {
  protected readonly writer: CompletionsWriter

  abstract readonly done: boolean
  abstract readonly broken: StreamBrokenError | null
  abstract push(item: Item): Uint8Array
  abstract end(): StreamEnd

  constructor(prepared: PreparedCompletions, head: AnswerHead) {
    this.writer = new CompletionsWriter(prepared, head)
  }

  get started(): boolean {
    return this.writer.fold.started
  }

  tail(usage: Usage, costNano: bigint): Uint8Array {
    return this.writer.tail(usage, costNano)
  }

  text(): string {
    return this.writer.fold.text()
  }

  toAnswerJson(): JsonValue {
    return this.writer.toAnswerJson()
  }
}
