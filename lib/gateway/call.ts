import { asRefusal, type Refusal } from '../domain/errors.ts'
import { hasAnswer, VendorFailure, type WireAnswer } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnyForm } from '../wire/vendor-form.ts'
import type { Admitted } from './admit.ts'
import { isDisconnected } from './answer.ts'
import { askVendor } from './ask-vendor.ts'
import { RunningAttempt } from './attempt.ts'
import type { Route } from './choose-deployment.ts'
import { refuseUnsupportedEndpoint } from './eligible-deployments.ts'
import type { Exchange } from './exchange.ts'
import type { CallAnswer } from './fan-out.ts'
import { findForm } from './find-form.ts'
import type { GatewayPorts } from './ports.ts'
import { refuseStopped } from './refuse-stopped.ts'
import { asStreamBrokenError, isUnsupportedEndpoint, refuseFailure, refuseReported, refuseStatus } from './vendor-errors.ts'

declare const openCallBrand: unique symbol

/** A vendor's answer whose headers have arrived and whose status is good. Ends in one of three ways; only the first counts. */
export interface OpenCall<Input, P> {
  readonly [openCallBrand]: true
  readonly admitted: Admitted<Input, P>
  readonly answer: CallAnswer
  /** How the vendor was asked, and how its answer is read; null if it was asked through the bridge. */
  readonly form: AnyForm<P> | null
  readonly route: Route
  /** The answer was read to its end and is good: the time limit no longer applies. */
  complete(): void
  /** Ends the call for reasons other than the vendor. After `complete` it only closes the connection. */
  abort(): void
  /**
   * Ends the call because the answer broke off or is not a valid one, and returns the refusal for the client. `isUnseen`: the client
   * has received nothing of it, so an error in its body is handled like the status that it names.
   */
  fail(error: unknown, refusal: Refusal, isUnseen: boolean): Refusal
}

/** How long a call may take. */
export interface CallTime {
  /** Milliseconds until the vendor's headers must have arrived; null if only the end of the whole answer is limited. */
  firstMs: number | null
  /** When the whole answer must have arrived, on the monotonic clock. */
  untilMs: number
}

/** Whether a stream continues without its client: if part of what the vendor bills was not seen, or a repeat will ask for it. */
export const continuesAfterDisconnect = <Input, P>(
  { request }: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
): boolean => exchange.idempotent || request.model.hiddenReasoning || (endpoint.continuesAfterDisconnect?.(request.work) ?? false)

/** A vendor's refusal in which the field has the name that the client used for it. */
function withRequestFieldName<P>(refusal: Refusal, form: AnyForm<P> | null, work: P): Refusal {
  if (refusal.param === null || !form?.requestFieldOf) return refusal
  return refusal.about(form.requestFieldOf(refusal.param, work))
}

/** What is known of a call once its vendor has answered. */
type CallParts<Input, P> = Pick<OpenCall<Input, P>, 'admitted' | 'answer' | 'form' | 'route'>

/** Calls the vendor of one route. Throws a refusal if it gives no good answer. */
export async function call<Input, P>(
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  route: Route,
  time: CallTime,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<OpenCall<Input, P>> {
  const { request: client } = admitted.request.from.received
  const endsWithClient = endpoint.isStreamed(admitted.request.input) && !continuesAfterDisconnect(admitted, endpoint, exchange)
  if (endsWithClient && isDisconnected(client)) {
    exchange.clientGone = true
    route.pass?.release()
    throw new Error('the client left before its vendor was called')
  }
  if (exchange.stopped) throw refuseStopped()
  const attempt = new RunningAttempt(route, exchange, ports)
  exchange.onStop = () => attempt.abort()
  const onDisconnect = () => {
    exchange.clientGone = true
    attempt.abort()
  }
  if (endsWithClient) client.signal.addEventListener('abort', onDisconnect, { once: true })
  try {
    attempt.setTimeLimit(time.firstMs ?? time.untilMs - ports.ticks())
    const form = findForm(endpoint, admitted.request.model, route.vendor)
    const answer = await askVendor(admitted, endpoint, route, form, attempt.signal, exchange.markSent)
    attempt.recordStatus(answer.status)
    const parts = { admitted, answer, form, route }
    if (answer.k === 'wire' && !hasAnswer(answer.status)) throw await refuseAnswer(answer, parts, endpoint, attempt, ports)
    if (time.firstMs !== null) attempt.setTimeLimit(time.untilMs - ports.ticks())
    return openCall(parts, attempt, ports)
  } catch (thrown) {
    exchange.time.recordVendorEnd()
    const known = asRefusal(thrown)
    const error = attempt.timedOut && known === null ? new VendorFailure('timed_out', "the request's time") : thrown
    const refusal = known ?? refuseFailure(error)
    attempt.fail(refusal, error)
    throw refusal ?? error
  }
}

/** The refusal for an answer whose status is not a good one. */
async function refuseAnswer<Input, P>(
  answer: WireAnswer,
  { admitted: { request }, form, route }: CallParts<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  attempt: RunningAttempt,
  ports: GatewayPorts,
): Promise<Refusal> {
  if (endpoint.mayBeUnsupported && isUnsupportedEndpoint(answer.status)) {
    attempt.endUnsupported()
    return refuseUnsupportedEndpoint(request.model, endpoint, `vendor status ${answer.status}`)
  }
  return withRequestFieldName(await refuseStatus(answer, route, request.model.id, ports.now()), form, request.work)
}

function openCall<Input, P>(parts: CallParts<Input, P>, attempt: RunningAttempt, ports: GatewayPorts): OpenCall<Input, P> {
  const { admitted, answer, form, route } = parts
  const { model, work } = admitted.request
  return {
    admitted,
    answer,
    form,
    route,
    complete: () => attempt.complete(),
    abort: () => attempt.abort(),
    fail(error, refusal, isUnseen) {
      const broken = asStreamBrokenError(error)
      const inBand = isUnseen ? broken?.inBand : null
      if (inBand) attempt.recordStatus(inBand.status)
      const reported = inBand ? refuseReported({ ...inBand, headers: {} }, route, model.id, ports.now()) : refusal
      attempt.fail(reported, null, broken?.vendorWorks)
      return inBand ? withRequestFieldName(reported, form, work) : refusal
    },
  } as OpenCall<Input, P>
}
