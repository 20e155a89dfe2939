/** Shapes of the history's filters, its chart, saved views and settings. */
import { z } from 'zod'
import { count, printable, time, UNSEEN } from './common.ts'

// So that it fits a bigint of nano-dollars.
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/

/** So many models one filter may name, and so long is the name of one at most. */
export const MOST_MODELS = 20
const MODEL_LENGTH = 200

/**
 * What a list of requests is narrowed to, as it stands in the address of the page and of the API alike. Everything is
 * optional; what is given holds together.
 */
export const filterFields = {
  /** Ids of models, with commas between them. */
  model: z
    .string()
    .min(1)
    .max(MOST_MODELS * (MODEL_LENGTH + 1)),
  key: z.string().min(1).max(64),
  status: z.enum(['ok', 'error']),
  /** The error's code. */
  code: z.string().min(1).max(64),
  /** The dotted name, such as `chat.completions`. */
  endpoint: z.string().min(1).max(64),
  stream: z.enum(['yes', 'no']),
  /** Up to now. It gives way to `from` and `to`. */
  range: z.enum(['1h', '24h', '7d', '30d']),
  from: time,
  /** Below this time. */
  to: time,
  /** Charged at least, in units of the currency. */
  cost: z.string().regex(DECIMAL, 'Enter an amount such as 0.05.'),
  /** Took at least so many milliseconds. */
  took: z.string().regex(/^\d{1,9}$/, 'Enter whole milliseconds.'),
  /** The beginning of a request's id, or a part of its model, key's name, error or finish reason, in any case. */
  q: z.string().min(1).max(200),
  /** `messages` looks for `q` in what was said instead. */
  in: z.enum(['messages']),
} as const
export type FilterName = keyof typeof filterFields

/** GET /api/requests/chart?<filters> */
export const requestFilters = z.strictObject(filterFields).partial()
export type RequestFilters = z.infer<typeof requestFilters>

/** The requests of one stretch of time that fit. */
export const requestChart = z.object({
  from: time,
  to: time,
  bucketMs: count,
  /** Where there were too many to look at all of them: those before this time are not counted. */
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
  .regex(printable, UNSEEN)

/** POST /api/history/views: without an id a new view, else the one whose name and query change. */
export const viewInput = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  name: viewName,
  /** The query of the page's address, filters only: `status=error&range=24h`. As long as an address can be. */
  query: z.string().max(16_000),
})
export const savedView = z.object({ id: z.string(), name: z.string(), query: z.string() })
export type SavedView = z.infer<typeof savedView>

/** GET /api/history/views: those of who asks, by name. */
export const viewList = z.object({ rows: z.array(savedView) })

/** GET and POST /api/history/settings */
export const historySettings = z.strictObject({
  enabled: z.boolean(),
  days: z.number().int().min(1, 'Keep at least one day.').max(365, 'At most 365 days can be kept.'),
})
export type HistorySettings = z.infer<typeof historySettings>

/** POST /api/history/clear: the word is a safeguard against a call by mistake. */
export const clearInput = z.strictObject({ confirm: z.literal('delete', 'Type "delete" to confirm.') })
export const cleared = z.object({ requests: count })
