/** Shapes for importing models that a connection offers. */
import { z } from 'zod'
import { count, modelSize, nano } from './common.ts'
import { modelFields, modelId, ratesInput } from './operator.ts'

const rates = z.record(z.string(), nano)

/** One model that the vendor offers, or that the catalog has on this connection, compared with the other side. */
export const offer = z.object({
  upstreamModel: z.string(),
  /** The name that it would have in the catalog, or has. */
  modelId: z.string(),
  /**
   * `new`: not in the catalog. `price`: in the catalog, but the registry's price differs from the vendor's price in the
   * catalog. `same`: nothing to do. `gone`: in the catalog, but no longer offered.
   */
  state: z.enum(['new', 'price', 'same', 'gone']),
  modality: z.string(),
  contextWindow: count,
  maxOutput: count,
  /** Which of the sizes are assumed, because nobody states them. */
  assumed: z.array(modelSize),
  capabilities: z.array(z.string()),
  /** What the catalog has now: the price that is charged, and the vendor's price. */
  rates: rates.nullable(),
  vendorRates: rates.nullable(),
  /** The registry's price; null if it does not know the model. */
  found: rates.nullable(),
  /** Where the price comes from, and what it leaves out. */
  note: z.string(),
})
export type Offer = z.infer<typeof offer>

/** POST /api/operator/connections/{id}/offers */
export const offers = z.object({
  rows: z.array(offer),
  /** The package and its version. */
  registry: z.string(),
})
export type Offers = z.infer<typeof offers>

/** POST /api/operator/connections/{id}/import: imports everything or nothing. */
export const importInput = z.strictObject({
  id: z.string().min(1).max(64),
  take: z
    .array(
      z.strictObject({
        upstreamModel: z.string().min(1).max(200),
        modelId,
        /** The price that is charged from now on; null leaves the price of an existing model. */
        rates: ratesInput.nullable(),
        /** What a new model is for, as it was offered. By default what its name says. */
        modality: modelFields.modality.optional(),
        /** The sizes of a new model, as they were offered. By default what is known about its name. */
        contextWindow: modelFields.contextWindow.optional(),
        maxOutput: modelFields.maxOutput.optional(),
        assumed: modelFields.facts.shape.assumed,
      }),
    )
    .min(1)
    .max(300),
})
export type ImportInput = z.infer<typeof importInput>
export const importResult = z.object({ models: count, prices: count, deployments: count })
export type ImportResult = z.infer<typeof importResult>
