import type { AnswerHead, FinishPorts, StreamBrokenError, StreamEnd, StreamTap, WireError } from '../answer.ts'
import type { JsonValue } from '../json.ts'
import { headOf, type PreparedResponse } from './prepared.ts'
import { ResponseStream } from './stream.ts'

/** Writes what a subclass reads as the events of a response. */
export abstract class ResponsesTap<Item> implements StreamTap<Item> {
  protected readonly stream: ResponseStream

  abstract readonly done: boolean
  abstract readonly broken: StreamBrokenError | null
  abstract push(item: Item): Uint8Array
  abstract end(): StreamEnd

  constructor(prepared: PreparedResponse, head: AnswerHead) {
    this.stream = new ResponseStream(prepared, headOf(prepared, head))
  }

  get started(): boolean {
    return this.stream.started
  }

  async finish(ports: FinishPorts): Promise<void> {
    this.stream.finish(ports)
  }

  store(ports: FinishPorts): Promise<void> {
    return this.stream.store(ports)
  }

  fail(error: WireError): Uint8Array {
    return this.stream.fail(error)
  }

  tail(...args: Parameters<ResponseStream['tail']>): Uint8Array {
    return this.stream.tail(...args)
  }

  text(): string {
    return this.stream.text()
  }

  get images(): number {
    return this.stream.images
  }

  toAnswerJson(): JsonValue {
    return this.stream.toAnswerJson()
  }
}
