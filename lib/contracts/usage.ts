import { z } from 'zod'
import { count, nano, time } from './common.ts'

/** The longest custom period, in days. */
export const MAX_DAYS = 366

const day = z.iso.date()

/**
 * Which usage is meant: of the last 24 hours, of a number of UTC days including today, or of the days `from` to `to`, both
 * included. Can be narrowed to a model, a key or a modality.
 */
const usageFilterFields = {
  range: z.enum(['24h', '7d', '30d', '90d']).optional(),
  from: day.optional(),
  to: day.optional(),
  model: z.string().min(1).max(200).optional(),
  key: z.string().min(1).max(64).optional(),
  modality: z.string().min(1).max(40).optional(),
}

export const usageBy = z.enum(['model', 'key', 'modality'])
export type UsageBy = z.infer<typeof usageBy>
export const usageMeasure = z.enum(['money', 'tokens', 'requests', 'errors'])
export type UsageMeasure = z.infer<typeof usageMeasure>

/** GET /api/usage?range=&from=&to=&by=&measure=&model=&key=&modality= */
export const usageQuery = z.strictObject({
  ...usageFilterFields,
  by: usageBy.default('model'),
  measure: usageMeasure.default('money'),
})
export type UsageQuery = z.infer<typeof usageQuery>

/** GET /api/usage/export?rows=hours|requests&range=&from=&to=&model=&key=&modality= : CSV. */
export const usageExportQuery = z.strictObject({ ...usageFilterFields, rows: z.enum(['hours', 'requests']).default('hours') })
export type UsageExportQuery = z.infer<typeof usageExportQuery>

const amounts = { nano, tokens: count, requests: count, errors: count }

/** How many groups have their own series. The usage of all others is added up in one more. */
export const MAX_SERIES = 4

export const usageReport = z.object({
  /** The period, from `from` to before `to`, and what a bar covers: an hour, a day or a month in UTC. */
  from: time,
  to: time,
  unit: z.enum(['hour', 'day', 'month']),
  /** The choices of the query. */
  by: usageBy,
  measure: usageMeasure,
  totals: z.object(amounts),
  /** The totals of the preceding period, which is as long as the part of this one that has passed. */
  before: z.object(amounts),
  /** Everything that was used, the most by the measure first. `name` is a key's name, or else the id again. */
  groups: z.array(z.object({ id: z.string(), name: z.string(), ...amounts })),
  /**
   * One for each unit of time, oldest first: the usage of each of the first SERIES groups, then of all others if there are
   * any.
   */
  buckets: z.array(z.object({ at: time, values: z.array(z.string()) })),
})
export type UsageReport = z.infer<typeof usageReport>
