import { MAX_GROUPS, type TrafficQuery, type TrafficReport } from '#lib/contracts/traffic'
import { COUNTS } from '../../domain/traffic.ts'
import type { Ctx } from '../ports.ts'
import { countsCalls, sparklineOf, trafficBars } from './traffic-bars.ts'
import { planOf, type TrafficPlan } from './traffic-plan.ts'
import { narrowSource, type Source, type Sums, type TrafficDeployment } from './traffic-ports.ts'
import { breakerOf, figuresOf } from './traffic-views.ts'

type Filter = Pick<TrafficQuery, 'model' | 'connection' | 'deployment'>
type TrafficCtx = Ctx<'traffic' | 'clock'>

const ZERO_SUMS = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Sums

/** Picks the rows of the totals: one row per time if such rows exist, else the rows of the selected deployments. */
function totalSourceOf({ model, connection, deployment }: Filter, matched: readonly TrafficDeployment[]): Source {
  const filterCount = [model, connection, deployment].filter((one) => one !== undefined).length
  const sourceOfOne = (grain: Source['grain'], id: string): Source => ({ grain, ids: [id], keys: new Map([[id, '']]) })
  if (filterCount === 0) return sourceOfOne('all', '')
  if (filterCount === 1 && model !== undefined) return sourceOfOne('model', model)
  if (filterCount === 1 && connection !== undefined) return sourceOfOne('connection', connection)
  const ids = matched.map(({ id }) => id)
  return { grain: 'deployment', ids, keys: new Map(ids.map((id) => [id, ''])) }
}

/** Picks the rows of the groups. Model rows know no connections, and connection rows no models: then deployment rows are used. */
function groupSourceOf({ by, model, connection, deployment }: TrafficQuery, matched: readonly TrafficDeployment[]): Source {
  if (by === 'model' && connection === undefined && deployment === undefined)
    return { grain: 'model', ids: model === undefined ? null : [model], keys: null }
  if (by === 'connection' && model === undefined && deployment === undefined)
    return { grain: 'connection', ids: connection === undefined ? null : [connection], keys: null }
  const filtered = model !== undefined || connection !== undefined || deployment !== undefined
  if (by === 'deployment') return { grain: 'deployment', ids: filtered ? matched.map(({ id }) => id) : null, keys: null }
  const key = by === 'model' ? 'modelId' : 'connectionId'
  return { grain: 'deployment', ids: matched.map(({ id }) => id), keys: new Map(matched.map((one) => [one.id, one[key]])) }
}

async function rowsOf(ctx: TrafficCtx, input: TrafficQuery, plan: TrafficPlan, source: Source, now: Date) {
  const found = await ctx.traffic.sums(plan.sums, source, input.sort, MAX_GROUPS + 1)
  const shown = found.slice(0, MAX_GROUPS)
  const ids = shown.map(({ id }) => id)
  const own = narrowSource(source, new Set(ids))
  const isDeployments = input.by === 'deployment'
  const [histograms, points, names, deployments, breakers, processes] = await Promise.all([
    ctx.traffic.histograms(plan.sums, own),
    ctx.traffic.timeSeries(plan.bars, own),
    ctx.traffic.names(input.by, ids),
    isDeployments ? ctx.traffic.deployments({ ids }) : [],
    isDeployments ? ctx.traffic.breakers(ids) : [],
    isDeployments ? ctx.traffic.processes() : 0,
  ])
  const deploymentById = new Map(deployments.map((one) => [one.id, one]))
  const records = new Map(breakers.map((one) => [one.deploymentId, one]))
  const pointsById = Map.groupBy(points, ({ id }) => id)
  const groups: TrafficReport['groups'] = shown.map(({ id, sums }) => ({
    ...figuresOf(sums, histograms.get(id)),
    id,
    name: names.get(id) ?? id,
    modelId: deploymentById.get(id)?.modelId ?? null,
    upstreamModel: deploymentById.get(id)?.upstreamModel ?? null,
    breaker: isDeployments ? breakerOf(records.get(id), processes) : null,
    spark: sparklineOf(plan, now, pointsById.get(id) ?? [], countsCalls(source)),
  }))
  return { groups, more: found.length > MAX_GROUPS, course: points, ids }
}

/** The deployments that the page is narrowed to. Reads none if it is not narrowed. */
async function findMatched(ctx: TrafficCtx, { model, connection, deployment }: Filter): Promise<TrafficDeployment[]> {
  if (model === undefined && connection === undefined && deployment === undefined) return []
  return ctx.traffic.deployments({
    ...(deployment === undefined ? {} : { ids: [deployment] }),
    ...(model === undefined ? {} : { model }),
    ...(connection === undefined ? {} : { connection }),
  })
}

/**
 * Reports the traffic of a time range: in total, over time, and by model, connection or deployment. Percentiles are within 10 %.
 * Money is exact in usage records; here it is what was counted. What was never used, or is not known, is empty.
 */
export async function getTraffic({ ctx, input }: { ctx: TrafficCtx; input: TrafficQuery }): Promise<TrafficReport> {
  const now = ctx.clock.now()
  const [notRolledUpFrom, matched] = await Promise.all([ctx.traffic.notRolledUpFrom(), findMatched(ctx, input)])
  const plan = planOf(input, now, notRolledUpFrom)
  const [total, source] = [totalSourceOf(input, matched), groupSourceOf(input, matched)]
  const [totals, histograms, rows] = await Promise.all([
    ctx.traffic.sums(plan.sums, total, 'volume', 1),
    ctx.traffic.histograms(plan.sums, total),
    rowsOf(ctx, input, plan, source, now),
  ])
  const bars = await trafficBars(ctx, input, plan, { total, groups: { source, ...rows }, now })
  const [place] = matched
  return {
    from: plan.from.toISOString(),
    to: now.toISOString(),
    seconds: Math.max(1, (now.getTime() - plan.from.getTime()) / 1000),
    barSeconds: plan.barMs / 1000,
    by: input.by,
    counts: countsCalls(source) ? 'calls' : 'requests',
    measure: input.measure,
    p: input.p,
    sort: input.sort,
    totals: figuresOf(totals[0]?.sums ?? ZERO_SUMS, histograms.get('')),
    narrowed: {
      model: input.model ?? null,
      connection: input.connection === undefined ? null : (place?.connectionName ?? input.connection),
      deployment:
        input.deployment === undefined ? null : place ? `${place.connectionName} ${place.upstreamModel}` : input.deployment,
    },
    groups: rows.groups,
    more: rows.more,
    bars,
  }
}
