import type { CatalogModel, Deployment } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { Pass } from './breaker.ts'
import type { GatewayPorts } from './ports.ts'

/** Where a request goes: a deployment, and the vendor that runs it. */
export interface Route {
  /** Whose deployment it is. */
  modelId: string
  deployment: Deployment
  vendor: Vendor
  /** Tells the deployment's breaker how the call ended; null where a failure is part of the show. */
  pass: Pass | null
}

/** Comes after every priority that the catalog can hold: those that rest go last. */
const LAST = 2 ** 40

/**
 * Picks a deployment that was not tried yet: the lowest priority number first, by weight among equals.
 * Those that an operator holds are left out, and those whose breaker is open, but for one call when its time has
 * come; those that rest go last; those that have as many calls under way as they may are passed over. Null where none is left. What is picked counts as called: its pass must be told a result.
 */
export function choose(model: CatalogModel, tried: readonly string[], ports: GatewayPorts): Route | null {
  let left = tried
  for (;;) {
    const deployment = pick(model.deployments, left, ports)
    if (deployment === null) return null
    const vendor = ports.vendor(deployment.connection)
    if (vendor)
      return { modelId: model.id, deployment, vendor, pass: vendor.simulated ? null : ports.breakers.take(deployment.id) }
    left = [...left, deployment.id]
  }
}

function pick(deployments: readonly Deployment[], tried: readonly string[], ports: GatewayPorts): Deployment | null {
  const nowMs = ports.ticks()
  let best = Number.POSITIVE_INFINITY
  let total = 0
  for (const deployment of deployments) {
    const rank = rankOf(deployment, tried, nowMs, ports)
    if (rank < best) {
      best = rank
      total = 0
    }
    if (rank === best) total += Math.max(0, deployment.weight)
  }
  if (best === Number.POSITIVE_INFINITY) return null
  let at = ports.random() * total
  let first: Deployment | null = null
  for (const deployment of deployments) {
    if (rankOf(deployment, tried, nowMs, ports) !== best) continue
    first ??= deployment
    at -= Math.max(0, deployment.weight)
    if (at < 0) return deployment
  }
  return first
}

/** What is lower goes first; infinity is left out. */
function rankOf(deployment: Deployment, tried: readonly string[], nowMs: number, { breakers, busy }: GatewayPorts): number {
  const { id, priority } = deployment
  if (deployment.held || tried.includes(id) || busy?.full(deployment)) return Number.POSITIVE_INFINITY
  const standing = breakers.standing(id, nowMs)
  if (standing === 'shut') return Number.POSITIVE_INFINITY
  return standing === 'resting' ? priority + LAST : priority
}

/** Where nothing can be called: 503, with the time until the first deployment may be tried again. */
export function refuseAll(model: CatalogModel, ports: GatewayPorts): Refusal {
  const nowMs = ports.ticks()
  const waits = model.deployments
    .filter(({ id, held }) => !held && ports.breakers.standing(id, nowMs) === 'shut')
    .map(({ id }) => ports.breakers.waitMs(id, nowMs))
  const full = model.deployments.some((deployment) => ports.busy?.full(deployment))
  return new Refusal('unavailable', `The model "${model.id}" has no deployment that can answer now. Try again later.`, {
    retryAfter: full ? 1 : waits.length === 0 ? 30 : Math.max(1, Math.ceil(Math.min(...waits) / 1000)),
    detail: full ? 'every deployment is at its limit' : waits.length === 0 ? 'no deployment' : 'every breaker is open',
  })
}
