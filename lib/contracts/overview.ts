import { z } from 'zod'
import { count, nano } from './common.ts'

/** GET /api/overview?days=30 (1, 7, 30 or 90): everything the overview page shows, in one answer. */
export const overview = z.object({
  balanceNano: nano,
  /** Held by requests that are under way in this process. */
  heldNano: nano,
  heldRequests: count,
  owedNano: nano,
  /** At the pace of the last seven days; null where nothing was spent. */
  daysLeft: z.number().nonnegative().nullable(),
  spentNano: nano,
  spentBeforeNano: nano,
  requests: count,
  errors: count,
  firstTokenMs: z.number().nullable(),
  ownMs: z.number().nullable(),
  /** Days (UTC, `YYYY-MM-DD`) of the period, oldest first, each with what every model used. */
  days: z.array(
    z.object({
      day: z.string(),
      models: z.array(z.object({ model: z.string(), nano, tokens: count, requests: count })),
      firstTokenMs: z.number().nullable(),
    }),
  ),
  models: z.array(z.object({ model: z.string(), requests: count, tokens: count, firstTokenMs: z.number().nullable(), nano })),
  modelsAvailable: count,
  steps: z.object({ credited: z.boolean(), key: z.boolean(), call: z.boolean(), limit: z.boolean() }),
})
export type Overview = z.infer<typeof overview>
