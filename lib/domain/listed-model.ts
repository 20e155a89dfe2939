import type { ModelFacts, ModelSize } from './catalog.ts'
import type { Rates } from './price.ts'

/** A model in its vendor's list. Sizes are in tokens, and null if the list does not say. */
export interface ListedModel {
  name: string
  contextWindow: number | null
  maxOutput: number | null
  /** Present if the list says that the model makes images, and where models make them in chats. */
  makesImages?: true
  /** What a token of such an image costs, in nano-dollars per million; absent if the list does not say. */
  imageOutputRate?: bigint
}

/** A list price with what the vendor's own list says about images that the model makes, unless the price has a rate for them. */
export const withListedImageRate = (rates: Rates, rate: bigint | undefined): Rates =>
  rate === undefined ? rates : { image_output: rate, ...rates }

/** The facts about a model, of whose sizes these are assumed. */
export const withAssumed = ({ assumed: _, ...facts }: ModelFacts, assumed: readonly ModelSize[]): ModelFacts =>
  assumed.length === 0 ? facts : { ...facts, assumed }

/**
 * What is known about a model, with the sizes that its vendor lists. They take precedence: a server can run a model with less
 * context than it was made for, and refuses a cap that does not fit.
 */
export function withListedSizes<T extends { contextWindow: number; maxOutput: number; facts: ModelFacts }>(
  known: T,
  listed: Pick<ListedModel, 'contextWindow' | 'maxOutput'> | undefined,
): T {
  if (!listed || (listed.contextWindow === null && listed.maxOutput === null)) return known
  const contextWindow = listed.contextWindow ?? known.contextWindow
  const assumed = (known.facts.assumed ?? []).filter((size) => listed[size] === null)
  const facts = withAssumed(known.facts, assumed)
  return { ...known, facts, contextWindow, maxOutput: Math.min(listed.maxOutput ?? known.maxOutput, contextWindow) }
}
