import type { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { Outcome } from '../domain/settlement.ts'
import type { StoredText } from '../domain/stored-text.ts'
import { NO_USAGE, type Usage } from '../domain/usage.ts'
import type { StreamTap } from '../wire/answer.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import { encodeEvent, KEEP_ALIVE } from '../wire/sse.ts'
import type { AnswerStream } from './answer.ts'
import { ignoredHeaders, openTap } from './bridged.ts'
import { endedEarly, refuseBroken, refuseOwnEnd, refuseStopped } from './broken.ts'
import { type Called, runsOn } from './call.ts'
import type { Ending } from './ending.ts'
import type { Exchange } from './exchange.ts'
import { finishPorts, storeUnheard } from './finish.ts'
import { type Measured, measure, measureCut } from './measure.ts'
import type { GatewayPorts } from './ports.ts'
import type { Ready } from './reach.ts'
import { ReaderWatch } from './reader-watch.ts'
import { beforeRepeat, commonHeaders, errorBody, errorOf } from './respond.ts'
import { SentBytes } from './sent-bytes.ts'
import { TapReader } from './tap-reader.ts'
import { unrepeatable } from './unrepeatable.ts'

const NOTHING = new Uint8Array(0)
const EVENTS = 'text/event-stream; charset=utf-8'
const STOPPED: StoredText = 'The gateway was restarted; what was delivered was counted.'

/**
 * A streamed answer. The vendor is read only as fast as the client reads. The tap measures what passes; the last bytes wait
 * until the charge is durable. A stream ends in exactly one of three ways: finished, cut by the vendor or by the end of the
 * process, or left by the client.
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
  return () => ({ status: 200, headers: { ...commonHeaders(exchange), ...stream.headers }, body: stream.open() })
}

class Metered<Input, P> implements AnswerStream {
  readonly #called: Called<Input, P>
  readonly #endpoint: PaidEndpoint<Input, P>
  readonly #exchange: Exchange
  readonly #ports: GatewayPorts
  readonly #tap: StreamTap<unknown>
  readonly #source: TapReader
  /** Kept only if a repeat may ask for it. */
  readonly #sent: SentBytes | null
  #left = false
  readonly #reader: ReaderWatch
  over = false
  lost: (() => void) | null = null
  say: ((bytes: Uint8Array) => void) | null = null

  constructor(called: Called<Input, P>, endpoint: PaidEndpoint<Input, P>, exchange: Exchange, ports: GatewayPorts) {
    this.#called = called
    this.#endpoint = endpoint
    this.#exchange = exchange
    this.#ports = ports
    this.#sent = exchange.idempotent ? new SentBytes() : null
    const tapped = openTap(called, endpoint)
    this.#tap = tapped.tap
    this.#source = new TapReader(tapped, exchange.time, this.#sent)
    // Ends the connection, which would stay open forever otherwise.
    const lost = () => {
      this.leave()
      this.lost?.()
    }
    const silent = tapped.tap.type === undefined ? () => this.say?.(KEEP_ALIVE) : null
    this.#reader = new ReaderWatch(ports.settings.readerTimeoutMs, lost, silent)
  }

  get headers(): Record<string, string> {
    const { answer } = this.#called
    return { 'content-type': this.#tap.type ?? EVENTS, 'x-accel-buffering': 'no', ...ignoredHeaders(answer) }
  }

  /** Reads until there is something to send. Throws if the vendor fails before that, which is not charged. */
  async first(): Promise<void> {
    try {
      const shown = await this.#source.open()
      if (this.#tap.broken && !this.#tap.started) throw this.#tap.broken
      // A stream that reports its end but is incomplete has shown nothing that anybody could read.
      if ((!shown || this.#tap.done) && !this.#tap.end().complete) throw endedEarly()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** Hands the stream to the client: from here on, a disconnect and a stalled reader are noticed. */
  open(): this {
    const { signal } = this.#called.gate.request.from.received.request
    if (signal.aborted) queueMicrotask(this.leave)
    else signal.addEventListener('abort', this.leave, { once: true })
    this.#reader.given()
    return this
  }

  async next(): Promise<Uint8Array> {
    this.#reader.asks()
    const bytes = await this.#step()
    if (!this.over) this.#reader.given()
    return bytes
  }

  async #step(): Promise<Uint8Array> {
    try {
      const bytes = await this.#source.next()
      if (this.#left) return this.#end(NOTHING)
      if (bytes !== null) return bytes
      if (!this.#tap.end().complete) throw endedEarly()
    } catch (error) {
      return this.#left ? this.#end(NOTHING) : await this.#broken(error)
    }
    try {
      return await this.#finish()
    } catch (error) {
      return this.#left ? this.#end(NOTHING) : await this.#unfinished(error)
    }
  }

  /** The vendor has sent everything. */
  async #finish(): Promise<Uint8Array> {
    const end = this.#tap.end()
    await this.#tap.finish?.(finishPorts(this.#called, this.#ports))
    this.#letGo()
    await this.#tap.store?.(finishPorts(this.#called, this.#ports))
    const measured = await this.#measure(end.usage, 'The vendor reported no usage.')
    const settled = await this.#settle('finished', measured, end.finishReason)
    return this.#end(this.#tap.tail(measured.usage, settled?.charged ?? 0n))
  }

  /** Marks these bytes as the last ones. */
  #end(bytes: Uint8Array): Uint8Array {
    this.over = true
    this.#reader.stop()
    return bytes
  }

  /**
   * After the first byte no other status can be sent: an event says what happened, and nothing pretends to be a regular end.
   * A stream that does not consist of events ends with its connection.
   */
  #broken(error: unknown): Promise<Uint8Array> {
    const why = this.#exchange.stopped ? STOPPED : 'The vendor broke off; what was delivered was counted.'
    return this.#cut(this.#fail(error), why)
  }

  /** The same for an answer that could not be finished. The vendor is to blame only if a refusal says so. */
  #unfinished(error: unknown): Promise<Uint8Array> {
    const charged = this.#tap.started && !this.#exchange.ended
    const refusal = refuseOwnEnd(error, charged, this.#exchange, this.#ports)
    if (refusal.condition === 'vendor_failed') return this.#broken(refusal)
    this.#called.done()
    this.#close()
    return this.#cut(refusal, 'The gateway failed; what was delivered was counted.')
  }

  async #cut(refusal: Refusal, why: StoredText): Promise<Uint8Array> {
    const words = () => this.#tap.fail?.(errorOf(refusal)) ?? encodeEvent(errorBody(refusal))
    const said = this.#end(this.#tap.type === undefined ? words() : NOTHING)
    const ending = this.#recordCut(refusal, why)
    // Counting takes time if nothing was counted yet, and a process that is ending has none: only its exit waits for that.
    await (this.#exchange.stopped ? this.#unheard(ending) : ending)
    if (this.#tap.type !== undefined) this.lost?.()
    return said
  }

  async #recordCut(refusal: Refusal, why: StoredText): Promise<void> {
    if (this.#exchange.ended) return
    const nothing = this.#exchange.stopped ? 'refused' : 'vendor_failed'
    const measured = this.#tap.started ? await this.#measureCut(why) : null
    const ending = this.#record(measured ? 'cut' : nothing, refusal.status, measured, refusal)
    if (this.#exchange.idempotent) await beforeRepeat(ending, this.#ports)
  }

  /** The client disconnected or stopped reading. What it saw is charged. If the vendor bills the rest too, it is awaited. */
  readonly leave = (): void => {
    // This also applies while the end is being charged: nobody is left to be told anything.
    this.#reader.stop()
    if (this.#left || this.over || this.#exchange.ended) return
    this.#left = true
    this.#unheard(runsOn(this.#called.gate, this.#endpoint, this.#exchange) ? this.#runOn() : this.#stop())
  }

  /** Ends it without anybody waiting for the result. */
  #unheard(ending: Promise<void>): void {
    const { id } = this.#exchange.received
    ending.catch((error: unknown) => this.#ports.log.warn({ request: id, error: String(error) }, 'a stream could not be ended'))
  }

  async #stop(): Promise<void> {
    this.#close()
    this.#exchange.time.over()
    const usage = this.#tap.done ? this.#tap.end().usage : null
    const measured = await this.#measure(usage, 'The client left; what was delivered was counted.')
    await this.#record('client_gone', 499, measured, null)
  }

  async #runOn(): Promise<void> {
    try {
      while ((await this.#source.next()) !== null);
      if (!this.#tap.end().complete) throw endedEarly()
      await this.#tap.finish?.(finishPorts(this.#called, this.#ports))
    } catch (error) {
      const refusal = this.#fail(error)
      const why = this.#exchange.stopped ? STOPPED : 'The client left and the vendor broke off.'
      const measured = this.#tap.started ? await this.#measureCut(why) : null
      await this.#record('client_gone', 499, measured, refusal)
      return
    }
    const end = this.#tap.end()
    this.#letGo()
    await storeUnheard(this.#tap, this.#called, this.#ports)
    const measured = await this.#measure(end.usage, 'The client left and the vendor reported no usage.')
    await this.#settle('client_gone', measured, end.finishReason)
  }

  #measure(usage: Usage | null, why: StoredText): MaybePromise<Measured> {
    return measure(usage, () => this.#tap.text(), why, this.#called.gate, this.#endpoint, this.#ports)
  }

  /** If a usage arrived before the end of the stream, the text that came after it is counted separately. */
  #measureCut(why: StoredText): MaybePromise<Measured> {
    const { usage } = this.#tap.end()
    const { done, uncounted = 0 } = this.#tap
    if (usage === null || done || uncounted === 0) return this.#measure(usage, why)
    return measureCut(usage, this.#tap.text().slice(-uncounted), why, this.#called.gate, this.#ports)
  }

  /** Ends with a whole answer, which a repeat may ask for. */
  async #settle(outcome: Outcome, measured: Measured, finishReason: string | null) {
    const total = () => this.#exchange.receipt(measured.usage, measured.certainty).total
    const body = this.#sent ? this.#sent.with(this.#tap.tail(measured.usage, total())) : null
    return await this.#exchange.end({
      ...measured,
      outcome,
      status: 200,
      finishReason,
      said: () => this.#tap.toAnswerJson(),
      answer: body ? { status: 200, headers: this.headers, body } : this.#unrepeatable(measured, 'too_long'),
    })
  }

  /** A request that costs nothing may run again. */
  #unrepeatable({ usage, certainty }: Measured, why: 'too_long' | 'broken'): NonNullable<Ending['answer']> | null {
    if (!this.#exchange.idempotent || this.#exchange.receipt(usage, certainty).total === 0n) return null
    return unrepeatable(why)
  }

  /** Ends without an answer that could be repeated. Nobody waits for it. */
  async #record(outcome: Outcome, status: number, measured: Measured | null, refusal: Refusal | null): Promise<void> {
    const none: Measured = { usage: NO_USAGE, certainty: { exact: true } }
    await this.#exchange
      .end({
        ...(measured ?? none),
        outcome,
        status,
        finishReason: null,
        said: () => this.#tap.toAnswerJson(),
        errorCode: refusal?.code ?? null,
        errorText: refusal?.message ?? null,
        answer: measured && this.#unrepeatable(measured, 'broken'),
      })
      .catch((error: unknown) =>
        this.#ports.log.error({ request: this.#exchange.received.id, error: String(error) }, 'a stream could not be settled'),
      )
  }

  /** The vendor has sent everything. */
  #letGo(): void {
    this.#exchange.time.vendorEnds()
    this.#called.done()
    this.#source.readRest(() => this.#called.abort())
  }

  #close(): void {
    this.#exchange.time.vendorEnds()
    this.#called.abort()
  }

  /** The vendor failed: the call ends, which counts against its deployment. If the process is ending, it has already ended. */
  #fail(error: unknown): Refusal {
    this.#exchange.time.vendorEnds()
    const { stopped } = this.#exchange
    const refusal = stopped ? refuseStopped(this.#tap.started) : refuseBroken(error, this.#exchange, this.#ports)
    this.#called.fail(refusal)
    return refusal
  }
}
