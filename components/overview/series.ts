import type { Overview } from '#lib/contracts/overview'

export type Metric = 'money' | 'tokens' | 'requests'

/** The colours of the series, dearest model first; everything beyond the fourth is the rest. */
export const COLORS = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-rest)'] as const

const NAMED = 4

/** The models that have a colour of their own: the dearest of the period. */
export function namedModels(overview: Overview): string[] {
  const dearest = [...overview.models].sort((a, b) => {
    const difference = BigInt(b.nano) - BigInt(a.nano)
    return difference === 0n ? b.requests - a.requests : difference > 0n ? 1 : -1
  })
  return dearest.slice(0, NAMED).map((row) => row.model)
}

/** The colour of a model among those named. */
export function colorOf(model: string, named: readonly string[]): string {
  const index = named.indexOf(model)
  return COLORS[index === -1 ? NAMED : index] ?? COLORS[NAMED]
}

/** What a day used of each series, exactly: named models in their order, then the rest if there is any. */
export interface Bar {
  day: string
  values: bigint[]
  total: bigint
}

type Used = Overview['days'][number]['models'][number]

const measure = (used: Used, metric: Metric): bigint =>
  metric === 'money' ? BigInt(used.nano) : BigInt(metric === 'tokens' ? used.tokens : used.requests)

const add = (values: bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)

/** The bars of the chart, one per day; each has as many values as there are names, and one for the rest. */
export function toBars(days: Overview['days'], named: readonly string[], metric: Metric): Bar[] {
  return days.map(({ day, models }) => {
    const own = named.map((name) => add(models.filter((used) => used.model === name).map((used) => measure(used, metric))))
    const rest = add(models.filter((used) => !named.includes(used.model)).map((used) => measure(used, metric)))
    const values = [...own, rest]
    return { day, values, total: add(values) }
  })
}

/** Marks of an axis from nothing to just above the largest value: three to five steps of 1, 2 or 5. */
export function ticks(largest: number): number[] {
  if (!(largest > 0)) return [0, 1]
  const raw = largest / 4
  const magnitude = 10 ** Math.floor(Math.log10(raw))
  const step = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= raw) ?? 10)
  const steps = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}

/** The days whose name is written under the axis: at most six, evenly spread, from the first on. */
export function labelledDays(count: number, most = 6): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/** By which share an amount changed; null where there was nothing before. */
export function change(now: bigint, before: bigint): number | null {
  return before === 0n ? null : Number(((now - before) * 10_000n) / before) / 10_000
}

/** The share of failed among all. */
export const failedShare = (errors: number, requests: number): number => (requests === 0 ? 0 : errors / requests)
