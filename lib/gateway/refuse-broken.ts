import { asRefusal, Refusal } from '../domain/errors.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'
import { toRefusal } from './respond.ts'
import { refuseCutAnswer, refuseFailure } from './vendor-errors.ts'

/** The refusal for a vendor's stream that closed before its own end: the same as one that broke off. */
export const refuseEarlyEnd = (): Refusal => refuseCutAnswer('the stream ended early')

/** Names of errors that JavaScript itself throws. A connection error would have a code, or be the cause. */
const PROGRAMMING_ERRORS = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'])

/**
 * The refusal for an answer that broke off or could not be read. If our own code fails while reading it, the answer counts as
 * unreadable and another vendor may be asked. Only we can fix that, so its stack is logged.
 */
export function refuseBroken(error: unknown, exchange: Exchange, ports: GatewayPorts): Refusal {
  const known = asRefusal(error) ?? refuseFailure(error)
  if (known) return known
  const { code, name, cause, stack } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: unknown; stack?: unknown }
  if (typeof code !== 'string' && cause === undefined && PROGRAMMING_ERRORS.has(String(name)))
    ports.log.error({ request: exchange.received.id, error: String(stack ?? error) }, "a vendor's answer could not be read")
  // An aborted call has a number for its code (DOMException), so its name says more.
  return refuseCutAnswer(typeof code === 'string' ? code : String(name ?? error))
}

/**
 * The refusal when the gateway fails after a vendor has sent everything, which is not that vendor's fault. If the client has
 * seen what it is charged for, it is told so, because asking again costs again.
 */
export function refuseOwnFailure(error: unknown, charged: boolean, exchange: Exchange, ports: GatewayPorts): Refusal {
  const refusal = refuseFailure(error) ?? toRefusal(error, exchange, ports)
  if (!charged || refusal.condition === 'vendor_failed') return refusal
  const message = 'The gateway failed after the answer was delivered. The answer is charged. Give the operator the request id.'
  return new Refusal(refusal.condition, message, { detail: refusal.detail ?? message })
}
