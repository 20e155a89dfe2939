import type { ModelPrice } from './price.ts'

/** How to reach one vendor's endpoint. `secret` is in clear text only in memory. */
export interface Connection {
  id: string
  name: string
  /** The id of the vendor registry's entry that speaks to it. */
  kind: string
  baseUrl: string | null
  secret: string | null
  headers: Record<string, string>
  /** The address of a proxy for its calls. */
  proxy?: string | null
  /** The most requests in flight in one process. */
  concurrency?: number | null
  connectTimeoutMs: number
  headersTimeoutMs: number
  idleTimeoutMs: number
}

/** A vendor's model that can answer for one of ours. A lower priority is tried first. */
export interface Deployment {
  id: string
  upstreamModel: string
  weight: number
  priority: number
  /** The most requests in flight in one process. */
  concurrency?: number | null
  /** The most calls begun in a minute, over all processes that share limits. */
  requestsPerMinute?: number | null
  /** The most tokens, in and out, of the calls of a minute, over all processes that share limits. */
  tokensPerMinute?: number | null
  /** Whether an operator keeps it from being called. */
  held?: boolean
  connection: Connection
}

/** The sizes of a model, in tokens. */
export const MODEL_SIZES = ['contextWindow', 'maxOutput'] as const
export type ModelSize = (typeof MODEL_SIZES)[number]

/** What a model of other media accepts, according to its catalog entry. What the entry does not mention is not checked. */
export interface ModelFacts {
  /** The sizes that nobody has stated. They limit requests like any other. */
  assumed?: readonly ModelSize[]
  /** Image sizes, `<width>x<height>`. A request without a size gets the first one. */
  sizes?: readonly string[]
  /** A request without a quality gets the first one. */
  qualities?: readonly string[]
  /** The most images in one answer. */
  images?: number
  /** The most output tokens of one image, by `<size>:<quality>`. A pair that is not listed has the model's maximum. */
  outputTokens?: Readonly<Record<string, number>>
  /** The most dimensions of an embedding. */
  dimensions?: number
  shortens?: boolean
  /** The most inputs in one request: texts to embed, images to edit. */
  inputs?: number
  voices?: readonly string[]
  /** The most characters of a text to speak, or of an image's prompt. */
  characters?: number
  /** Formats of its answers, by their names in requests. */
  formats?: readonly string[]
  /** Lengths of a video, in seconds. */
  durations?: readonly number[]
}

export interface CatalogModel {
  id: string
  ownedBy: string
  modality: string
  /** Tokens of input and output in total. */
  contextWindow: number
  /** The most output tokens of one answer. */
  maxOutput: number
  /** The most input tokens that one image can cost. */
  imageTokens: number
  /**
   * For image models: `edits`, `streaming`, and `base64-only` if they do not know `response_format`. Other capabilities are
   * described at the endpoints that ask for them.
   */
  capabilities: ReadonlySet<string>
  facts: ModelFacts
  /** It reasons in tokens that are billed as output but never shown, so its visible output does not tell its usage. */
  hiddenReasoning: boolean
  createdAt: Date
  /** Oldest first. */
  prices: ModelPrice[]
  deployments: Deployment[]
}

export interface Group {
  id: string
  name: string
  /** 10000 is a factor of 1. */
  multiplierBp: bigint
  rpm: number | null
  tpm: number | null
  models: ReadonlySet<string>
}

/** Everything that is for sale, as one consistent snapshot. */
export interface Catalog {
  models: ReadonlyMap<string, CatalogModel>
  groups: ReadonlyMap<string, Group>
  /** Every deployment by its id, including those that get no new requests as long as a task may run there. */
  deployments: ReadonlyMap<string, Deployment>
}

/** The price in force at a time, or null before the first one starts. */
export function priceAt(model: CatalogModel, at: Date): ModelPrice | null {
  let current: ModelPrice | null = null
  for (const price of model.prices) if (price.from <= at) current = price
  return current
}

/** Whether a model is for sale: it has a price, and a vendor that runs it. Others are not listed. */
export const isOffered = (model: CatalogModel, at: Date): boolean => model.deployments.length > 0 && priceAt(model, at) !== null

/** A model's id without what stands before its first slash: the vendor's own name, which clients know. */
export const bareName = (id: string): string => id.slice(id.indexOf('/') + 1)

/** The caller of a request: an API key, with everything that its account and group say about it. */
export interface Caller {
  keyId: string
  accountId: string
  groupId: string
  /** Milliseconds since 1970, or null if it never expires. */
  expiresAtMs: number | null
  revoked: boolean
  suspended: boolean
  /** Null allows whatever the group allows. */
  modelAllow: ReadonlySet<string> | null
  /** Addresses and ranges; empty allows all. */
  addressAllow: readonly string[]
  rpm: number | null
  tpm: number | null
  limitTotal: bigint | null
  limitMonth: bigint | null
  keepHistory: boolean
}
