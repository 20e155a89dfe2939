import { z } from 'zod'
import { count, modelSize, nano, time } from './common.ts'
import { groupRow } from './keys.ts'

/** What a model of other media accepts; a list is empty if nothing is known. */
const modelFacts = z.object({
  /** The sizes that nobody has stated; absent if there are none. */
  assumed: z.array(modelSize).optional(),
  sizes: z.array(z.string()),
  qualities: z.array(z.string()),
  voices: z.array(z.string()),
  formats: z.array(z.string()),
  /** Seconds. */
  durations: z.array(count),
  dimensions: count.nullable(),
  /** The most images in one answer. */
  images: count.nullable(),
})

export const modelRow = z.object({
  /** The value for the `model` field of a request. */
  id: z.string(),
  /** The vendor's label. */
  ownedBy: z.string(),
  modality: z.string(),
  /** Tokens of input and output together, and of output alone. They are meaningful only if tokens are sold. */
  contextWindow: count,
  maxOutput: count,
  capabilities: z.array(z.string()),
  /** Whether its chats take `web_search_options`. */
  searches: z.boolean(),
  facts: modelFacts,
  createdAt: time,
  priceFrom: time,
  /** Nano-dollars per million units, by unit, before a group's factor. */
  rates: z.record(z.string(), nano),
})
export type ModelRow = z.infer<typeof modelRow>

/**
 * GET /api/models: everything that is for sale, and the groups that keys can be bound to. Available to everybody; people who
 * are signed in also get the groups that are for their account.
 */
export const modelList = z.object({ rows: z.array(modelRow), groups: z.array(groupRow) })
export type ModelList = z.infer<typeof modelList>
