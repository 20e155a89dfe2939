/** A model in its vendor's list. Sizes are in tokens, and null if the list does not say. */
export interface ListedModel {
  name: string
  contextWindow: number | null
  maxOutput: number | null
}

/**
 * What is known about a model, with the sizes that its vendor lists. They take precedence: a server can run a model with less
 * context than it was made for, and refuses a cap that does not fit.
 */
export function withListedSizes<T extends { contextWindow: number; maxOutput: number }>(
  known: T,
  listed: Pick<ListedModel, 'contextWindow' | 'maxOutput'> | undefined,
): T {
  if (!listed || (listed.contextWindow === null && listed.maxOutput === null)) return known
  const contextWindow = listed.contextWindow ?? known.contextWindow
  return { ...known, contextWindow, maxOutput: Math.min(listed.maxOutput ?? known.maxOutput, contextWindow) }
}
