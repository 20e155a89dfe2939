/** Shapes of the operator's side: what its parts share, and models with their prices and deployments. */
import { z } from 'zod'
import { count, integer, modelSize, nano, pageLimit, pageSchema, singleLine, time } from './common.ts'
import { beforeName } from './cursor.ts'

export const operatorId = z.string().min(1).max(64)
const id = operatorId
export const expectedVersion = integer(1)
const version = expectedVersion
/** How many requests may run at once; null for no limit. */
export const concurrencyLimitInput = z.number().int().min(1).max(100_000).nullable()
const concurrencyLimit = concurrencyLimitInput

/** The query of every operator list that is sorted by name: `search` is a part of the name. */
export const operatorQuery = z.strictObject({
  search: z.string().trim().max(200).optional(),
  before: beforeName,
  limit: pageLimit(50, 200),
  archived: z.enum(['yes', 'no']).default('no'),
})
export type OperatorQuery = z.infer<typeof operatorQuery>

/** The id of a row, from the path, and the version that its reader has seen. */
export const archiveInput = z.strictObject({ id: z.string().min(1).max(200), version })
export type ArchiveInput = z.infer<typeof archiveInput>
export const operatorIdInput = z.strictObject({ id: z.string().min(1).max(200) })

/** The answer to a change: the row's id and its new version. */
export const changeResult = z.object({ id: z.string(), version: count })
export type ChangeResult = z.infer<typeof changeResult>

// Models

/** Names of priced units: see `Unit` in lib/domain/usage.ts. */
export const pricedUnit = z
  .string()
  .regex(
    /^(input|cached_input|cache_write|output|reasoning|request|image|image:[a-z0-9]{1,20}(:[a-z0-9]{1,20})?|image_input|image_output|audio_input|audio_output|audio_second|video_second|character|web_search)$/,
    { error: 'This unit cannot be priced.' },
  )
/** The highest price that can be set, in nano-dollars per million units. */
export const MAX_RATE_NANO = 1_000_000_000_000_000_000n
/** Nano-dollars per million units. */
const rate = nano.refine((text) => BigInt(text) >= 0n && BigInt(text) <= MAX_RATE_NANO, {
  error: 'A price cannot be negative or above one billion.',
})
export const ratesInput = z
  .record(pricedUnit, rate)
  .refine((rates) => Object.keys(rates).length > 0, { error: 'Set the price of at least one unit.' })

const names = z.array(z.string().trim().min(1).max(60)).max(100)
/** A quality as a request may name it (lib/wire/image/schema.ts): a name that no request can use is rejected. */
const quality = z
  .string()
  .trim()
  .regex(/^[\w.-]{1,32}$/, { error: 'A quality must be one word of up to 32 letters, digits, ".", "-" and "_".' })
const factsInput = z.strictObject({
  assumed: z.array(modelSize).max(2).optional(),
  sizes: names.optional(),
  qualities: z.array(quality).max(100).optional(),
  images: z.number().int().min(1).max(100).optional(),
  outputTokens: z.record(z.string().max(80), z.number().int().min(1)).optional(),
  dimensions: z.number().int().min(1).max(1_000_000).optional(),
  shortens: z.boolean().optional(),
  inputs: z.number().int().min(1).max(1_000_000).optional(),
  voices: names.optional(),
  characters: z.number().int().min(1).max(10_000_000).optional(),
  formats: names.optional(),
  durations: z.array(z.number().int().min(1).max(3600)).max(100).optional(),
})

export const MODALITIES = ['chat', 'completion', 'embedding', 'image', 'speech', 'transcription', 'video'] as const
const tokens = z.number().int().min(1).max(2_000_000_000)
export const modelFields = {
  ownedBy: singleLine(60),
  modality: z.enum(MODALITIES),
  contextWindow: tokens,
  maxOutput: tokens,
  imageTokens: z.number().int().min(0).max(10_000_000),
  capabilities: names,
  facts: factsInput,
  enabled: z.boolean(),
}
/** What the `model` field of a request takes. It is also used as a path, in which no part may be empty, `.` or `..`. */
export const modelId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,199}$/, {
    error: 'A name can contain letters, digits and . _ : @ / + - and must begin with a letter or a digit.',
  })
  .refine((name) => name.split('/').every((part) => !['', '.', '..'].includes(part)), {
    error: 'Each part of a name after a slash must contain more than dots.',
  })

