import type { CatalogModel, Deployment } from '../domain/catalog.ts'
import { asRefusal, type Refusal } from '../domain/errors.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { GatewayPorts } from './ports.ts'

/**
 * The model with those of its deployments that can be given this request. Where none can, throws what the first one
 * cannot be given: a 400, before limits are counted or money is held.
 */
export function ableModel<Input, P>(
  model: CatalogModel,
  endpoint: PaidEndpoint<Input, P>,
  work: P,
  ports: GatewayPorts,
): CatalogModel {
  const refusals: Refusal[] = []
  const deployments = model.deployments.filter((deployment) => {
    const refusal = refusalOf(deployment, endpoint, work, ports)
    if (refusal) refusals.push(refusal)
    return refusal === null
  })
  const [first] = refusals
  if (!first) return model
  if (deployments.length === 0) throw first
  return { ...model, deployments }
}

function refusalOf<Input, P>(
  { connection, upstreamModel }: Deployment,
  { language }: PaidEndpoint<Input, P>,
  work: P,
  ports: GatewayPorts,
): Refusal | null {
  const bridge = ports.vendor(connection)?.bridge
  if (!bridge || !language) return null
  try {
    language.ask(work, bridge.skills(upstreamModel))
    return null
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal) return refusal
    throw error
  }
}
