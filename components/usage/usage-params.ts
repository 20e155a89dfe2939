import { type UsageBy, type UsageMeasure, usageBy, usageMeasure } from '#lib/contracts/usage'

export const RANGES = ['24h', '7d', '30d', '90d'] as const
export type Range = (typeof RANGES)[number] | 'custom'

/** The choices in the page's address. */
export interface UsageChoice {
  range: Range
  /** The days of a custom period, `YYYY-MM-DD`. */
  from: string
  to: string
  by: UsageBy
  measure: UsageMeasure
  model: string | null
  key: string | null
  modality: string | null
}

const DAYS: Record<(typeof RANGES)[number], number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 }
const DAY_MS = 86_400_000

/** The first and the last day (UTC) that a choice shows, `YYYY-MM-DD`, to begin a custom period with. */
export function daysOf(
  { range, from, to }: Pick<UsageChoice, 'range' | 'from' | 'to'>,
  nowMs: number,
): { from: string; to: string } {
  if (range === 'custom') return { from, to }
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  return { from: dayOf(nowMs - (DAYS[range] - 1) * DAY_MS), to: dayOf(nowMs) }
}

/** Whether the usage is filtered. */
export const isFiltered = ({ model, key, modality }: UsageChoice): boolean => model !== null || key !== null || modality !== null

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/

/** Reads an address. Invalid values are ignored. */
export function readUsageParams(params: URLSearchParams): UsageChoice {
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
  const range = RANGES.find((known) => known === params.get('range')) ?? '30d'
  return {
    range: DAY_PATTERN.test(from) && DAY_PATTERN.test(to) ? 'custom' : range,
    from,
    to,
    by: usageBy.safeParse(params.get('by')).data ?? 'model',
    measure: usageMeasure.safeParse(params.get('measure')).data ?? 'money',
    model: params.get('model'),
    key: params.get('key'),
    modality: params.get('modality'),
  }
}

function periodQuery(choice: UsageChoice): URLSearchParams {
  const query = new URLSearchParams()
  if (choice.range === 'custom') {
    query.set('from', choice.from)
    query.set('to', choice.to)
  } else query.set('range', choice.range)
  for (const name of ['model', 'key', 'modality'] as const) {
    const value = choice[name]
    if (value !== null && value !== '') query.set(name, value)
  }
  return query
}

/** The API path of the report for a choice. */
export function reportPath(choice: UsageChoice): string {
  const query = periodQuery(choice)
  query.set('by', choice.by)
  query.set('measure', choice.measure)
  return `/api/usage?${query}`
}

/** The API path of the same usage as CSV. */
export function exportPath(choice: UsageChoice, rows: 'hours' | 'requests'): string {
  const query = periodQuery(choice)
  query.set('rows', rows)
  return `/api/usage/export?${query}`
}
