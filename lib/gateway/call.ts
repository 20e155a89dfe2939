import type { VendorAnswer } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import type { Route } from './choose.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'
import { send } from './send.ts'
import { refuseFailure, refuseStatus } from './vendor-errors.ts'

declare const called: unique symbol

/** A vendor's answer, its headers here and its status good. */
export interface Called<Input, P> {
  readonly [called]: true
  readonly gate: Admitted<Input, P>
  readonly answer: VendorAnswer
  /** The answer was read to its end: the time limit is off. */
  done(): void
  /** Ends the call to the vendor, wherever it is. */
  abort(): void
}

/** The seventh stage: calls the vendor. Throws a refusal where it gives no good answer. */
export async function call<Input, P>(
  gate: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  route: Route,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Called<Input, P>> {
  const ask = endpoint.ask(gate.request.work)
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ports.settings.requestTimeoutMs)
  timer.unref()
  const done = () => clearTimeout(timer)
  const abort = () => {
    done()
    controller.abort()
  }
  // Whole answers, hidden reasoning and idempotent requests run on without their client.
  const { signal: client } = gate.request.from.received.request
  if (ask.stream && !exchange.idempotent && !gate.request.model.hiddenReasoning) {
    const leave = () => {
      exchange.left = true
      abort()
    }
    if (!client.aborted) client.addEventListener('abort', leave, { once: true })
    else {
      leave()
      throw new Error('the client left before its vendor was called')
    }
  }
  exchange.vendorStartMs = ports.ticks()
  let status: number | null = null
  const tried = (result: string) => {
    const tookMs = Math.round((ports.ticks() - (exchange.vendorStartMs ?? 0)) * 10) / 10
    exchange.trace.push({ deployment: route.deployment.id, connection: route.deployment.connection.name, status, tookMs, result })
  }
  try {
    const answer = await send(gate, endpoint, route, controller.signal)
    status = answer.status
    if (answer.k === 'wire' && status !== 200) throw await refuseStatus(answer, route, gate.request.model.id)
    tried('answered')
    return { gate, answer, done, abort } as Called<Input, P>
  } catch (error) {
    exchange.vendorEndMs = ports.ticks()
    done()
    const refusal = refuseFailure(error)
    const why = refusal?.detail ?? (error as { detail?: string | null }).detail ?? 'failed'
    tried(status === null ? why : 'refused')
    throw refusal ?? error
  }
}
