import type { AnswerHead } from '../answer.ts'
import { type JsonObject, objectIn } from '../json.ts'

/** OpenAI's names of its service tiers. */
const TIERS: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])

/** What an answer and the chunks of a stream say about themselves. */
export interface ChatHead {
  id: string
  object: string
  /** Seconds since 1970. */
  created: number
}

/** The last second of the year 9999, after which clients have no dates. Milliseconds are beyond it. */
const MAX_CREATED = 253_402_300_799

const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''
/** Zero is what a server sends that has no clock in place. */
const isCreated = (created: unknown): created is number =>
  typeof created === 'number' && Number.isInteger(created) && created > 0 && created <= MAX_CREATED

/** The id of an answer of this gateway. */
export const answerIdOf = (prefix: 'chatcmpl' | 'cmpl', { requestId }: Pick<AnswerHead, 'requestId'>): string =>
  `${prefix}-${requestId.replace(/^req_/, '')}`

/** The time of an answer of this gateway: that of its request. */
export const createdOf = ({ at }: Pick<AnswerHead, 'at'>): number => Math.floor(at.getTime() / 1000)

/** The head of an answer, or of the stream that a chunk begins: its own, where a client can read that. */
export const headOf = ({ id, created }: JsonObject, own: ChatHead): ChatHead => ({
  id: isId(id) ? id : own.id,
  object: own.object,
  created: isCreated(created) ? created : own.created,
})

/**
 * An answer or a chunk whose head has OpenAI's values, because OpenAI's clients know no others. Returns the same object if it has
 * them already. `head` is that of its answer or stream, whose chunks all have one id. Azure leaves `object` empty in a first
 * chunk, Moonshot leaves it out, and Perplexity calls the last one `chat.completion.done`. Groq serves in tiers of its own
 * (`on_demand`), of which one is sold here. Some servers leave out the id and the time, or write a number and a date.
 */
export function normalizeHead(answer: JsonObject, { id, object, created }: ChatHead): JsonObject {
  const { service_tier: tier } = answer
  const isKnownTier = tier == null || TIERS.has(tier)
  const hasCreated = isCreated(answer.created)
  if (answer.id === id && answer.object === object && hasCreated && isKnownTier) return answer
  return {
    ...answer,
    id,
    object,
    ...(hasCreated ? {} : { created }),
    ...(isKnownTier ? {} : { service_tier: 'default' }),
  }
}

/**
 * A chunk whose choices have their role when they begin, and never again. Returns the same object if that is so already. Without
 * a role, OpenAI's own client for JavaScript fails. The one for Python appends a repeated role to the first (Perplexity,
 * OpenRouter). The role is that of an assistant: clients send it back, and no other may hold an answer. Every choice gets a delta,
 * because clients read it: Azure leaves it out when it reports on its filters.
 */
export function normalizeRoles(chunk: JsonObject, hasBegun: (choice: number) => boolean): JsonObject {
  if (!Array.isArray(chunk.choices)) return chunk
  const choices = chunk.choices.map((item) => {
    const choice = objectIn(item)
    if (!choice) return item
    const delta = objectIn(choice.delta)
    const { role, ...rest } = delta ?? {}
    if (!hasBegun(typeof choice.index === 'number' ? choice.index : 0))
      return role === 'assistant' ? item : { ...choice, delta: { role: 'assistant', ...rest } }
    const hasRole = typeof role === 'string' && role !== ''
    return hasRole || !delta ? { ...choice, delta: rest } : item
  })
  return choices.some((choice, at) => choice !== (chunk.choices as unknown[])[at]) ? { ...chunk, choices } : chunk
}
