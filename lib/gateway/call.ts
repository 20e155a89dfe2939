import { asRefusal, Refusal } from '../domain/errors.ts'
import { VendorFailure } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnyForm } from '../wire/vendor-form.ts'
import { lacking } from './able.ts'
import type { Admitted } from './admit.ts'
import { hasLeft } from './answer.ts'
import { Running } from './attempt.ts'
import { refuseStopped } from './broken.ts'
import type { Route } from './choose.ts'
import type { Exchange } from './exchange.ts'
import type { Reached } from './fan-out.ts'
import { formFor } from './form-for.ts'
import type { GatewayPorts } from './ports.ts'
import { send } from './send.ts'
import { isLacking, refuseFailure, refuseStatus } from './vendor-errors.ts'

declare const called: unique symbol

/** A vendor's answer whose headers have arrived and whose status is good. Ends in one of three ways; only the first counts. */
export interface Called<Input, P> {
  readonly [called]: true
  readonly gate: Admitted<Input, P>
  readonly answer: Reached
  /** How the vendor was asked, and how its answer is read; null if it was asked through the bridge. */
  readonly form: AnyForm<P> | null
  readonly route: Route
  /** The answer was read to its end and is good: the time limit no longer applies. */
  done(): void
  /** Ends the call for reasons other than the vendor. After `done` it only closes the connection. */
  abort(): void
  /** Ends the call because the answer broke off or is not a valid one. */
  fail(refusal: Refusal): void
}

/** How long a call may take. */
export interface CallTime {
  /** Milliseconds until the vendor's headers must have arrived; null if only the end of the whole answer is limited. */
  firstMs: number | null
  /** When the whole answer must have arrived, on the monotonic clock. */
  untilMs: number
}

/** Whether a stream continues without its client: if part of what the vendor bills was not seen, or a repeat will ask for it. */
export const runsOn = <Input, P>(
  { request }: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
): boolean => exchange.idempotent || request.model.hiddenReasoning || (endpoint.continuesAfterDisconnect?.(request.work) ?? false)

/** A vendor's refusal in which the field has the name that the client used for it. */
function inOwnName<P>(refusal: Refusal, form: AnyForm<P> | null, work: P): Refusal {
  const { condition, message, param, retryAfter, headers, detail } = refusal
  if (param === null || !form?.requestFieldOf) return refusal
  return new Refusal(condition, message, {
    param: form.requestFieldOf(param, work),
    headers,
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(detail === null ? {} : { detail }),
  })
}

/** Calls the vendor of one route. Throws a refusal if it gives no good answer. */
export async function call<Input, P>(
  gate: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  route: Route,
  time: CallTime,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Called<Input, P>> {
  const { request: client } = gate.request.from.received
  const follows = endpoint.isStreamed(gate.request.input) && !runsOn(gate, endpoint, exchange)
  if (follows && hasLeft(client)) {
    exchange.left = true
    route.pass?.released()
    throw new Error('the client left before its vendor was called')
  }
  if (exchange.stopped) throw refuseStopped()
  const run = new Running(route, exchange, ports)
  exchange.whenStopped = () => run.abort()
  const leave = () => {
    exchange.left = true
    run.abort()
  }
  if (follows) client.signal.addEventListener('abort', leave, { once: true })
  try {
    run.limit(time.firstMs ?? time.untilMs - ports.ticks())
    const form = formFor(endpoint, gate.request.model, route.vendor)
    const answer = await send(gate, endpoint, route, form, run.signal, exchange.sends)
    run.heard(answer.status)
    if (endpoint.mayBeUnsupported && answer.k === 'wire' && isLacking(answer.status)) {
      run.lacks()
      throw lacking(gate.request.model, endpoint, `vendor status ${answer.status}`)
    }
    if (answer.k === 'wire' && answer.status !== 200)
      throw inOwnName(await refuseStatus(answer, route, gate.request.model.id, ports.now()), form, gate.request.work)
    if (time.firstMs !== null) run.limit(time.untilMs - ports.ticks())
    return {
      gate,
      answer,
      form,
      route,
      done: () => run.done(),
      abort: () => run.abort(),
      fail: (refusal) => run.fail(refusal, null),
    } as Called<Input, P>
  } catch (thrown) {
    exchange.time.vendorEnds()
    const known = asRefusal(thrown)
    const error = run.late && known === null ? new VendorFailure('timed_out', "the request's time") : thrown
    const refusal = known ?? refuseFailure(error)
    run.fail(refusal, error)
    throw refusal ?? error
  }
}
