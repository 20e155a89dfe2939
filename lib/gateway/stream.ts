import type { Refusal } from '../domain/errors.ts'
import type { StoredText } from '../domain/stored-text.ts'
import type { StreamTap } from '../wire/answer.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import { encodeEvent, KEEP_ALIVE } from '../wire/sse.ts'
import type { AnswerStream } from './answer.ts'
import { continuesAfterDisconnect, type OpenCall } from './call.ts'
import type { SendAnswer } from './call-with-failover.ts'
import type { Exchange } from './exchange.ts'
import { finishPortsOf, storeAfterDisconnect } from './finish.ts'
import type { GatewayPorts } from './ports.ts'
import { ignoredHeaders, openTap } from './read-vendor-answer.ts'
import { ReaderWatch } from './reader-watch.ts'
import { refuseBroken, refuseEarlyEnd, refuseOwnFailure } from './refuse-broken.ts'
import { refuseStopped } from './refuse-stopped.ts'
import { commonHeaders, errorBody, errorOf, waitForEnding } from './respond.ts'
import { SentBytes } from './sent-bytes.ts'
import { StreamEnding } from './stream-ending.ts'
import { TapReader } from './tap-reader.ts'

const EMPTY = new Uint8Array(0)
const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8'
const STOPPED_REASON: StoredText = 'The gateway was restarted; what was delivered was counted.'

/**
 * A streamed answer. The vendor is read only as fast as the client reads. The tap measures what passes; the last bytes wait
 * until the charge is durable. A stream ends in exactly one of three ways: finished, cut by the vendor or by the end of the
 * process, or left by the client.
 */
