import { NAMED_MODELS, type Overview } from '#lib/contracts/overview'
import { type Bar, COLORS } from '../chart/axis.ts'

export type Metric = 'money' | 'tokens' | 'requests' | 'errors' | 'latency'

/** The models with a color of their own: the most expensive ones of the period. */
export const namedModels = (overview: Pick<Overview, 'models'>): string[] =>
  overview.models.slice(0, NAMED_MODELS).map((row) => row.model)

/** The color of a model among the named ones. */
export function colorOf(model: string, named: readonly string[]): string {
  const index = named.indexOf(model)
  return COLORS[index === -1 ? NAMED_MODELS : index] ?? COLORS[NAMED_MODELS]
}

type Day = Overview['days'][number]
type Used = Day['models'][number]

const valueReaders: Record<Exclude<Metric, 'latency'>, (used: Used) => bigint> = {
  money: (used) => BigInt(used.nano),
  tokens: (used) => BigInt(used.tokens),
  requests: (used) => BigInt(used.requests),
  errors: (used) => BigInt(used.errors),
}

const add = (values: bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)

/**
 * The values of a day's bar: one for each named model, then the rest. For latency there is only one, in microseconds: the mean
 * time to the first token, or 0 if no answer began.
 */
export function valuesOf(day: Day, named: readonly string[], metric: Metric): bigint[] {
  if (metric === 'latency') return [BigInt(Math.round((day.firstTokenMs ?? 0) * 1000))]
  const size = valueReaders[metric]
  const own = named.map((name) => add(day.models.filter((used) => used.model === name).map(size)))
  return [...own, add(day.models.filter((used) => !named.includes(used.model)).map(size))]
}

/** The days as bars. `formatDay` formats a day's name. */
export const toBars = (days: Day[], named: readonly string[], metric: Metric, formatDay: (day: string) => string): Bar[] =>
  days.map((day) => ({ key: day.day, label: formatDay(day.day), name: formatDay(day.day), values: valuesOf(day, named, metric) }))

/** The relative change of an amount. Null if it was zero before. */
export function relativeChange(current: bigint, previous: bigint): number | null {
  return previous === 0n ? null : Number(((current - previous) * 10_000n) / previous) / 10_000
}

/** The share of failed requests. */
export const failedShare = (errors: number, requests: number): number => (requests === 0 ? 0 : errors / requests)
