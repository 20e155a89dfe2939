import type { ModelFacts } from '../domain/catalog.ts'
import type { Rates } from '../domain/price.ts'

/** What is known of a model before anyone has asked its vendor. */
export interface KnownModel {
  /** As the vendor calls it. */
  name: string
  /** A chat model where this is absent. */
  modality?: string
  facts?: ModelFacts
  contextWindow: number
  maxOutput: number
  /** The most input tokens that one image can cost. */
  imageTokens: number
  capabilities: string[]
  rates: Rates
}

/** Dollars per million tokens, in nano-dollars. */
export const dollars = (amount: number): bigint => BigInt(Math.round(amount * 1000)) * 1_000_000n
