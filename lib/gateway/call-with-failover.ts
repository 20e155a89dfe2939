import { asRefusal, type Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { tokensIn, tokensOut } from '../domain/usage.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import { type Answer, isDisconnected } from './answer.ts'
import { call, type OpenCall } from './call.ts'
import { chooseDeployment, refuseNoDeployment } from './choose-deployment.ts'
import type { Exchange } from './exchange.ts'
import type { CallSize } from './limits/ports.ts'
import type { GatewayPorts } from './ports.ts'
import { allowsFailover, pickMoreUseful } from './vendor-errors.ts'

/** Sends an answer whose beginning has arrived. From then on there is no way back. */
export type SendAnswer = () => MaybePromise<Answer>

/** Reads an answer until it can be sent. If it throws before that, another deployment may still answer. */
export type OpenAnswer<Input, P> = (
  openCall: OpenCall<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
) => Promise<SendAnswer>

/** With less than this fraction of a request's time left, a deployment would be blamed for the time that others took. */
const MIN_PART = 0.1

/**
 * The sixth and seventh stage: chooses a deployment and calls it, and calls the next one if it fails before anything was
 * sent. No deployment is called twice, and one request's hops and time are limited. Throws the most useful of the refusals
 * that it met, or 503 if nothing could be called.
 */
export async function callWithFailover<Input, P>(
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  open: OpenAnswer<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<SendAnswer> {
  const { model, from } = admitted.request
  const { hops, requestTimeoutMs } = ports.settings
  const maxCalls = Math.min(hops, model.deployments.length)
  const untilMs = ports.ticks() + requestTimeoutMs
  const tried: string[] = []
  let bestRefusal: Refusal | null = null
  const sizeOf = () => sizeOfCall(admitted)
  for (;;) {
    const remainingMs = untilMs - ports.ticks()
    const remainingCalls = maxCalls - tried.length
    // After the client has disconnected, another call is only worth making if a repeat will ask for the answer.
    const mayContinue =
      tried.length === 0 ||
      (remainingMs > requestTimeoutMs * MIN_PART && (exchange.idempotent || !isDisconnected(from.received.request)))
    const chosen = remainingCalls > 0 && mayContinue ? chooseDeployment(model, tried, sizeOf, ports) : null
    const route = chosen instanceof Promise ? await chosen : chosen
    if (route === null) throw bestRefusal ?? refuseNoDeployment(model, sizeOf, ports)
    tried.push(route.deployment.id)
    exchange.countedCall = route.countedCall
    // A deployment that keeps silent may not use up the time of those after it.
    const firstMs =
      remainingCalls > 1 && route.deployment.connection.headersTimeoutMs > remainingMs / remainingCalls
        ? remainingMs / remainingCalls
        : null
    try {
      const openCall = await call(admitted, endpoint, route, { firstMs, untilMs }, exchange, ports)
      const ready = await open(openCall, endpoint, exchange, ports)
      route.pass?.recordStart()
      return ready
    } catch (error) {
      // Whatever went wrong, the next call may find out how the deployment is. Most calls have reported it by now.
      route.pass?.release()
      route.releaseSlot?.()
      const refusal = asRefusal(error)
      if (refusal === null || exchange.clientGone || exchange.stopped || !(endpoint.mayBeUnsupported || allowsFailover(refusal)))
        throw error
      // Its tokens are free again. The call itself still counts, as it does with vendors.
      route.countedCall?.correctTokens(0)
      bestRefusal = pickMoreUseful(bestRefusal, refusal)
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
