import type { FinishPorts, StreamTap } from '../wire/answer.ts'
import type { Called } from './call.ts'
import type { GatewayPorts } from './ports.ts'

/** What an answer may use between its end and its charge. */
export function finishPorts(called: Called<unknown, unknown>, ports: GatewayPorts): FinishPorts {
  const { from } = called.gate.request
  const { baseUrl } = called.route.deployment.connection
  return {
    accountId: from.caller.accountId,
    keepHistory: from.caller.keepHistory,
    at: from.received.at,
    nowMs: ports.now(),
    responses: ports.responses,
    vendorOrigin: baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).origin : null,
    files: ports.files,
    fileLifetimeMs: ports.settings.fileLifeMs,
    warn: (fields, message) => ports.log.warn({ request: from.received.id, ...fields }, message),
  }
}

/** Stores an answer that was completed although nobody is waiting for it any more. */
export async function storeUnheard(
  tap: Pick<StreamTap, 'store'>,
  called: Called<unknown, unknown>,
  ports: GatewayPorts,
): Promise<void> {
  await tap
    .store?.(finishPorts(called, ports))
    .catch((error: unknown) =>
      ports.log.warn({ request: called.gate.request.from.received.id, error: String(error) }, 'an answer could not be stored'),
    )
}
