import { NO_USAGE } from '../domain/usage.ts'
import { hasAnswer } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { measure } from './measure.ts'
import type { GatewayPorts } from './ports.ts'
import { commonHeaders } from './respond.ts'

/**
 * Ends the stream of a client that disconnected before the first word. The vendor was stopped. What it was sent, if anything,
 * is charged, because the vendor bills it, unless the vendor refused it or failed by itself. Nobody reads the answer.
 */
export async function endDisconnected<Input, P>(
  admitted: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const last = exchange.trace.at(-1)
  const billed = exchange.sentToVendor && last?.result === 'left' && (last.status === null || hasAnswer(last.status))
  const measured = !billed
    ? { usage: NO_USAGE, certainty: { exact: true } as const }
    : await measure(null, { text: () => '' }, 'The client left before the first word.', admitted, endpoint, ports)
  await exchange.end({ ...measured, outcome: 'client_gone', status: 499 })
  return { status: 499, headers: commonHeaders(exchange), body: null }
}
