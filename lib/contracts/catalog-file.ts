/** The catalog as a file: what `npm run catalog` writes and reads. Prices are dollars per million units, as text. */
import { z } from 'zod'
import { createDeploymentInput, createModelInput, modelId, pricedUnit } from './operator.ts'
import { createConnectionInput } from './operator-connections.ts'
import { createGroupInput } from './operator-groups.ts'

/** A secret is never in the file: `{ env: NAME }` says where it is taken from. */
const reference = z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/) })
const price = z.record(
  pricedUnit,
  z.string().regex(/^\d{1,10}(\.\d{1,9})?$/, { error: 'Enter dollars per million units as text, such as "2.5".' }),
)

const connection = createConnectionInput.omit({ name: true, credentials: true, headers: true, proxy: true }).extend({
  /** What is left out stays as it is. */
  credentials: z.record(z.string(), reference).optional(),
  /** Null keeps the value that a header has. */
  headers: z.record(z.string(), reference.nullable()).optional(),
  proxy: reference.nullable().optional(),
})

const deployment = createDeploymentInput.omit({ modelId: true, connectionId: true, upstreamModel: true }).extend({
  connection: z.string(),
  /** The vendor's name for it. */
  model: z.string().min(1).max(200),
})

const model = createModelInput.omit({ id: true, groupIds: true, rates: true }).extend({
  price,
  /** The vendor's price; the same as `price` if left out. */
  vendorPrice: price.optional(),
  deployments: z.array(deployment).default([]),
})

const group = createGroupInput.omit({ name: true }).extend({
  default: z.boolean().default(false),
  models: z.array(modelId).default([]),
})

export const catalogFile = z.strictObject({
  connections: z.record(z.string().min(1).max(60), connection).default({}),
  models: z.record(modelId, model).default({}),
  groups: z.record(z.string().min(1).max(60), group).default({}),
})
export type CatalogFile = z.infer<typeof catalogFile>
