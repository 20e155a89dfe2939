import type { Logger } from 'pino'
import type { Catalog } from '../domain/catalog.ts'
import { type BreakerChange, type BreakerSettings, type BreakerState, Breakers } from '../gateway/breaker.ts'
import type { LiveSettings } from '../services/settings-ports.ts'
import type { BreakerStatus } from './metrics.ts'

const STATE_MESSAGES: Record<BreakerState, string> = {
  open: 'a deployment failed too often and is skipped for a while',
  half_open: 'a skipped deployment is tried again',
  closed: 'a deployment has recovered',
}

/**
 * Builds the breakers of this process. The log records when one opens, tries and closes, and `notify` is called with each change.
 */
export function buildBreakers(live: LiveSettings['values'], log: Logger, notify: (change: BreakerChange) => void): Breakers {
  const settings: BreakerSettings = {
    get failures() {
      return live.breakerFailures
    },
    get cooldownMs() {
      return live.breakerCoolMs
    },
    get maxCooldownMs() {
      return Math.max(live.breakerCoolMs, live.breakerCoolMostMs)
    },
  }
  return new Breakers(
    settings,
    () => performance.now(),
    (change) => {
      const { deployment, state, waitMs } = change
      log[state === 'open' ? 'warn' : 'info']({ deployment, breaker: state, waitMs }, STATE_MESSAGES[state])
      notify(change)
    },
  )
}

const RETRY_MS = 1000

/**
 * Reports changes one at a time, for each deployment only the latest, and retries until each is reported. This way the last
 * report on a breaker that changes quickly is its actual state. Callers do not wait.
 */
export function notifyInOrder(
  notify: (change: BreakerChange) => Promise<void>,
  onFailure: (change: BreakerChange, error: unknown) => void,
): (change: BreakerChange) => void {
  const waiting = new Map<string, BreakerChange>()
  let running = false
  const run = async () => {
    for (const [deployment, change] of waiting) {
      waiting.delete(deployment)
      try {
        await notify(change)
      } catch (error) {
        onFailure(change, error)
        if (!waiting.has(deployment)) waiting.set(deployment, change)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
    running = false
  }
  return (change) => {
    waiting.set(change.deployment, change)
    if (running) return
    running = true
    void run()
  }
}

/** The ids of all deployments of a catalog. */
export const deploymentsOf = (catalog: Catalog): Set<string> =>
  new Set([...catalog.models.values()].flatMap((model) => model.deployments.map(({ id }) => id)))

/** The state of each deployment's breaker, for metrics. */
export const breakerStates = (catalog: Catalog, breakers: Breakers): BreakerStatus[] =>
  [...catalog.models.values()].flatMap((model) =>
    model.deployments.map(({ id, connection }) => ({
      deployment: id,
      model: model.id,
      connection: connection.name,
      state: breakers.state(id),
    })),
  )
