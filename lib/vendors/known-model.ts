import type { ModelFacts } from '../domain/catalog.ts'
import type { Rates } from '../domain/price.ts'

/** What is known about a model before its vendor is asked. */
export interface KnownModel {
  /** The vendor's name for it. */
  name: string
  /** A chat model by default. */
  modality?: string
  facts?: ModelFacts
  contextWindow: number
  maxOutput: number
  /** The most input tokens that one image can cost. */
  imageTokens: number
  capabilities: string[]
  rates: Rates
  /** What its maker bills besides, and other vendors may not: for a search of the web, or for each request. */
  fees?: Rates
}

/** Dollars per million tokens, in nano-dollars. */
export const dollars = (amount: number): bigint => BigInt(Math.round(amount * 1000)) * 1_000_000n
