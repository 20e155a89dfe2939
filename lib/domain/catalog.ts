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
  connection: Connection
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
