import { type VendorAnswer, VendorFailure } from '../vendors/vendor.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import type { Route } from './choose.ts'

/** Asks a vendor: in the endpoint's own wire where it speaks that, else through the bridge. */
export async function send<Input, P>(
  { request, bound }: Admitted<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  { deployment, vendor }: Route,
  signal: AbortSignal,
): Promise<VendorAnswer> {
  const { wire, body, stream } = endpoint.ask(request.work)
  const { connection } = deployment
  const call = { deployment, connection, stream, cap: bound.cap, choices: bound.choices, signal }
  const forward = vendor.forward[wire]
  if (forward) return await forward({ ...call, body })
  if (!vendor.bridge || !endpoint.language)
    throw new VendorFailure('misconfigured', `a ${connection.kind} does not speak ${wire}`)
  const ask = endpoint.language.ask(request.work, vendor.bridge.skills(deployment.upstreamModel))
  return await vendor.bridge.run({ ...call, ask })
}
