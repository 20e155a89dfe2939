import type { Usage } from '../../domain/usage.ts'
import type { FinishPorts, StreamEnd, WireError } from '../answer.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { DONE } from '../sse.ts'
import { calledInChat } from './namespaces.ts'
import { BEGUN, endingOf, type ResponseHead, type ResponseState, resourceOf } from './resource.ts'
import { keepAnswer, type PreparedResponse } from './stored.ts'
import { writeResponsesUsage } from './usage.ts'
import { ItemWriter } from './writer.ts'

/** One event in the form of the Open Responses document: its name is its type. */
export const encodeNamed = (type: string, fields: JsonObject): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)

/** The last event of a response, and the end of its stream. */
export const lastEvents = (response: JsonObject, sequence: number): Buffer =>
  Buffer.concat([encodeNamed(`response.${String(response.status)}`, { sequence_number: sequence, response }), DONE])

/**
 * The error of a response that failed. OpenAI's list of codes is closed here. Of this gateway's codes it has only
 * `rate_limit_exceeded`, so all others become `server_error` (2.3.0, ResponseErrorCode).
 */
export const failureOf = ({ message, code }: WireError): { code: string; message: string } => ({
  code: code === 'rate_limit_exceeded' ? code : 'server_error',
  message,
})

/**
 * The two events with which a stream breaks off. The first is the one that SDKs look for. It has its fields at the top level and
 * in `error`, because SDKs differ in where they read them.
 */
export function failEvents(error: WireError, sequence: number, response: JsonObject): Buffer {
  const { message, code, param } = error
  return Buffer.concat([
    encodeNamed('error', { sequence_number: sequence, code, message, param, error: { ...error } }),
    encodeNamed('response.failed', { sequence_number: sequence + 1, response }),
  ])
}

/**
 * Writes the deltas of a chat as the events of a response. Whole answers are written the same way, and their events discarded.
 */
export class ResponseStream {
  readonly #prepared: PreparedResponse
  readonly #head: ResponseHead
  readonly #writer: ItemWriter
  #out: Buffer[] = []
  #sequence = 0
  #begun = false
  #closed = false
  #completedAt: number | null = null
  usage: Usage | null = null
  finishReason: string | null = null

  constructor(prepared: PreparedResponse, head: ResponseHead) {
    this.#prepared = prepared
    this.#head = head
    this.#writer = new ItemWriter(head.id, (type, fields) => this.#tell(type, fields), calledInChat(prepared.chat.tools))
  }

  get started(): boolean {
    return this.#writer.started
  }

  /** How many characters were generated. */
  get size(): number {
    return this.#writer.size
  }

  /** True once the model has said why it stopped. */
  get ended(): boolean {
    return this.finishReason !== null
  }

  /** Has to be called when the vendor begins to answer. */
  begin(): void {
    if (this.#begun) return
    this.#begun = true
    const response = this.#resource(BEGUN)
    this.#tell('response.created', { response })
    this.#tell('response.in_progress', { response })
  }

  /** Takes a delta of a chat. Throws StreamBroken if it cannot be kept. */
  add(delta: JsonObject, logprobs: readonly JsonValue[], finishReason: string | null): void {
    this.begin()
    if (!this.#closed) this.#writer.add(delta, logprobs)
    if (finishReason === null) return
    this.finishReason = finishReason
    this.close()
  }

  /** Has to be called when nothing follows. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.begin()
    this.#writer.close(endingOf(this.finishReason).status)
  }

  /** The events since the last call. */
  take(): Buffer {
    const out = this.#out
    this.#out = []
    return out.length === 1 ? (out[0] as Buffer) : Buffer.concat(out)
  }

  end(complete: boolean): StreamEnd {
    return { complete, usage: this.usage, finishReason: this.finishReason }
  }

  finish(ports: FinishPorts): void {
    this.close()
    this.#completedAt = Math.floor(ports.nowMs / 1000)
  }

  async store(ports: FinishPorts): Promise<void> {
    await keepAnswer(this.#whole(), this.usage, this.#prepared, this.#head, ports)
  }

  /** The rest of the events: the last one, and the end of the stream. May be called more than once. */
  tail(usage: Usage, costNano: bigint): Buffer {
    return Buffer.concat([...this.#out, lastEvents(this.response(usage, costNano), this.#sequence)])
  }

  fail(error: WireError): Buffer {
    this.begin()
    this.#writer.abandon()
    const state: ResponseState = { ...BEGUN, status: 'failed', output: this.#writer.output, error: failureOf(error) }
    return Buffer.concat([this.take(), failEvents(error, this.#sequence, this.#resource(state))])
  }

  text(): string {
    return this.#writer.text()
  }

  /** The response in its present state, without its usage. */
  folded(): JsonObject {
    return this.#closed ? this.#whole() : this.#resource({ ...BEGUN, status: 'incomplete', output: this.#writer.output })
  }

  response(usage: Usage, costNano: bigint): JsonObject {
    return { ...this.#whole(), usage: writeResponsesUsage(usage, costNano) }
  }

  #whole(): JsonObject {
    const { status, reason } = endingOf(this.finishReason)
    const completedAt = status === 'completed' ? this.#completedAt : null
    return this.#resource({ status, reason, completedAt, output: this.#writer.output, error: null })
  }

  #resource(state: ResponseState): JsonObject {
    return resourceOf(this.#prepared.body, this.#head, state)
  }

  #tell(type: string, fields: JsonObject): void {
    this.#out.push(encodeNamed(type, { sequence_number: this.#sequence++, ...fields }))
  }
}
