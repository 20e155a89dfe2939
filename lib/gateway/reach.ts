import { asRefusal, type Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { tokensIn, tokensOut } from '../domain/usage.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import { type Answer, hasLeft } from './answer.ts'
import { type Called, call } from './call.ts'
import { choose, refuseAll } from './choose.ts'
import type { Exchange } from './exchange.ts'
import type { CallSize } from './limits/ports.ts'
import type { GatewayPorts } from './ports.ts'
import { moreUseful, movesOn } from './vendor-errors.ts'

/** Sends an answer whose beginning has arrived. From then on there is no way back. */
export type Ready = () => MaybePromise<Answer>

/** Reads an answer until it can be sent. If it throws before that, another deployment may still answer. */
export type Open<Input, P> = (
  called: Called<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
) => Promise<Ready>

/** With less than this fraction of a request's time left, a deployment would be blamed for the time that others took. */
const MIN_PART = 0.1

/**
 * The sixth and seventh stage: chooses a deployment and calls it, and calls the next one if it fails before anything was
 * sent. No deployment is called twice, and one request's hops and time are limited. Throws the most useful of the refusals
 * that it met, or 503 if nothing could be called.
 */
export async function reach<Input, P>(
  gate: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  open: Open<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Ready> {
  const { model, from } = gate.request
  const { hops, requestTimeoutMs } = ports.settings
  const most = Math.min(hops, model.deployments.length)
  const untilMs = ports.ticks() + requestTimeoutMs
  const tried: string[] = []
  let shown: Refusal | null = null
  const sizeOf = () => sizeOfCall(gate)
  for (;;) {
    const restMs = untilMs - ports.ticks()
    const left = most - tried.length
    // After the client has disconnected, another call is only worth making if a repeat will ask for the answer.
    const goOn =
      tried.length === 0 || (restMs > requestTimeoutMs * MIN_PART && (exchange.idempotent || !hasLeft(from.received.request)))
    const chosen = left > 0 && goOn ? choose(model, tried, sizeOf, ports) : null
    const route = chosen instanceof Promise ? await chosen : chosen
    if (route === null) throw shown ?? refuseAll(model, sizeOf, ports)
    tried.push(route.deployment.id)
    exchange.counted = route.counted
    // A deployment that keeps silent may not use up the time of those after it.
    const firstMs = left > 1 && route.deployment.connection.headersTimeoutMs > restMs / left ? restMs / left : null
    try {
      const called = await call(gate, endpoint, route, { firstMs, untilMs }, exchange, ports)
      const ready = await open(called, endpoint, exchange, ports)
      route.pass?.begun()
      return ready
    } catch (error) {
      // Whatever went wrong, the next call may find out how the deployment is. Most calls have reported it by now.
      route.pass?.released()
      route.leave?.()
      const refusal = asRefusal(error)
      if (refusal === null || exchange.left || exchange.stopped || !(endpoint.mayBeUnsupported || movesOn(refusal))) throw error
      // Its tokens are free again. The call itself still counts, as it does with vendors.
      route.counted?.used(0)
      shown = moreUseful(shown, refusal)
    }
  }
}

/** Roughly how many tokens a call takes: the text by its bytes, within what is held for. */
function sizeOfCall({ bound, request }: Admitted<unknown, unknown>): CallSize {
  const { usage } = bound
  return {
    input: Math.min(Math.ceil(request.body.textBytes / 4), Number(tokensIn(usage))),
    output: Number(tokensOut(usage)),
  }
}
