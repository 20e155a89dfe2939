import type { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { Outcome } from '../domain/settlement.ts'
import type { StoredText } from '../domain/stored-text.ts'
import { NO_USAGE, type Usage } from '../domain/usage.ts'
import type { StreamTap } from '../wire/answer.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import type { Ending } from './ending.ts'
import type { Exchange } from './exchange.ts'
import { type Measured, measure, measureCut } from './measure.ts'
import type { GatewayPorts } from './ports.ts'
import { refuseRepeat } from './refuse-repeat.ts'
import type { SentBytes } from './sent-bytes.ts'

interface EndingParts<Input, P> {
  admitted: Admitted<Input, P>
  endpoint: PaidEndpoint<Input, P>
  exchange: Exchange
  ports: GatewayPorts
  tap: StreamTap<unknown>
  /** What was sent. Null if no repeat may ask for it. */
  sent: SentBytes | null
}

/** Measures what a stream has delivered, charges for it, and keeps what a repeat or a reader of the history may ask for. */
export class StreamEnding<Input, P> {
  readonly #parts: EndingParts<Input, P>

  constructor(parts: EndingParts<Input, P>) {
    this.#parts = parts
  }

  /** What is charged, with the usage that the vendor reported, or else with what was counted, for this reason. */
  measure(usage: Usage | null, reason: StoredText): MaybePromise<Measured> {
    const { tap, admitted, endpoint, ports } = this.#parts
    return measure(usage, tap, reason, admitted, endpoint, ports)
  }

  /** The same for a stream that was cut. If a usage arrived before its end, what came after it is counted separately. */
  measureCut(reason: StoredText): MaybePromise<Measured> {
    const { tap, admitted, ports } = this.#parts
    const { usage } = tap.end()
    const { done, uncounted = 0, uncountedImages: images = 0 } = tap
    if (usage === null || done || uncounted + images === 0) return this.measure(usage, reason)
    const text = () => (uncounted === 0 ? '' : tap.text().slice(-uncounted))
    return measureCut(usage, { text, images }, reason, admitted, ports)
  }

  /** Ends with a non-streaming answer, which a repeat may ask for. */
  async settle(outcome: Outcome, measured: Measured, headers: Record<string, string>, finishReason: string | null) {
    const { exchange, tap, sent } = this.#parts
    const total = () => exchange.receipt(measured.usage, measured.certainty).total
    const body = sent ? sent.concatWith(tap.tail(measured.usage, total())) : null
    return await exchange.end({
      ...measured,
      outcome,
      status: 200,
      finishReason,
      toAnswerJson: () => tap.toAnswerJson(),
      answer: body ? { status: 200, headers, body } : this.#refuseRepeat(measured, 'too_long'),
    })
  }

  /** Ends without an answer that could be repeated. Nobody waits for it. */
  async record(outcome: Outcome, status: number, measured: Measured | null, refusal: Refusal | null): Promise<void> {
    const { exchange, tap, ports } = this.#parts
    const noUsage: Measured = { usage: NO_USAGE, certainty: { exact: true } }
    await exchange
      .end({
        ...(measured ?? noUsage),
        outcome,
        status,
        finishReason: null,
        toAnswerJson: () => tap.toAnswerJson(),
        errorCode: refusal?.code ?? null,
        errorText: refusal?.message ?? null,
        answer: measured && this.#refuseRepeat(measured, 'broken'),
      })
      .catch((error: unknown) =>
        ports.log.error({ request: exchange.received.id, error: String(error) }, 'a stream could not be settled'),
      )
  }

  /** A request that costs nothing may run again. */
  #refuseRepeat({ usage, certainty }: Measured, reason: 'too_long' | 'broken'): NonNullable<Ending['answer']> | null {
    const { exchange } = this.#parts
    if (!exchange.idempotent || exchange.receipt(usage, certainty).total === 0n) return null
    return refuseRepeat(reason)
  }
}
