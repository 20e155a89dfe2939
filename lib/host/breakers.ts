import type { Logger } from 'pino'
import type { Catalog } from '../domain/catalog.ts'
import { type BreakerSettings, type BreakerState, Breakers } from '../gateway/breaker.ts'
import type { LiveSettings } from '../services/settings-ports.ts'
import type { BreakerShown } from './metrics.ts'

const SAID: Record<BreakerState, string> = {
  open: 'a deployment failed too often: it is left out for a while',
  half_open: 'a deployment that was left out is tried again',
  closed: 'a deployment is well again',
}

/** The breakers of this process; the log says when one opens, tries and closes, and `tell` hears it. */
export function buildBreakers(
  live: LiveSettings['values'],
  log: Logger,
  tell: (deployment: string, state: BreakerState) => void = () => undefined,
): Breakers {
  const settings: BreakerSettings = {
    get failures() {
      return live.breakerFailures
    },
    get coolMs() {
      return live.breakerCoolMs
    },
    get coolMostMs() {
      return Math.max(live.breakerCoolMs, live.breakerCoolMostMs)
    },
  }
  return new Breakers(
    settings,
    () => performance.now(),
    ({ deployment, state, waitMs }) => {
      log[state === 'open' ? 'warn' : 'info']({ deployment, breaker: state, waitMs }, SAID[state])
      tell(deployment, state)
    },
  )
}

/** The ids of all deployments of a catalog. */
export const deploymentsOf = (catalog: Catalog): Set<string> =>
  new Set([...catalog.models.values()].flatMap((model) => model.deployments.map(({ id }) => id)))

/** How the breaker of each deployment stands, as metrics show it. */
export const breakerStates = (catalog: Catalog, breakers: Breakers): BreakerShown[] =>
  [...catalog.models.values()].flatMap((model) =>
    model.deployments.map(({ id, connection }) => ({
      deployment: id,
      model: model.id,
      connection: connection.name,
      state: breakers.state(id),
    })),
  )
