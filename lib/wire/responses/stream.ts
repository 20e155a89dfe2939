import type { Usage } from '../../domain/usage.ts'
import type { FinishPorts, StreamEnd, WireError } from '../answer.ts'
import { concatPieces } from '../bytes.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { DONE } from '../sse.ts'
import { qualifiedNameByChatName } from './namespaces.ts'
import { type PreparedResponse, saveAnswer } from './prepared.ts'
import { buildResource, INITIAL_STATE, type ResponseHead, type ResponseState, statusOfFinish } from './resource.ts'
import { writeResponsesUsage } from './usage.ts'
import { ItemWriter } from './writer.ts'

/** One event in the form of the Open Responses document: its name is its type. */
export const encodeNamedEvent = (type: string, fields: JsonObject): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)

/** The last event of a response, and the end of its stream. */
export const encodeLastEvents = (response: JsonObject, sequence: number): Buffer =>
  Buffer.concat([encodeNamedEvent(`response.${String(response.status)}`, { sequence_number: sequence, response }), DONE])

/**
 * The error of a response that failed. OpenAI's list of codes is closed here. Of this gateway's codes it has only
 * `rate_limit_exceeded`, so all others become `server_error` (2.3.0, ResponseErrorCode).
 */
export const responseErrorOf = ({ message, code }: WireError): { code: string; message: string } => ({
  code: code === 'rate_limit_exceeded' ? code : 'server_error',
  message,
})

/**
 * The two events with which a stream breaks off. The first is the one that SDKs look for. It has its fields at the top level and
 * in `error`, because SDKs differ in where they read them.
 */
export function encodeFailEvents(error: WireError, sequence: number, response: JsonObject): Buffer {
  const { message, code, param } = error
  return Buffer.concat([
    encodeNamedEvent('error', { sequence_number: sequence, code, message, param, error: { ...error } }),
    encodeNamedEvent('response.failed', { sequence_number: sequence + 1, response }),
  ])
}

/**
 * Writes the deltas of a chat as the events of a response. Non-streaming answers are written the same way, and their events
 * discarded.
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
    this.#writer = new ItemWriter(
      head.id,
      (type, fields) => this.#sendEvent(type, fields),
      qualifiedNameByChatName(prepared.chat.tools),
    )
  }

  get started(): boolean {
    return this.#writer.started
  }

  /** How many characters were generated. */
  get size(): number {
    return this.#writer.size
  }

  /** How many images were made. */
  get images(): number {
    return this.#writer.images
  }

  /** True once the model has said why it stopped. */
  get ended(): boolean {
    return this.finishReason !== null
  }

  /** Has to be called when the vendor begins to answer. */
  begin(): void {
    if (this.#begun) return
    this.#begun = true
    const response = this.#resource(INITIAL_STATE)
    this.#sendEvent('response.created', { response })
    this.#sendEvent('response.in_progress', { response })
  }

  /**
   * Takes a delta of a chat, and the sources that are named beside it. Throws StreamBrokenError if it cannot be kept. A reason to finish closes nothing yet, because servers
   * in front of Gemini send one with every chunk.
   */
  add(delta: JsonObject, logprobs: readonly JsonValue[], finishReason: string | null, sources: readonly JsonObject[] = []): void {
    this.begin()
    if (!this.#closed) this.#writer.add(delta, logprobs, sources)
    this.finishReason = finishReason ?? this.finishReason
  }

  /** Has to be called when nothing follows. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.begin()
    this.#writer.close(statusOfFinish(this.finishReason).status)
  }

  /** The events since the last call. */
  takeEvents(): Buffer {
    const out = this.#out
    this.#out = []
    return concatPieces(out)
  }

  end(complete: boolean): StreamEnd {
    return { complete, usage: this.usage, finishReason: this.finishReason }
  }

  finish(ports: FinishPorts): void {
    this.close()
    this.#completedAt = Math.floor(ports.nowMs / 1000)
  }

  async store(ports: FinishPorts): Promise<void> {
    await saveAnswer(this.#fullResource(), this.usage, this.#prepared, this.#head, ports)
  }

  /** The rest of the events: the last one, and the end of the stream. May be called more than once. */
  tail(usage: Usage, costNano: bigint): Buffer {
    return Buffer.concat([...this.#out, encodeLastEvents(this.response(usage, costNano), this.#sequence)])
  }

  fail(error: WireError): Buffer {
    this.begin()
    this.#writer.markIncomplete()
    const state: ResponseState = {
      ...INITIAL_STATE,
      status: 'failed',
      output: this.#writer.output,
      error: responseErrorOf(error),
    }
    return Buffer.concat([this.takeEvents(), encodeFailEvents(error, this.#sequence, this.#resource(state))])
  }

  text(): string {
    return this.#writer.text()
  }

  /** The response in its present state, without its usage. */
  toAnswerJson(): JsonObject {
    return this.#closed
      ? this.#fullResource()
      : this.#resource({ ...INITIAL_STATE, status: 'incomplete', output: this.#writer.output })
  }

  response(usage: Usage, costNano: bigint): JsonObject {
    return { ...this.#fullResource(), usage: writeResponsesUsage(usage, costNano) }
  }

  #fullResource(): JsonObject {
    const { status, reason } = statusOfFinish(this.finishReason)
    const completedAt = status === 'completed' ? this.#completedAt : null
    return this.#resource({ status, reason, completedAt, output: this.#writer.output, error: null })
  }

  #resource(state: ResponseState): JsonObject {
    return buildResource(this.#prepared.body, this.#head, state)
  }

  #sendEvent(type: string, fields: JsonObject): void {
    this.#out.push(encodeNamedEvent(type, { sequence_number: this.#sequence++, ...fields }))
  }
}
