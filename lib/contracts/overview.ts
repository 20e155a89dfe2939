import { z } from 'zod'
import { count, nano } from './common.ts'

/** How many models are shown separately by day: as many as the chart has colors. */
export const NAMED_MODELS = 4

/** GET /api/overview?days=30 (1, 7, 30 or 90): everything that the overview page shows, in one answer. */
export const overview = z.object({
  balanceNano: nano,
  /** Held by requests in flight and by tasks, such as videos in progress. */
  heldNano: nano,
  /** Both together. */
  heldRequests: count,
  heldTasks: count,
  owedNano: nano,
  /** Whether this gateway accepts payments. */
  payable: z.boolean(),
  /** At the pace of the last seven days; null if nothing was spent. */
  daysLeft: z.number().nonnegative().nullable(),
  /** The average cost of a day in the last seven. */
  paceNano: nano,
  spentNano: nano,
  spentBeforeNano: nano,
  requests: count,
  errors: count,
  firstTokenMs: z.number().nullable(),
  ownMs: z.number().nullable(),
  /**
   * The days (UTC, `YYYY-MM-DD`) of the period, oldest first, each with the usage of the first models of the list below. The
   * usage of all others is added up under the name ''.
   */
  days: z.array(
    z.object({
      day: z.string(),
      models: z.array(z.object({ model: z.string(), nano, tokens: count, requests: count, errors: count })),
      firstTokenMs: z.number().nullable(),
    }),
  ),
  /** All models of the period, the highest cost first. */
  models: z.array(z.object({ model: z.string(), requests: count, tokens: count, firstTokenMs: z.number().nullable(), nano })),
  /** How many of the models that can be used now were used. */
  modelsUsed: count,
  modelsAvailable: count,
  steps: z.object({ credited: z.boolean(), key: z.boolean(), call: z.boolean(), limit: z.boolean() }),
})
export type Overview = z.infer<typeof overview>
