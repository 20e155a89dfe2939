import {
  type TrafficBy,
  type TrafficMeasure,
  type TrafficPercentile,
  type TrafficRange,
  type TrafficSort,
  trafficBy,
  trafficMeasure,
  trafficPercentile,
  trafficRange,
  trafficSort,
} from '#lib/contracts/traffic'

/** The choices in the page's address. */
export interface TrafficChoice {
  range: TrafficRange
  by: TrafficBy
  measure: TrafficMeasure
  sort: TrafficSort
  p: TrafficPercentile
  live: boolean
  model: string | null
  connection: string | null
  deployment: string | null
}

export const NARROW_FILTERS = ['model', 'connection', 'deployment'] as const

/** Reads an address. Invalid values are ignored. */
export const readTrafficParams = (params: URLSearchParams): TrafficChoice => ({
  range: trafficRange.safeParse(params.get('range')).data ?? '1h',
  by: trafficBy.safeParse(params.get('by')).data ?? 'model',
  measure: trafficMeasure.safeParse(params.get('measure')).data ?? 'requests',
  sort: trafficSort.safeParse(params.get('sort')).data ?? 'volume',
  p: trafficPercentile.safeParse(params.get('p')).data ?? '95',
  live: params.get('live') === '1',
  model: params.get('model') || null,
  connection: params.get('connection') || null,
  deployment: params.get('deployment') || null,
})

/** The API path of the report for a choice. */
export function trafficPath(choice: TrafficChoice): string {
  const { range, by, measure, sort, p } = choice
  const query = new URLSearchParams({ range, by, measure, sort, p })
  for (const name of NARROW_FILTERS) if (choice[name] !== null) query.set(name, choice[name] ?? '')
  return `/api/operator/traffic?${query}`
}

/**
 * The address changes that narrow the page to one of its groups. The next grouping is one that the page has not been narrowed
 * by yet.
 */
export function narrowParamChanges(choice: TrafficChoice, by: TrafficBy, id: string): Record<string, string | null> {
  const next: TrafficBy =
    by === 'deployment' ? 'deployment' : choice.connection !== null || by === 'model' ? 'deployment' : 'model'
  return { [by]: id, by: next === 'model' ? null : next }
}