/** POST /api/operator/models: a model without deployments yet, in the named groups. */
export const createModelInput = z.strictObject({
  ...modelFields,
  id: modelId,
  imageTokens: modelFields.imageTokens.default(16_384),
  capabilities: modelFields.capabilities.default([]),
  facts: modelFields.facts.default({}),
  enabled: modelFields.enabled.default(true),
  groupIds: z.array(id).max(200).default([]),
  rates: ratesInput,
})
export type CreateModelInput = z.infer<typeof createModelInput>

/** PATCH /api/operator/models */
export const updateModelInput = z
  .strictObject(modelFields)
  .partial()
  .extend({ id: z.string().min(1).max(200), version, archived: z.literal(false).optional() })
export type UpdateModelInput = z.infer<typeof updateModelInput>

const rates = z.record(z.string(), nano)
export const priceRow = z.object({
  id: z.string(),
  startsAt: time,
  createdAt: time,
  rates,
  vendorRates: rates,
  note: z.string(),
})
export type PriceRow = z.infer<typeof priceRow>

/** POST /api/operator/prices: adds a version that applies from `startsAt` on; null is now. */
export const setPriceInput = z.strictObject({
  modelId: z.string().min(1).max(200),
  startsAt: time.nullable().default(null),
  rates: ratesInput,
  vendorRates: ratesInput.nullable().default(null),
  note: z.string().trim().max(300).default(''),
  /** The newest version that the operator has seen; null if there was none. Without it nothing is compared. */
  seen: id.nullable().optional(),
})
export type SetPriceInput = z.infer<typeof setPriceInput>

export const operatorModelRow = z.object({
  id: z.string(),
  ownedBy: z.string(),
  modality: z.string(),
  contextWindow: count,
  maxOutput: count,
  imageTokens: count,
  capabilities: z.array(z.string()),
  facts: factsInput,
  enabled: z.boolean(),
  version: count,
  archivedAt: time.nullable(),
  createdAt: time,
  /** The price in force; null before the first one starts. */
  rates: rates.nullable(),
  deployments: count,
  failing: count,
  groups: count,
})
export type OperatorModelRow = z.infer<typeof operatorModelRow>
export const operatorModelPage = pageSchema(operatorModelRow)

// Deployments

const weight = z.number().int().min(0).max(1_000_000)
const priority = z.number().int().min(-1_000_000).max(1_000_000)
/** Over all processes that share limits; null for no limit. */
const requestsPerMinute = z.number().int().min(1).max(1_000_000).nullable()
const tokensPerMinute = z.number().int().min(1).max(1_000_000_000).nullable()
/** POST /api/operator/deployments */
export const createDeploymentInput = z.strictObject({
  modelId: z.string().min(1).max(200),
  connectionId: id,
  upstreamModel: singleLine(200),
  weight: weight.default(1),
  priority: priority.default(0),
  concurrency: concurrencyLimit.default(null),
  requestsPerMinute: requestsPerMinute.default(null),
  tokensPerMinute: tokensPerMinute.default(null),
  enabled: z.boolean().default(true),
})
export type CreateDeploymentInput = z.infer<typeof createDeploymentInput>
/** PATCH /api/operator/deployments/{id} */
export const updateDeploymentInput = z
  .strictObject({ weight, priority, concurrency: concurrencyLimit, requestsPerMinute, tokensPerMinute, enabled: z.boolean() })
  .partial()
  .extend({ id, version, archived: z.literal(false).optional() })
export type UpdateDeploymentInput = z.infer<typeof updateDeploymentInput>

export const deploymentRow = z.object({
  id: z.string(),
  modelId: z.string(),
  connectionId: z.string(),
  connectionName: z.string(),
  /** Nothing is sent to an archived connection. */
  connectionArchived: z.boolean(),
  upstreamModel: z.string(),
  weight: z.number().int(),
  priority: z.number().int(),
  concurrency: count.nullable(),
  requestsPerMinute: count.nullable(),
  tokensPerMinute: count.nullable(),
  enabled: z.boolean(),
  /** The worst state that a running process reports. */
  health: z.enum(['well', 'trying', 'failing']),
  /** Whether an operator keeps it from being called. */
  held: z.boolean(),
  /** Whether a running process found no room in its limits in this minute. */
  isFull: z.boolean(),
  version: count,
  archivedAt: time.nullable(),
})
export type DeploymentRow = z.infer<typeof deploymentRow>

/** GET /api/operator/model?id= */
export const operatorModel = operatorModelRow.extend({
  /** The latest start first; future prices come before the one in force. */
  prices: z.array(priceRow),
  deploymentRows: z.array(deploymentRow),
  groupRows: z.array(z.object({ id: z.string(), name: z.string() })),
})
export type OperatorModel = z.infer<typeof operatorModel>
