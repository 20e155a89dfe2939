import { z } from 'zod'
import { count, nano } from './common.ts'

/** How many models are told apart by the day: as many as the chart has colours for. */
export const NAMED_MODELS = 4

/** GET /api/overview?days=30 (1, 7, 30 or 90): everything the overview page shows, in one answer. */
export const overview = z.object({
  balanceNano: nano,
  /** Held by requests that are under way in this process. */
  heldNano: nano,
  heldRequests: count,
  owedNano: nano,
  /** At the pace of the last seven days; null where nothing was spent. */
  daysLeft: z.number().nonnegative().nullable(),
  /** What a day of the last seven cost, on the mean. */
  paceNano: nano,
  spentNano: nano,
  spentBeforeNano: nano,
  requests: count,
  errors: count,
  firstTokenMs: z.number().nullable(),
  ownMs: z.number().nullable(),
  /**
   * Days (UTC, `YYYY-MM-DD`) of the period, oldest first, each with what the first models of the list below used; what all
   * others used is added up under the name ''.
   */
  days: z.array(
    z.object({
      day: z.string(),
      models: z.array(z.object({ model: z.string(), nano, tokens: count, requests: count, errors: count })),
      firstTokenMs: z.number().nullable(),
    }),
  ),
  /** All models of the period, dearest first. */
  models: z.array(z.object({ model: z.string(), requests: count, tokens: count, firstTokenMs: z.number().nullable(), nano })),
  /** Of those that can be used now. */
  modelsUsed: count,
  modelsAvailable: count,
  steps: z.object({ credited: z.boolean(), key: z.boolean(), call: z.boolean(), limit: z.boolean() }),
})
export type Overview = z.infer<typeof overview>
