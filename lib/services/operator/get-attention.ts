import type { Attention } from '#lib/contracts/traffic'
import type { Ctx } from '../ports.ts'
import { breakerOf } from './traffic-views.ts'

const WINDOW_MS = 5 * 60_000
const MIN_FAILURE_SHARE = 0.05
const MAX_ITEMS = 50

/**
 * What an operator should look at first: breakers that are not closed, held deployments, and what has failed too often recently.
 */
export async function getAttention({ ctx }: { ctx: Ctx<'traffic' | 'clock'> }): Promise<Attention> {
  const since = new Date(ctx.clock.now().getTime() - WINDOW_MS)
  const [processes, breakers, failing, models] = await Promise.all([
    ctx.traffic.processes(),
    ctx.traffic.breakers(null),
    ctx.traffic.failing('deployment', since, MIN_FAILURE_SHARE, MAX_ITEMS),
    ctx.traffic.failing('model', since, MIN_FAILURE_SHARE, MAX_ITEMS),
  ])
  const ids = [...new Set([...breakers.map(({ deploymentId }) => deploymentId), ...failing.map(({ id }) => id)])]
  const deployments = await ctx.traffic.deployments({ ids })
  const records = new Map(breakers.map((record) => [record.deploymentId, record]))
  const rates = new Map(failing.map(({ id, sums }) => [id, sums]))
  const shown = deployments.map(({ id, modelId, connectionName, upstreamModel }) => ({
    ...{ id, modelId, connectionName, upstreamModel },
    breaker: breakerOf(records.get(id), processes),
    attempts: rates.get(id)?.attempts ?? 0,
    failures: rates.get(id)?.attempt_failures ?? 0,
  }))
  shown.sort((a, b) => b.breaker.open - a.breaker.open || b.failures - a.failures || (a.id < b.id ? -1 : 1))
  return {
    processes,
    deployments: shown.slice(0, MAX_ITEMS),
    models: models.map(({ id, sums }) => ({ id, requests: sums.requests, errors: sums.vendor_errors + sums.house_errors })),
  }
}
