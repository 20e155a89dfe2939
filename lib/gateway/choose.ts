import type { CatalogModel, Deployment } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { GatewayPorts } from './ports.ts'

/** Where a request goes: a deployment, and the vendor that runs it. */
export interface Route {
  deployment: Deployment
  vendor: Vendor
}

/**
 * Picks a deployment: the lowest priority number first, by weight among equals. Throws 503
 * where the model has none that this version can reach.
 */
export function choose(model: CatalogModel, ports: GatewayPorts): Route {
  const routes = model.deployments.flatMap((deployment) => {
    const vendor = ports.vendor(deployment.connection)
    return vendor ? [{ deployment, vendor }] : []
  })
  const first = Math.min(...routes.map((route) => route.deployment.priority))
  const best = routes.filter((route) => route.deployment.priority === first)
  const total = best.reduce((sum, route) => sum + route.deployment.weight, 0)
  let at = ports.random() * total
  for (const route of best) {
    at -= route.deployment.weight
    if (at < 0) return route
  }
  const [any] = best
  if (any) return any
  throw new Refusal('unavailable', `The model "${model.id}" has no deployment that can answer now. Try again later.`, {
    retryAfter: 30,
    detail: 'no deployment',
  })
}
