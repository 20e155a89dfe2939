/** Shapes of the history's filters, its chart, saved views and settings. */
import { z } from 'zod'
import { count, INVISIBLE_CHARACTERS, printable, time } from './common.ts'

// Keeps amounts within a bigint of nano-dollars.
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/

/** How many models one filter may name; the next constant is the maximum length of a name. */
export const MAX_MODELS = 20
const MAX_MODEL_LENGTH = 200

/**
 * The filters of a list of requests, in the same form in the address of the page and of the API. All are optional, and all
 * that are given must match.
 */
export const filterFields = {
  /** Model ids, separated by commas. */
  model: z
    .string()
    .min(1)
    .max(MAX_MODELS * (MAX_MODEL_LENGTH + 1)),
  key: z.string().min(1).max(64),
  status: z.enum(['ok', 'error']),
  /** The error's code. */
  code: z.string().min(1).max(64),
  /** The dotted name, such as `chat.completions`. */
  endpoint: z.string().min(1).max(64),
  stream: z.enum(['yes', 'no']),
  /** Ends now. `from` and `to` take precedence over it. */
  range: z.enum(['1h', '24h', '7d', '30d']),
  from: time,
  /** Before this time, which is excluded. */
  to: time,
  /** The minimum charge, in currency units. */
  cost: z.string().regex(DECIMAL, 'Enter an amount such as 0.05.'),
  /** The minimum duration, in milliseconds. */
  took: z.string().regex(/^\d{1,9}$/, 'Enter whole milliseconds.'),
  /** The beginning of a request's id, or a part of its model, key's name, error or finish reason, case-insensitive. */
  q: z.string().min(1).max(200),
  /** `messages` searches for `q` in the message contents instead. */
  in: z.enum(['messages']),
} as const
export type FilterName = keyof typeof filterFields

/** GET /api/requests/chart?<filters> */
export const requestFilters = z.strictObject(filterFields).partial()
export type RequestFilters = z.infer<typeof requestFilters>

/** The matching requests of one period. */
export const requestChart = z.object({
  from: time,
  to: time,
  bucketMs: count,
  /** Set if there were too many to look at all of them: requests before this time are not counted. */
  countedFrom: time.nullable(),
  /** Oldest first, without gaps. */
  buckets: z.array(z.object({ at: time, requests: count, errors: count })),
})
export type RequestChart = z.infer<typeof requestChart>

export const MAX_VIEWS = 50
const viewName = z
  .string()
  .trim()
  .min(1, 'Give the view a name.')
  .max(60, 'A name can have at most 60 characters.')
  .regex(printable, INVISIBLE_CHARACTERS)

/** POST /api/history/views: without an id it adds a view, with one it changes the name and query of that view. */
export const viewInput = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  name: viewName,
  /** The query of the page's address, filters only: `status=error&range=24h`. It may be as long as an address can be. */
  query: z.string().max(16_000),
})
export const savedView = z.object({ id: z.string(), name: z.string(), query: z.string() })
export type SavedView = z.infer<typeof savedView>

/** GET /api/history/views: the views of the person who asks, sorted by name. */
export const viewList = z.object({ rows: z.array(savedView) })

/** GET and POST /api/history/settings */
export const historySettings = z.strictObject({
  enabled: z.boolean(),
  days: z.number().int().min(1, 'Keep at least one day.').max(365, 'At most 365 days can be kept.'),
})
export type HistorySettings = z.infer<typeof historySettings>

/** POST /api/history/clear: the word guards against a call by mistake. */
export const clearInput = z.strictObject({ confirm: z.literal('delete', 'Type "delete" to confirm.') })
export const clearResult = z.object({ requests: count })
