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
  /** What its maker bills for a search of the web, in nano-dollars per million. Absent if it cannot search. */
  webSearchRate?: bigint | undefined
  /** What its maker bills for each request besides its tokens, in nano-dollars per million. */
  requestRate?: bigint | undefined
}

/** List prices of tokens with what the maker bills besides: for a search of the web, and for each request. */
export const withFees = (rates: Rates, known: Pick<KnownModel, 'webSearchRate' | 'requestRate'> | undefined): Rates => ({
  ...rates,
  ...(known?.webSearchRate === undefined ? {} : { web_search: known.webSearchRate }),
  ...(known?.requestRate === undefined ? {} : { request: known.requestRate }),
})

/** Dollars per million tokens, in nano-dollars. */
export const dollars = (amount: number): bigint => BigInt(Math.round(amount * 1000)) * 1_000_000n
