import { type JsonObject, objectIn } from '../json.ts'

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

/**
 * A chunk whose choices say their role when they begin, and never again: the very same object where they do already. Without
 * any OpenAI's own client for JavaScript fails; that for Python writes what is said of one again (Perplexity, OpenRouter) behind
 * what was. All of them have a delta: Azure leaves it out where it tells of its filters, and clients look into it.
 */
export function inOurRoles(chunk: JsonObject, hasBegun: (choice: number) => boolean): JsonObject {
  if (!Array.isArray(chunk.choices)) return chunk
  const choices = chunk.choices.map((item) => {
    const choice = objectIn(item)
    if (!choice) return item
    const delta = objectIn(choice.delta)
    const { role, ...rest } = delta ?? {}
    const says = typeof role === 'string' && role !== ''
    if (!hasBegun(typeof choice.index === 'number' ? choice.index : 0))
      return says ? item : { ...choice, delta: { role: 'assistant', ...rest } }
    return says || !delta ? { ...choice, delta: rest } : item
  })
  return choices.some((choice, at) => choice !== (chunk.choices as unknown[])[at]) ? { ...chunk, choices } : chunk
}
