import type { ModelFacts } from '../../domain/catalog.ts'
import type { Rates } from '../../domain/price.ts'

/** A catalog entry of a model that the sandbox simulates. */
export interface SandboxModel {
  id: string
  upstreamModel: string
  modality: string
  facts: ModelFacts
  /** Tokens of input and output together. */
  contextWindow: number
  /** Tokens of output in one answer. */
  maxOutput: number
  /** The most input tokens that one image can cost. */
  imageTokens: number
  capabilities: string[]
  rates: Rates
  description: string
}
