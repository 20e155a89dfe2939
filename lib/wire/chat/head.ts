import { type JsonObject, objectIn } from '../json.ts'

/** OpenAI's names of its service tiers. */
const TIERS: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])

/**
 * An answer or a chunk whose head has OpenAI's values, because OpenAI's clients know no others. Returns the same object if it has
 * them already. Azure leaves `object` empty in a first chunk, Moonshot leaves it out, and Perplexity calls the last one
 * `chat.completion.done`. Groq serves in tiers of its own (`on_demand`), of which one is sold here.
 */
export function normalizeHead(answer: JsonObject, object: string): JsonObject {
  const { service_tier: tier } = answer
  const isKnownTier = tier == null || TIERS.has(tier)
  if (answer.object === object && isKnownTier) return answer
  return { ...answer, object, ...(isKnownTier ? {} : { service_tier: 'default' }) }
}

/**
 * A chunk whose choices have their role when they begin, and never again. Returns the same object if that is so already. Without
 * a role, OpenAI's own client for JavaScript fails. The one for Python appends a repeated role to the first (Perplexity,
 * OpenRouter). Every choice gets a delta, because clients read it: Azure leaves it out when it reports on its filters.
 */
export function normalizeRoles(chunk: JsonObject, hasBegun: (choice: number) => boolean): JsonObject {
  if (!Array.isArray(chunk.choices)) return chunk
  const choices = chunk.choices.map((item) => {
    const choice = objectIn(item)
    if (!choice) return item
    const delta = objectIn(choice.delta)
    const { role, ...rest } = delta ?? {}
    const hasRole = typeof role === 'string' && role !== ''
    if (!hasBegun(typeof choice.index === 'number' ? choice.index : 0))
      return hasRole ? item : { ...choice, delta: { role: 'assistant', ...rest } }
    return hasRole || !delta ? { ...choice, delta: rest } : item
  })
  return choices.some((choice, at) => choice !== (chunk.choices as unknown[])[at]) ? { ...chunk, choices } : chunk
}
