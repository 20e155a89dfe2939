import { asRefusal, type Refusal } from '../domain/errors.ts'
import type { Soon } from '../domain/soon.ts'
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

/** Sends an answer whose beginning is here; from then on there is no way back. */
export type Ready = () => Soon<Answer>

/** Reads an answer until it can be sent. What it throws before that, another deployment may mend. */
export type Open<Input, P> = (
  called: Called<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
) => Promise<Ready>

/** With less than this part of a request's time left, a deployment would be blamed for what others took. */
const LEAST_PART = 0.1

/**
 * The sixth and seventh stage: chooses a deployment and calls it, and the next one where it fails before
 * anything was sent; never the same one twice, within the hops and the time of one request. Throws the
 * most useful refusal of those that were met, or 503 where nothing could be called.
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
    // Who has left is not worth another call, unless a repeat will ask for the answer.
    const goOn =
      tried.length === 0 || (restMs > requestTimeoutMs * LEAST_PART && (exchange.idempotent || !hasLeft(from.received.request)))
    const chosen = left > 0 && goOn ? choose(model, tried, sizeOf, ports) : null
    const route = chosen instanceof Promise ? await chosen : chosen
    if (route === null) throw shown ?? refuseAll(model, sizeOf, ports)
    tried.push(route.deployment.id)
    exchange.counted = route.counted
    // One that keeps silent may not take the time of those after it.
    const firstMs = left > 1 && route.deployment.connection.headersTimeoutMs > restMs / left ? restMs / left : null
    try {
      const called = await call(gate, endpoint, route, { firstMs, untilMs }, exchange, ports)
      const ready = await open(called, endpoint, exchange, ports)
      route.pass?.begun()
      return ready
    } catch (error) {
      // Whatever went wrong, the next one may find out how the deployment is. Most calls have told it by now.
      route.pass?.released()
      route.leave?.()
      const refusal = asRefusal(error)
      if (refusal === null || exchange.left || exchange.stopped || !(endpoint.mayLack || movesOn(refusal))) throw error
      // Its tokens are free again; the call counts, as vendors count it.
      route.counted?.used(0)
      shown = moreUseful(shown, refusal)
    }
  }
}

/** About how many tokens a call takes: the text as its bytes have it, within what is held for. */
function sizeOfCall({ bound, request }: Admitted<unknown, unknown>): CallSize {
  const { usage } = bound
  return {
    input: Math.min(Math.ceil(request.body.textBytes / 4), Number(tokensIn(usage))),
    output: Number(tokensOut(usage)),
  }
}
