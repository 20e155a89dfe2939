/** Shapes of taking models over from what a connection offers. */
import { z } from 'zod'
import { count, nano } from './common.ts'
import { modelId, ratesInput } from './operator.ts'

const rates = z.record(z.string(), nano)

/** One model that the vendor offers, or that the catalog has on this connection, against the other side. */
export const offer = z.object({
  upstreamModel: z.string(),
  /** As it would be called, or is. */
  modelId: z.string(),
  /**
   * `new`: not in the catalog. `price`: there, and the registry's price differs from the vendor's price that the catalog
   * has. `same`: nothing to do. `gone`: in the catalog, and not offered any more.
   */
  state: z.enum(['new', 'price', 'same', 'gone']),
  modality: z.string(),
  contextWindow: count,
  maxOutput: count,
  capabilities: z.array(z.string()),
  /** What the catalog has now: what is charged, and what the vendor takes. */
  rates: rates.nullable(),
  vendorRates: rates.nullable(),
  /** What the registry says; null where it does not know the model. */
  found: rates.nullable(),
  /** Where the price is from, and what it leaves out. */
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

/** POST /api/operator/connections/{id}/import: all of it, or nothing. */
export const importInput = z.strictObject({
  id: z.string().min(1).max(64),
  take: z
    .array(
      z.strictObject({
        upstreamModel: z.string().min(1).max(200),
        modelId,
        /** What is charged from now on; null leaves the price of a model that is there. */
        rates: ratesInput.nullable(),
      }),
    )
    .min(1)
    .max(300),
})
export type ImportInput = z.infer<typeof importInput>
export const imported = z.object({ models: count, prices: count, deployments: count })
export type Imported = z.infer<typeof imported>
