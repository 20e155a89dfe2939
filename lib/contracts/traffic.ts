/** Shapes of the gateway's traffic, for operators. */
import { z } from 'zod'
import { count, nano, time } from './common.ts'
import { operatorId } from './operator.ts'

export const trafficRange = z.enum(['15m', '1h', '6h', '24h', '7d', '30d'])
export type TrafficRange = z.infer<typeof trafficRange>
export const trafficBy = z.enum(['model', 'connection', 'deployment'])
export type TrafficBy = z.infer<typeof trafficBy>
/**
 * What the chart shows. `errors` are requests that failed. `failures` are calls that failed, whether or not another one
 * answered in the end. `margin` is the revenue minus the vendor cost.
 */
export const trafficMeasure = z.enum(['requests', 'errors', 'failures', 'first', 'took', 'tokens', 'revenue', 'cost', 'margin'])
export type TrafficMeasure = z.infer<typeof trafficMeasure>
/** Largest first. Times are sorted by their mean. */
export const trafficSort = z.enum(['volume', 'failed', 'first', 'took', 'tokens', 'revenue', 'margin'])
export type TrafficSort = z.infer<typeof trafficSort>
export const trafficPercentile = z.enum(['50', '95', '99'])
export type TrafficPercentile = z.infer<typeof trafficPercentile>

/** GET /api/operator/traffic */
export const trafficQuery = z.strictObject({
  range: trafficRange.default('1h'),
  by: trafficBy.default('model'),
  measure: trafficMeasure.default('requests'),
  sort: trafficSort.default('volume'),
  /** Which percentile a chart of times shows. */
  p: trafficPercentile.default('95'),
  model: z.string().min(1).max(200).optional(),
  connection: operatorId.optional(),
  deployment: operatorId.optional(),
})
export type TrafficQuery = z.infer<typeof trafficQuery>

/** Milliseconds, within 10 %; null if nothing was measured. */
const times = z.object({ p50: z.number().nullable(), p95: z.number().nullable(), p99: z.number().nullable() })

const figures = z.object({
  requests: count,
  vendorErrors: count,
  clientErrors: count,
  houseErrors: count,
  /** Calls to deployments. More than requests if some were retried elsewhere. */
  attempts: count,
  attemptFailures: count,
  /** Calls that a vendor answered with 429. */
  attemptLimits: count,
  retries: count,
  inputTokens: count,
  outputTokens: count,
  chargedNano: nano,
  vendorCostNano: nano,
  shortfallNano: nano,
  first: times,
  took: times,
})
export type TrafficFigures = z.infer<typeof figures>

/** The state of a deployment's breakers, over all processes that serve the API. */
export const breakerView = z.object({
  /** `held`: an operator keeps it from being called. */
  mode: z.enum(['automatic', 'held']),
  heldBy: z.string().nullable(),
  heldAt: time.nullable(),
  open: count,
  halfOpen: count,
  processes: count,
  /** Since when at least one of them is not closed. */
  since: time.nullable(),
  /** What the last failed call failed with, in our own words, and the vendor's status if there was one. */
  failure: z.object({ result: z.string(), status: count.nullable() }).nullable(),
})
export type BreakerView = z.infer<typeof breakerView>

/** How many groups have their own series, and how many are listed. */
export const MAX_SERIES = 4
export const MAX_GROUPS = 50

export const trafficReport = z.object({
  from: time,
  to: time,
  /** The time from `from` until now. */
  seconds: z.number().positive(),
  /** What one bar covers, in seconds. */
  barSeconds: z.number().positive(),
  by: trafficBy,
  /** What the groups count: calls if the figures come from deployments, requests otherwise. */
  counts: z.enum(['requests', 'calls']),
  measure: trafficMeasure,
  p: trafficPercentile,
  sort: trafficSort,
  totals: figures,
  /** The names of what the page is narrowed to. */
  narrowed: z.object({ model: z.string().nullable(), connection: z.string().nullable(), deployment: z.string().nullable() }),
  groups: z.array(
    figures.extend({
      id: z.string(),
      name: z.string(),
      /** For a deployment: the model that it belongs to. */
      modelId: z.string().nullable(),
      /** For a deployment: what its vendor calls the model. */
      upstreamModel: z.string().nullable(),
      breaker: breakerView.nullable(),
      /** Requests or calls, bar by bar. */
      spark: z.array(count),
    }),
  ),
  /** Whether there are more groups than are listed. */
  more: z.boolean(),
  /**
   * Oldest first. For `errors` the values are the vendor's, ours and the client's. For times it is the percentile, in
   * microseconds. For the margin it is the total, below zero if vendors cost more. For everything else it is one value for
   * each of the first SERIES groups, then one for all others if there are any.
   */
  bars: z.array(z.object({ at: time, values: z.array(z.string()) })),
})
export type TrafficReport = z.infer<typeof trafficReport>

/** GET /api/operator/traffic/attention */
export const attention = z.object({
  processes: count,
  deployments: z.array(
    z.object({
      id: z.string(),
      modelId: z.string(),
      connectionName: z.string(),
      upstreamModel: z.string(),
      breaker: breakerView,
      /** In the last five minutes. */
      attempts: count,
      failures: count,
    }),
  ),
  /** Models of which more than one request in twenty failed in the last five minutes, other than by the client's fault. */
  models: z.array(z.object({ id: z.string(), requests: count, errors: count })),
})
export type Attention = z.infer<typeof attention>

/** POST /api/operator/deployments/{id}/breaker. `reset` closes the breakers of all processes, and ends a hold. */
export const setBreakerInput = z.strictObject({ id: operatorId, mode: z.enum(['automatic', 'held', 'reset']) })
export type SetBreakerInput = z.infer<typeof setBreakerInput>
export const setBreakerResult = z.object({ id: z.string(), held: z.boolean() })
export type SetBreakerResult = z.infer<typeof setBreakerResult>