export async function openStream<Input, P>(
  openCall: OpenCall<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<SendAnswer> {
  const stream = new MeteredStream(openCall, endpoint, exchange, ports)
  // Until something can be shown, another deployment can be asked, and a failure is still a plain error answer.
  await stream.readFirst()
  return () => ({ status: 200, headers: { ...commonHeaders(exchange), ...stream.headers }, body: stream.open() })
}

class MeteredStream<Input, P> implements AnswerStream {
  readonly #openCall: OpenCall<Input, P>
  readonly #endpoint: PaidEndpoint<Input, P>
  readonly #exchange: Exchange
  readonly #ports: GatewayPorts
  readonly #tap: StreamTap<unknown>
  readonly #source: TapReader
  readonly #ending: StreamEnding<Input, P>
  #clientGone = false
  readonly #reader: ReaderWatch
  ended = false
  closeConnection: (() => void) | null = null
  sendNow: ((bytes: Uint8Array) => void) | null = null

  constructor(openCall: OpenCall<Input, P>, endpoint: PaidEndpoint<Input, P>, exchange: Exchange, ports: GatewayPorts) {
    this.#openCall = openCall
    this.#endpoint = endpoint
    this.#exchange = exchange
    this.#ports = ports
    const sent = exchange.idempotent ? new SentBytes() : null
    const tapped = openTap(openCall, endpoint)
    this.#tap = tapped.tap
    this.#source = new TapReader(tapped, exchange.time, sent)
    this.#ending = new StreamEnding({ admitted: openCall.admitted, endpoint, exchange, ports, tap: tapped.tap, sent })
    // Ends the connection, which would stay open forever otherwise.
    const onStalled = () => {
      this.cancel()
      this.closeConnection?.()
    }
    const onIdle = tapped.tap.type === undefined ? () => this.sendNow?.(KEEP_ALIVE) : null
    this.#reader = new ReaderWatch(ports.settings.readerTimeoutMs, onStalled, onIdle)
  }

  get headers(): Record<string, string> {
    const { answer } = this.#openCall
    return { 'content-type': this.#tap.type ?? EVENT_STREAM_TYPE, 'x-accel-buffering': 'no', ...ignoredHeaders(answer) }
  }

  /** Reads until there is something to send. Throws if the vendor fails before that, which is not charged. */
  async readFirst(): Promise<void> {
    try {
      const hasContent = await this.#source.open()
      if (this.#tap.broken && !this.#tap.started) throw this.#tap.broken
      // A stream that reports its end but is incomplete has shown nothing that anybody could read.
      if ((!hasContent || this.#tap.done) && !this.#tap.end().complete) throw refuseEarlyEnd()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** Hands the stream to the client: from here on, a disconnect and a stalled reader are noticed. */
  open(): this {
    const { signal } = this.#openCall.admitted.request.from.received.request
    if (signal.aborted) queueMicrotask(this.cancel)
    else signal.addEventListener('abort', this.cancel, { once: true })
    this.#reader.markSent()
    return this
  }

  async next(): Promise<Uint8Array> {
    this.#reader.markWaiting()
    const bytes = await this.#readNext()
    if (!this.ended) this.#reader.markSent()
    return bytes
  }

  async #readNext(): Promise<Uint8Array> {
    try {
      const bytes = await this.#source.next()
      if (this.#clientGone) return this.#endWith(EMPTY)
      if (bytes !== null) return bytes
      if (!this.#tap.end().complete) throw refuseEarlyEnd()
    } catch (error) {
      return this.#clientGone ? this.#endWith(EMPTY) : await this.#endBroken(error)
    }
    try {
      return await this.#finish()
    } catch (error) {
      return this.#clientGone ? this.#endWith(EMPTY) : await this.#endUnfinished(error)
    }
  }

  /** The vendor has sent everything. */
  async #finish(): Promise<Uint8Array> {
    const end = this.#tap.end()
    await this.#tap.finish?.(finishPortsOf(this.#openCall, this.#ports))
    this.#finishCall()
    await this.#tap.store?.(finishPortsOf(this.#openCall, this.#ports))
    const measured = await this.#ending.measure(end.usage, 'The vendor reported no usage.')
    const settled = await this.#ending.settle('finished', measured, this.headers, end.finishReason)
    return this.#endWith(this.#tap.tail(measured.usage, settled?.charged ?? 0n))
  }

  /** Marks these bytes as the last ones. */
  #endWith(bytes: Uint8Array): Uint8Array {
    this.ended = true
    this.#reader.stop()
    return bytes
  }

  /**
   * After the first byte no other status can be sent: an event says what happened, and nothing pretends to be a regular end.
   * A stream that does not consist of events ends with its connection.
   */
  #endBroken(error: unknown): Promise<Uint8Array> {
    const reason = this.#exchange.stopped ? STOPPED_REASON : 'The vendor broke off; what was delivered was counted.'
    return this.#endCut(this.#fail(error), reason)
  }

  /** The same for an answer that could not be finished. The vendor is to blame only if a refusal says so. */
  #endUnfinished(error: unknown): Promise<Uint8Array> {
    const charged = this.#tap.started && !this.#exchange.ended
    const refusal = refuseOwnFailure(error, charged, this.#exchange, this.#ports)
    if (refusal.condition === 'vendor_failed') return this.#endBroken(refusal)
    this.#openCall.complete()
    this.#abortCall()
    return this.#endCut(refusal, 'The gateway failed; what was delivered was counted.')
  }

  async #endCut(refusal: Refusal, reason: StoredText): Promise<Uint8Array> {
    const encodeError = () => this.#tap.fail?.(errorOf(refusal)) ?? encodeEvent(errorBody(refusal))
    const lastBytes = this.#endWith(this.#tap.type === undefined ? encodeError() : EMPTY)
    const ending = this.#recordCut(refusal, reason)
    // Counting takes time if nothing was counted yet, and a process that is ending has none: only its exit waits for that.
    await (this.#exchange.stopped ? this.#runDetached(ending) : ending)
    if (this.#tap.type !== undefined) this.closeConnection?.()
    return lastBytes
  }

  async #recordCut(refusal: Refusal, reason: StoredText): Promise<void> {
    if (this.#exchange.ended) return
    const outcomeWithoutUsage = this.#exchange.stopped ? 'refused' : 'vendor_failed'
    const measured = this.#tap.started ? await this.#ending.measureCut(reason) : null
    const ending = this.#ending.record(measured ? 'cut' : outcomeWithoutUsage, refusal.status, measured, refusal)
    if (this.#exchange.idempotent) await waitForEnding(ending, this.#ports)
  }

  /** The client disconnected or stopped reading. What it saw is charged. If the vendor bills the rest too, it is awaited. */
  readonly cancel = (): void => {
    // This also applies while the end is being charged: nobody is left to be told anything.
    this.#reader.stop()
    if (this.#clientGone || this.ended || this.#exchange.ended) return
    this.#clientGone = true
    this.#runDetached(
      continuesAfterDisconnect(this.#openCall.admitted, this.#endpoint, this.#exchange)
        ? this.#continueWithoutClient()
        : this.#stopAfterDisconnect(),
    )
  }

  /** Ends it without anybody waiting for the result. */
  #runDetached(ending: Promise<void>): void {
    const { id } = this.#exchange.received
    ending.catch((error: unknown) => this.#ports.log.warn({ request: id, error: String(error) }, 'a stream could not be ended'))
  }

  async #stopAfterDisconnect(): Promise<void> {
    this.#abortCall()
    this.#exchange.time.stopClock()
    const usage = this.#tap.done ? this.#tap.end().usage : null
    const measured = await this.#ending.measure(usage, 'The client left; what was delivered was counted.')
    await this.#ending.record('client_gone', 499, measured, null)
  }

  async #continueWithoutClient(): Promise<void> {
    try {
      while ((await this.#source.next()) !== null);
      if (!this.#tap.end().complete) throw refuseEarlyEnd()
      await this.#tap.finish?.(finishPortsOf(this.#openCall, this.#ports))
    } catch (error) {
      const refusal = this.#fail(error)
      const reason = this.#exchange.stopped ? STOPPED_REASON : 'The client left and the vendor broke off.'
      const measured = this.#tap.started ? await this.#ending.measureCut(reason) : null
      await this.#ending.record('client_gone', 499, measured, refusal)
      return
    }
    const end = this.#tap.end()
    this.#finishCall()
    await storeAfterDisconnect(this.#tap, this.#openCall, this.#ports)
    const measured = await this.#ending.measure(end.usage, 'The client left and the vendor reported no usage.')
    await this.#ending.settle('client_gone', measured, this.headers, end.finishReason)
  }

  /** The vendor has sent everything. */
  #finishCall(): void {
    this.#exchange.time.recordVendorEnd()
    this.#openCall.complete()
    this.#source.readRest(() => this.#openCall.abort())
  }

  #abortCall(): void {
    this.#exchange.time.recordVendorEnd()
    this.#openCall.abort()
  }

  /** The vendor failed: the call ends, which counts against its deployment. If the process is ending, it has already ended. */
  #fail(error: unknown): Refusal {
    this.#exchange.time.recordVendorEnd()
    const { stopped } = this.#exchange
    const refusal = stopped ? refuseStopped(this.#tap.started) : refuseBroken(error, this.#exchange, this.#ports)
    return this.#openCall.fail(error, refusal, !this.#tap.started && !stopped)
  }
}
