import type { JsonObject } from '../json.ts'

/** What OpenAI calls the tiers in which it serves. */
const TIERS: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])

/**
 * An answer or a chunk whose head is in OpenAI's words, which its clients take for the only ones there are: the very same
 * object where it is already. Azure leaves `object` empty in a first chunk, Moonshot leaves it out and Perplexity calls the last one
 * `chat.completion.done`; Groq serves in tiers of its own (`on_demand`), of which one is sold here.
 */
export function inOurHead(answer: JsonObject, object: string): JsonObject {
  const { service_tier: tier } = answer
  const isOurs = tier == null || TIERS.has(tier)
  if (answer.object === object && isOurs) return answer
  return { ...answer, object, ...(isOurs ? {} : { service_tier: 'default' }) }
}
