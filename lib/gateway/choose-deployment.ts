import type { CatalogModel, Deployment } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { Pass } from './breaker.ts'
import { isLimited } from './deployment-rates.ts'
import type { CountedCall, CountResult, SizeOf } from './limits/ports.ts'
import type { GatewayPorts } from './ports.ts'

/** Where a request goes: a deployment, and the vendor that runs it. */
export interface Route {
  /** The model that the deployment belongs to. */
  modelId: string
  deployment: Deployment
  vendor: Vendor
  /**
   * Tells the deployment's breaker how the call ended; null if it must not count, as with a simulated vendor, whose failures
   * are intended.
   */
  pass: Pass | null
  /** What the call took from the deployment's minute; null if that has no limits. */
  countedCall: CountedCall | null
  /** Gives back the call's place among those in flight, if it has one already. */
  releaseSlot?: () => void
}

/** Added to the priority of resting deployments, so that they come after every priority that the catalog can hold. */
const RESTING_PENALTY = 2 ** 40

/**
 * Picks a deployment that was not tried yet: the lowest priority number first, by weight among equals. Deployments that an
 * operator holds are left out. So are those whose breaker is open, except for one probe when its time has come. Resting ones
 * come last. Those that have reached their limit of calls in flight, or have no room in this minute for a call of this size,
 * are passed over. Null if none is left. The deployment that is picked counts as called: its pass must be told a result.
 * Returns no promise if nobody else has to be asked whether there is room.
 */
export function chooseDeployment(
  model: CatalogModel,
  tried: readonly string[],
  sizeOf: SizeOf,
  ports: GatewayPorts,
): MaybePromise<Route | null> {
  let excluded = tried
  for (;;) {
    const deployment = pick(model.deployments, excluded, sizeOf, ports)
    if (deployment === null) return null
    const vendor = ports.vendor(deployment.connection)
    if (vendor) {
      const countResult = (isLimited(deployment) && ports.rates?.take(deployment, sizeOf)) || null
      const target = { modelId: model.id, deployment, vendor }
      if (countResult instanceof Promise) {
        const next = [...excluded, deployment.id]
        return chooseAfterCount(countResult, target, ports, () => chooseDeployment(model, next, sizeOf, ports))
      }
      if (countResult !== 'full') return { ...target, pass: passOf(target, ports), countedCall: countResult }
    }
    excluded = [...excluded, deployment.id]
  }
}

/** What a route leads to. */
type Target = Pick<Route, 'modelId' | 'deployment' | 'vendor'>

const passOf = ({ deployment, vendor }: Target, { breakers }: GatewayPorts): Pass | null =>
  vendor.simulated ? null : breakers.take(deployment.id)

/**
 * Waits for the count that all processes share. Meanwhile the call keeps its place among those in flight, and its probe. If there is
 * no room, returns what `chooseNext` does.
 */
async function chooseAfterCount(
  counting: Promise<CountResult>,
  target: Target,
  ports: GatewayPorts,
  chooseNext: () => MaybePromise<Route | null>,
): Promise<Route | null> {
  const pass = passOf(target, ports)
  const releaseSlot = ports.callSlots?.enter(target.deployment) ?? (() => undefined)
  const release = () => {
    releaseSlot()
    pass?.release()
  }
  const countResult = await counting.catch((error: unknown) => {
    release()
    throw error
  })
  if (countResult !== 'full') return { ...target, pass, releaseSlot, countedCall: countResult }
  release()
  return await chooseNext()
}

function pick(
  deployments: readonly Deployment[],
  tried: readonly string[],
  sizeOf: SizeOf,
  ports: GatewayPorts,
): Deployment | null {
  const nowMs = ports.ticks()
  let best = Number.POSITIVE_INFINITY
  let total = 0
  for (const deployment of deployments) {
    const rank = rankOf(deployment, tried, sizeOf, nowMs, ports)
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
    if (rankOf(deployment, tried, sizeOf, nowMs, ports) !== best) continue
    first ??= deployment
    at -= Math.max(0, deployment.weight)
    if (at < 0) return deployment
  }
  return first
}

/** The rank of a deployment: lower goes first, infinity is left out. */
function rankOf(
  deployment: Deployment,
  tried: readonly string[],
  sizeOf: SizeOf,
  nowMs: number,
  { breakers, callSlots, rates }: GatewayPorts,
): number {
  const { id, priority } = deployment
  if (deployment.held || tried.includes(id) || callSlots?.isFull(deployment)) return Number.POSITIVE_INFINITY
  if (isLimited(deployment) && rates?.isFull(deployment, sizeOf, nowMs)) return Number.POSITIVE_INFINITY
  const availability = breakers.availabilityOf(id, nowMs)
  if (availability === 'shut') return Number.POSITIVE_INFINITY
  return availability === 'resting' ? priority + RESTING_PENALTY : priority
}

/** The 503 when nothing can be called, with the time until the first deployment may be tried again. */
export function refuseNoDeployment(model: CatalogModel, sizeOf: SizeOf, ports: GatewayPorts): Refusal {
  const obstacles = model.deployments.flatMap((deployment) => obstacleOf(deployment, sizeOf, ports) ?? [])
  const [first] = obstacles.sort((a, b) => a.waitMs - b.waitMs)
  return new Refusal('unavailable', `The model "${model.id}" has no deployment that can answer now. Try again later.`, {
    retryAfter: first ? Math.max(1, Math.ceil(first.waitMs / 1000)) : 30,
    detail: obstacles.some(({ limit }) => limit)
      ? 'every deployment is at its limit'
      : first
        ? 'every breaker is open'
        : 'no deployment',
  })
}

/** Calls can end at any time, so the wait for a place is taken as this long. */
const SLOT_WAIT_MS = 1000

/**
 * What keeps a deployment from being called, a limit or its breaker, and for how long; null if nothing does that passes by
 * itself.
 */
function obstacleOf(
  deployment: Deployment,
  sizeOf: SizeOf,
  { ticks, breakers, callSlots, rates }: GatewayPorts,
): { waitMs: number; limit: boolean } | null {
  if (deployment.held) return null
  const nowMs = ticks()
  const shut = breakers.availabilityOf(deployment.id, nowMs) === 'shut'
  const minuteMs = (isLimited(deployment) && rates?.waitMs(deployment, sizeOf, nowMs)) || 0
  const limitMs = Math.max(minuteMs, callSlots?.isFull(deployment) ? SLOT_WAIT_MS : 0)
  if (!shut && limitMs === 0) return null
  return { waitMs: Math.max(limitMs, shut ? breakers.waitMs(deployment.id, nowMs) : 0), limit: limitMs > 0 }
}
