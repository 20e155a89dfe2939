import type { Fields, RefusedParameter } from '../vendor.ts'

const fieldsIn = (list: unknown): Fields[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []

/** A mark for a vendor's cache that keeps it for longer than the five minutes whose price the catalog has. */
function isLong({ cache_control: mark }: Fields): boolean {
  const { ttl } = (typeof mark === 'object' && mark !== null ? mark : {}) as { ttl?: unknown }
  return ttl != null && ttl !== '5m'
}

/** What else LiteLLM takes for a message with a mark: a place that is to get one. */
const placesIn = (points: unknown): Fields[] => fieldsIn(points).map(({ control }) => ({ cache_control: control }))

/**
 * Refuses marks for a cache of an hour, at vendors who pass them on: Anthropic bills one at twice the price of the input,
 * and does not say in its usage, as OpenAI's wire has it, how much of what was written that is.
 */
export function refuseLongCache({ messages, tools, ...body }: Fields): RefusedParameter | null {
  const marked = [
    body,
    ...placesIn(body.cache_control_injection_points),
    ...fieldsIn(tools).flatMap((tool) => [tool, ...fieldsIn([tool.function])]),
    ...fieldsIn(messages).flatMap((message) => [message, ...fieldsIn(message.content), ...fieldsIn(message.tool_calls)]),
  ]
  if (!marked.some(isLong)) return null
  return { param: 'cache_control', message: 'Only a cache_control of five minutes has a price here. Leave its "ttl" out.' }
}
