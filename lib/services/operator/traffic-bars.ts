import { MAX_SERIES, type TrafficMeasure, type TrafficQuery, type TrafficReport } from '#lib/contracts/traffic'
import { percentile } from '../../domain/histogram.ts'
import type { Ctx } from '../ports.ts'
import type { TrafficPlan } from './traffic-plan.ts'
import type { Source, Sums } from './traffic-ports.ts'

/** The sums of one source within one bar or less. */
export interface SeriesPoint {
  at: Date
  id: string
  sums: Sums
}

/** The groups below the chart, in their order, and their sums over time. */
export interface ChartGroups {
  source: Source
  ids: readonly string[]
  course: readonly SeriesPoint[]
}

/** The values of each bar by its number, series by series. */
type Bars = Map<number, string[]>

/** Whether the rows of a source count calls of vendors. The others count requests. */
export const countsCalls = ({ grain }: Source): boolean => grain === 'connection' || grain === 'deployment'

type Latency = 'first' | 'took'
type GroupMeasure = Exclude<TrafficMeasure, 'errors' | 'margin' | Latency>

const MEASURED: Record<GroupMeasure, (sums: Sums, byCalls: boolean) => number> = {
  requests: (sums, isCalled) => (isCalled ? sums.attempts : sums.requests),
  failures: (sums) => sums.attempt_failures,
  tokens: (sums) => sums.input_tokens + sums.output_tokens,
  revenue: (sums) => sums.charged_nano,
  cost: (sums) => sums.vendor_cost_nano,
}

const isLatency = (measure: TrafficMeasure): measure is Latency => measure === 'first' || measure === 'took'

const seriesOf = (measure: TrafficMeasure, groups: number): number => {
  if (measure === 'errors') return 3
  return isLatency(measure) || measure === 'margin' ? 1 : Math.min(groups, MAX_SERIES) + 1
}

const MICROS_PER_MS = 1000

const barIn = (plan: TrafficPlan, at: number): number => Math.floor((at - plan.from.getTime()) / plan.barMs)

/** One percentile of each bar. */
function percentilesOf(plan: TrafficPlan, series: Iterable<[number, Iterable<[number, number]>]>, share: number): Bars {
  const merged = new Map<number, Map<number, number>>()
  for (const [at, counts] of series) {
    const bar = merged.get(barIn(plan, at)) ?? new Map<number, number>()
    for (const [bucket, n] of counts) bar.set(bucket, (bar.get(bucket) ?? 0) + n)
    merged.set(barIn(plan, at), bar)
  }
  const bars: Bars = new Map()
  for (const [bar, counts] of merged) {
    const ms = percentile(new Map([...counts].sort(([a], [b]) => a - b)), share)
    bars.set(bar, [String(Math.round((ms ?? 0) * MICROS_PER_MS))])
  }
  return bars
}

/** What a point of time adds to the series of its bar. */
type Share = readonly [at: Date, series: number, value: number]

function sharesOf(
  measure: Exclude<TrafficMeasure, Latency>,
  points: readonly SeriesPoint[],
  { source, ids, course }: ChartGroups,
): Share[] {
  if (measure === 'errors')
    return points.flatMap(({ at, sums }) =>
      [sums.vendor_errors, sums.house_errors, sums.client_errors].map((value, index): Share => [at, index, value]),
    )
  if (measure === 'margin') return points.map(({ at, sums }) => [at, 0, sums.charged_nano - sums.vendor_cost_nano])
  const named = ids.slice(0, MAX_SERIES)
  const sizeOf = (sums: Sums): number => MEASURED[measure](sums, countsCalls(source))
  // The rest is the total minus the listed groups, so it includes groups that are not listed.
  const rest = named.length
  return [
    ...points.map(({ at, sums }): Share => [at, rest, sizeOf(sums)]),
    ...course.flatMap(({ at, id, sums }): Share[] => {
      const index = named.indexOf(id)
      if (index === -1) return []
      return [
        [at, index, sizeOf(sums)],
        [at, rest, -sizeOf(sums)],
      ]
    }),
  ]
}

function sumsOf(plan: TrafficPlan, shares: readonly Share[], min: number): Bars {
  const sums = new Map<number, number[]>()
  for (const [at, index, value] of shares) {
    const bar = barIn(plan, at.getTime())
    const values = sums.get(bar) ?? []
    values[index] = (values[index] ?? 0) + value
    sums.set(bar, values)
  }
  const textOf = (value = 0): string => String(Math.max(min, Math.round(value)))
  return new Map([...sums].map(([bar, values]) => [bar, Array.from(values, textOf)]))
}

/** The bars of the chart, from the beginning of the plan until now; those without traffic are zero. */
export async function trafficBars(
  ctx: Ctx<'traffic'>,
  { measure, p }: Pick<TrafficQuery, 'measure' | 'p'>,
  plan: TrafficPlan,
  { total, groups, now }: { total: Source; groups: ChartGroups; now: Date },
): Promise<TrafficReport['bars']> {
  const values = isLatency(measure)
    ? percentilesOf(plan, await ctx.traffic.histogramSeries(plan.bars, total, measure), Number(p) / 100)
    : sumsOf(
        plan,
        sharesOf(measure, await ctx.traffic.timeSeries(plan.bars, total), groups),
        // Counts are never negative, but the computed rest may be. Only a margin may be negative.
        measure === 'margin' ? Number.NEGATIVE_INFINITY : 0,
      )
  const series = seriesOf(measure, groups.ids.length)
  const count = barIn(plan, now.getTime()) + 1
  return Array.from({ length: count }, (_, index) => ({
    at: new Date(plan.from.getTime() + index * plan.barMs).toISOString(),
    values: Array.from({ length: series }, (_unused, one) => values.get(index)?.[one] ?? '0'),
  }))
}

/** How many requests, or calls, a group had in each bar. */
export function sparklineOf(plan: TrafficPlan, now: Date, points: readonly SeriesPoint[], isCalled: boolean): number[] {
  const sparkline = Array.from({ length: barIn(plan, now.getTime()) + 1 }, () => 0)
  for (const { at, sums } of points) {
    const index = barIn(plan, at.getTime())
    sparkline[index] = (sparkline[index] ?? 0) + MEASURED.requests(sums, isCalled)
  }
  return sparkline
}
