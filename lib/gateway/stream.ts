import { Refusal } from '../domain/errors.ts'
import type { Outcome } from '../domain/settlement.ts'
import { NO_USAGE } from '../domain/usage.ts'
import type { PaidEndpoint, StreamTap } from '../wire/endpoint.ts'
import { encodeEvent } from '../wire/sse.ts'
import type { Called } from './call.ts'
import type { Ending, Exchange } from './exchange.ts'
import { type Measured, measure } from './measure.ts'
import type { GatewayPorts } from './ports.ts'
import type { Ready } from './reach.ts'
import { commonHeaders, errorBody, toRefusal } from './respond.ts'
import { asBroken, refuseFailure } from './vendor-errors.ts'

const MAX_REPLAY_BYTES = 8 * 1024 * 1024
/** After the end of an answer its connection may take this long to end too. */
const MAX_REST_MS = 1000
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }

/**
 * A streamed answer. The vendor is read only as fast as the client reads. The tap measures what
 * passes; the last bytes wait until the charge is durable. It ends in exactly one of: finished, cut by
 * the vendor, left by the client.
 */
export async function openStream<Input, P>(
  called: Called<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Ready> {
  const stream = new Metered(called, endpoint, exchange, ports)
  // Until something can be shown, another deployment can be asked, and a failure is still a plain error answer.
  await stream.first()
  return () => new Response(stream.body(), { status: 200, headers: { ...commonHeaders(exchange), ...STREAM_HEADERS } })
}

const brokeOff = (detail: string): Refusal =>
  new Refusal('vendor_failed', "The model's vendor broke off. Try again in a moment.", { detail })
const endedEarly = (): Refusal => brokeOff('the stream ended early')

class Metered<Input, P> {
  readonly #called: Called<Input, P>
  readonly #endpoint: PaidEndpoint<Input, P>
  readonly #exchange: Exchange
  readonly #ports: GatewayPorts
  readonly #tap: StreamTap
  readonly #source: AsyncIterator<Uint8Array>
  readonly #kept: Uint8Array[] = []
  #keptBytes = 0
  #ready: Uint8Array | null = null
  #left = false
  #reading: Promise<Uint8Array | null> | null = null
  #stall: NodeJS.Timeout | null = null

  constructor(called: Called<Input, P>, endpoint: PaidEndpoint<Input, P>, exchange: Exchange, ports: GatewayPorts) {
    this.#called = called
    this.#endpoint = endpoint
    this.#exchange = exchange
    this.#ports = ports
    this.#tap = endpoint.tap(called.gate.request.work, called.gate.request.model.id)
    this.#source = called.answer.body[Symbol.asyncIterator]()
  }

  /** Reads until there is something to send. Throws where the vendor fails before that: not charged. */
  async first(): Promise<void> {
    try {
      this.#ready = await this.#next()
      if (this.#tap.broken && !this.#tap.started) throw this.#tap.broken
      if (this.#ready === null && !this.#tap.end().complete) throw endedEarly()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  body(): ReadableStream<Uint8Array> {
    const { signal } = this.#called.gate.request.from.received.request
    const gone = () => this.#gone()
    if (signal.aborted) queueMicrotask(gone)
    else signal.addEventListener('abort', gone, { once: true })
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => this.#watchReader(controller),
        pull: async (controller) => {
          if (this.#stall) clearTimeout(this.#stall)
          const done = await this.#pull(controller)
          if (done) signal.removeEventListener('abort', gone)
          else this.#watchReader(controller)
        },
        cancel: gone,
      },
      { highWaterMark: 0 },
    )
  }

  /** Hands on the next bytes; true when it was the end. */
  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> {
    try {
      const bytes = this.#ready ?? (await this.#next())
      this.#ready = null
      if (this.#left) return true
      if (bytes === null) return await this.#finish(controller)
      controller.enqueue(bytes)
      return false
    } catch (error) {
      if (!this.#left) await this.#broken(error, controller)
      return true
    }
  }

  /** The next bytes that may be shown, or null at the end. One read at a time, whoever asks. */
  #next(): Promise<Uint8Array | null> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(): Promise<Uint8Array | null> {
    while (!this.#tap.done) {
      if (this.#tap.broken) throw this.#tap.broken
      const { value, done } = await this.#source.next()
      if (done) break
      const bytes = this.#tap.push(value)
      if (this.#tap.started) this.#exchange.firstTokenMs ??= this.#ports.ticks() - this.#exchange.received.startedMs
      if (bytes.byteLength === 0) continue
      this.#keep(bytes)
      return bytes
    }
    return null
  }

  async #finish(controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> {
    const end = this.#tap.end()
    if (!end.complete) {
      await this.#broken(endedEarly(), controller)
      return true
    }
    this.#letGo()
    const measured = await this.#measure(end.usage, 'The vendor reported no usage.')
    const settled = await this.#settle('finished', 200, measured, end.finishReason)
    controller.enqueue(this.#tap.tail(measured.usage, settled?.charged ?? 0n))
    controller.close()
    return true
  }

  /** After the first byte there is no other status to send: an event says what happened, and nothing pretends to be an end. */
  async #broken(error: unknown, controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const refusal = this.#fail(error)
    controller.enqueue(encodeEvent(errorBody(refusal)))
    controller.close()
    if (this.#exchange.ended) return
    const measured = this.#tap.started
      ? await this.#measure(this.#tap.end().usage, 'The vendor broke off; what was delivered was counted.')
      : null
    this.#record(measured ? 'cut' : 'vendor_failed', refusal.status, measured, refusal)
  }

  /** The client left, or takes nothing. What it saw is charged; what the vendor bills unseen is waited for. */
  #gone(): void {
    if (this.#left || this.#exchange.ended) return
    this.#left = true
    if (this.#stall) clearTimeout(this.#stall)
    const runOn = this.#exchange.idempotent || this.#called.gate.request.model.hiddenReasoning
    const work = runOn ? this.#runOn() : this.#stop()
    work.catch((error: unknown) =>
      this.#ports.log.warn(
        { request: this.#exchange.received.id, error: String(error) },
        'a request whose client left could not be ended',
      ),
    )
  }

  async #stop(): Promise<void> {
    this.#close()
    const usage = this.#tap.done ? this.#tap.end().usage : null
    this.#record('client_gone', 499, await this.#measure(usage, 'The client left; what was delivered was counted.'), null)
  }

  async #runOn(): Promise<void> {
    try {
      while ((await this.#next()) !== null);
    } catch (error) {
      const refusal = this.#fail(error)
      const measured = await this.#measure(this.#tap.end().usage, 'The client left and the vendor broke off.')
      this.#record('client_gone', 499, measured, refusal)
      return
    }
    const end = this.#tap.end()
    if (end.complete) this.#letGo()
    else this.#fail(endedEarly())
    const measured = await this.#measure(end.usage, 'The client left and the vendor reported no usage.')
    await this.#settle('client_gone', end.complete ? 200 : 499, measured, end.finishReason)
  }

  #measure(usage: Ending['usage'] | null, why: string): Promise<Measured> {
    return measure(usage, () => this.#tap.text(), why, this.#called.gate, this.#endpoint, this.#ports)
  }

  async #settle(outcome: Outcome, status: number, measured: Measured, finishReason: string | null) {
    const expected = this.#exchange.receipt(measured.usage, measured.certainty).total
    const tail = status === 200 && this.#exchange.idempotent && this.#keptBytes <= MAX_REPLAY_BYTES
    return await this.#exchange.end({
      ...measured,
      outcome,
      status,
      finishReason,
      said: () => this.#tap.folded(),
      answer: tail
        ? { status: 200, headers: STREAM_HEADERS, body: Buffer.concat([...this.#kept, this.#tap.tail(measured.usage, expected)]) }
        : null,
    })
  }

  /** Ends without an answer that could be repeated; nobody waits for it. */
  #record(outcome: Outcome, status: number, measured: Measured | null, refusal: Refusal | null): void {
    const none: Measured = { usage: NO_USAGE, certainty: { exact: true } }
    this.#exchange
      .end({
        ...(measured ?? none),
        outcome,
        status,
        finishReason: null,
        said: () => this.#tap.folded(),
        errorCode: refusal?.code ?? null,
        errorText: refusal?.message ?? null,
      })
      .catch((error: unknown) =>
        this.#ports.log.error({ request: this.#exchange.received.id, error: String(error) }, 'a stream could not be settled'),
      )
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#exchange.idempotent || this.#keptBytes > MAX_REPLAY_BYTES) return
    this.#keptBytes += bytes.byteLength
    this.#kept.push(bytes)
  }

  /** A reader that takes nothing for a while has gone: its connection is ended, or it would stay for ever. */
  #watchReader(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#stall = setTimeout(() => {
      this.#gone()
      controller.error(new Error('The reader of a stream took nothing for too long.'))
    }, this.#ports.settings.readerTimeoutMs)
    this.#stall.unref()
  }

  /** The vendor has said everything: its connection is read to the end, so that it can be used again, but not for long. */
  #letGo(): void {
    this.#exchange.vendorEndMs ??= this.#ports.ticks()
    this.#called.done()
    const late = setTimeout(() => this.#called.abort(), MAX_REST_MS)
    late.unref()
    this.#source
      .next()
      .then(({ done }) => done || this.#called.abort())
      .catch(() => undefined)
      .finally(() => clearTimeout(late))
  }

  #close(): void {
    this.#exchange.vendorEndMs ??= this.#ports.ticks()
    this.#called.abort()
  }

  /** The vendor failed: the call ends, and its deployment answers for it. */
  #fail(error: unknown): Refusal {
    this.#exchange.vendorEndMs ??= this.#ports.ticks()
    const refusal = this.#refusalOf(error)
    this.#called.fail(refusal)
    return refusal
  }

  #refusalOf(error: unknown): Refusal {
    const known = refuseFailure(error)
    if (known) return known
    const code = (error as { code?: unknown; name?: unknown }).code ?? (error as { name?: unknown }).name
    if (asBroken(error) === null && typeof code === 'string' && !(error instanceof Refusal)) return brokeOff(code)
    return toRefusal(error, this.#exchange, this.#ports)
  }
}
