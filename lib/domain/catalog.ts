import type { ModelPrice } from './price.ts'

/** How to reach one vendor's endpoint. `secret` is in clear only in memory. */
export interface Connection {
  id: string
  name: string
  /** Which entry of the vendor registry speaks to it. */
  kind: string
  baseUrl: string | null
  secret: string | null
  headers: Record<string, string>
  /** The address of a proxy that calls go through. */
  proxy?: string | null
  /** Requests under way in one process, at most. */
  concurrency?: number | null
  connectTimeoutMs: number
  headersTimeoutMs: number
  idleTimeoutMs: number
}

/** A model at a vendor that can answer for one of ours. Lower priority is tried first. */
export interface Deployment {
  id: string
  upstreamModel: string
  weight: number
  priority: number
  /** Requests under way in one process, at most. */
  concurrency?: number | null
  /** Calls begun in a minute, at most, over all processes that share limits. */
  requestsPerMinute?: number | null
  /** Tokens in and out of the calls of a minute, at most, over all processes that share limits. */
  tokensPerMinute?: number | null
  /** An operator keeps it from being called. */
  held?: boolean
  connection: Connection
}

/**
 * What a model of other media takes, as its catalog entry says. Nothing is checked of which the entry
 * says nothing.
 */
export interface ModelFacts {
  /** Image sizes, `<width>x<height>`; the first one is what a request without a size gets. */
  sizes?: readonly string[]
  /** The first one is what a request without a quality gets. */
  qualities?: readonly string[]
  /** Images in one answer. */
  images?: number
  /** The most output tokens that one image has, by `<size>:<quality>`. The model's most where a pair is not here. */
  outputTokens?: Readonly<Record<string, number>>
  /** Dimensions of an embedding, at most; and whether fewer can be asked for. */
  dimensions?: number
  shortens?: boolean
  /** Inputs in one request: texts to embed, images to edit. */
  inputs?: number
  voices?: readonly string[]
  /** Characters of a text to speak, or of a prompt for an image. */
  characters?: number
  /** Formats in which it answers, by the names that requests give them. */
  formats?: readonly string[]
  /** Seconds of a video. */
  durations?: readonly number[]
}

export interface CatalogModel {
  id: string
  ownedBy: string
  modality: string
  /** Tokens of input and output together. */
  contextWindow: number
  /** Tokens of output in one answer. */
  maxOutput: number
  /** The most input tokens that one image can cost. */
  imageTokens: number
  /**
   * Of image models: `edits`, `streaming`, and `base64-only` for those that know no `response_format`. Others are told by
   * the endpoints that ask for them.
   */
  capabilities: ReadonlySet<string>
  facts: ModelFacts
  /** It thinks in tokens that are billed as output but never shown, so that what was seen does not tell what was used. */
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

/** Everything that is sold, as one consistent snapshot. */
export interface Catalog {
  models: ReadonlyMap<string, CatalogModel>
  groups: ReadonlyMap<string, Group>
}

/** The price in force at a time; null before the first one starts. */
export function priceAt(model: CatalogModel, at: Date): ModelPrice | null {
  let current: ModelPrice | null = null
  for (const price of model.prices) if (price.from <= at) current = price
  return current
}

/** Who calls: an API key, with everything that its account and group say of it. */
export interface Caller {
  keyId: string
  accountId: string
  groupId: string
  /** Milliseconds since 1970, or null for never. */
  expiresAtMs: number | null
  revoked: boolean
  suspended: boolean
  /** Null allows what the group allows. */
  modelAllow: ReadonlySet<string> | null
  /** Addresses and ranges; empty allows all. */
  addressAllow: readonly string[]
  rpm: number | null
  tpm: number | null
  limitTotal: bigint | null
  limitMonth: bigint | null
  keepHistory: boolean
}
