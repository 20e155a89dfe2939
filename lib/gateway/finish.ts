import type { FinishPorts, StreamTap } from '../wire/answer.ts'
import type { OpenCall } from './call.ts'
import type { GatewayPorts } from './ports.ts'

/** What an answer may use between its end and its charge. */
export function finishPortsOf(openCall: OpenCall<unknown, unknown>, ports: GatewayPorts): FinishPorts {
  const { from } = openCall.admitted.request
  const { baseUrl } = openCall.route.deployment.connection
  return {
    accountId: from.caller.accountId,
    keepHistory: from.caller.keepHistory,
    at: from.received.at,
    nowMs: ports.now(),
    responses: ports.responses,
    vendorOrigin: baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).origin : null,
    files: ports.files,
    fileLifetimeMs: ports.settings.fileLifetimeMs,
    warn: (fields, message) => ports.log.warn({ request: from.received.id, ...fields }, message),
  }
}

/** Stores an answer that was completed although nobody is waiting for it any more. */
export async function storeAfterDisconnect(
  tap: Pick<StreamTap, 'store'>,
  openCall: OpenCall<unknown, unknown>,
  ports: GatewayPorts,
): Promise<void> {
  await tap
    .store?.(finishPortsOf(openCall, ports))
    .catch((error: unknown) =>
      ports.log.warn(
        { request: openCall.admitted.request.from.received.id, error: String(error) },
        'an answer could not be stored',
      ),
    )
}
