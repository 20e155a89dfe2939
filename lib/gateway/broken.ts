import { Refusal } from '../domain/errors.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'
import { toRefusal } from './respond.ts'
import { asBroken, brokeOff, refuseFailure } from './vendor-errors.ts'

export const endedEarly = (): Refusal => brokeOff('the stream ended early')

/** What is said of a stream that broke off. */
export function refuseBroken(error: unknown, exchange: Exchange, ports: GatewayPorts): Refusal {
  const known = refuseFailure(error)
  if (known) return known
  // An aborted call has a number for its code (DOMException), and its name says more.
  const { code, name } = error as { code?: unknown; name?: unknown }
  const why = typeof code === 'string' ? code : name
  if (asBroken(error) === null && typeof why === 'string' && !(error instanceof Refusal)) return brokeOff(why)
  return toRefusal(error, exchange, ports)
}
