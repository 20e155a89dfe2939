import { z } from 'zod'
import { count, nano, time } from './common.ts'
import { groupRow } from './keys.ts'

/** What a model of other media takes; a list is empty where nothing is known. */
const modelFacts = z.object({
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
  /** What the `model` field of a request takes. */
  id: z.string(),
  /** The vendor's label. */
  ownedBy: z.string(),
  modality: z.string(),
  /** Tokens of input and output together, and of output alone; they mean something only where tokens are sold. */
  contextWindow: count,
  maxOutput: count,
  capabilities: z.array(z.string()),
  facts: modelFacts,
  createdAt: time,
  priceFrom: time,
  /** Nano-dollars per million units, by unit, before a group's factor. */
  rates: z.record(z.string(), nano),
})
export type ModelRow = z.infer<typeof modelRow>

/**
 * GET /api/models: everything that is for sale, and the groups that keys can be bound to. For everybody; who is signed in
 * also has the groups that are for their account.
 */
export const modelList = z.object({ rows: z.array(modelRow), groups: z.array(groupRow) })
export type ModelList = z.infer<typeof modelList>
