import type { Fields, RefusedParameter } from '../vendor.ts'

const fieldsIn = (list: unknown): Fields[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []

/** A mark for a vendor's cache that keeps it for longer than the five minutes whose price the catalog has. */
function isLong({ cache_control: mark }: Fields): boolean {
  const { ttl } = (typeof mark === 'object' && mark !== null ? mark : {}) as { ttl?: unknown }
  return ttl != null && ttl !== '5m'
}

/**
 * Refuses marks for a cache of an hour, at vendors who pass them on: Anthropic bills one at twice the price of the input,
 * and does not say in its usage, as OpenAI's wire has it, how much of what was written that is.
 */
export function refuseLongCache({ messages, tools, ...body }: Fields): RefusedParameter | null {
  const marked = [body, ...fieldsIn(tools), ...fieldsIn(messages).flatMap((message) => [message, ...fieldsIn(message.content)])]
  if (!marked.some(isLong)) return null
  return { param: 'cache_control', message: 'Only a cache_control of five minutes has a price here. Leave its "ttl" out.' }
}
