import { z } from 'zod'
import { count, nano, time } from './common.ts'

/** The longest period of choice, in days. */
export const MOST_DAYS = 366

const day = z.iso.date()

/**
 * Which usage is meant: of the last 24 hours or of so many UTC days, today included; or of the days `from` to `to`,
 * both included. Narrowed to a model, a key, a modality.
 */
const usageChoice = {
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
  ...usageChoice,
  by: usageBy.default('model'),
  measure: usageMeasure.default('money'),
})
export type UsageQuery = z.infer<typeof usageQuery>

/** GET /api/usage/export?rows=hours|requests&range=&from=&to=&model=&key=&modality= : CSV. */
export const usageExportQuery = z.strictObject({ ...usageChoice, rows: z.enum(['hours', 'requests']).default('hours') })
export type UsageExportQuery = z.infer<typeof usageExportQuery>

const amounts = { nano, tokens: count, requests: count, errors: count }

/** How many groups have a series of their own; what the others used is added up in one more. */
export const SERIES = 4

export const usageReport = z.object({
  /** The period, `from` to below `to`, and what a bar stands for: an hour, a day or a month of UTC. */
  from: time,
  to: time,
  unit: z.enum(['hour', 'day', 'month']),
  /** What was asked for. */
  by: usageBy,
  measure: usageMeasure,
  totals: z.object(amounts),
  /** The same of the period before, which is as long as what has passed of this one. */
  before: z.object(amounts),
  /** Everything that was used, most first by the measure. `name` is a key's name, else the id again. */
  groups: z.array(z.object({ id: z.string(), name: z.string(), ...amounts })),
  /** One for each unit of time, oldest first: what each of the first SERIES groups used, then all others if there are any. */
  buckets: z.array(z.object({ at: time, values: z.array(z.string()) })),
})
export type UsageReport = z.infer<typeof usageReport>
