import type { Fields, RefusedParameter } from '../vendor.ts'

const fieldsIn = (list: unknown): Fields[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []

/** Whether a mark asks a vendor's cache to keep it for longer than the five minutes that the catalog has a price for. */
function isLong({ cache_control: mark }: Fields): boolean {
  const { ttl } = (typeof mark === 'object' && mark !== null ? mark : {}) as { ttl?: unknown }
  return ttl != null && ttl !== '5m'
}

/** The marks in LiteLLM's other form, which names the places where marks are to be set. */
const placesIn = (points: unknown): Fields[] => fieldsIn(points).map(({ control }) => ({ cache_control: control }))

/**
 * Refuses marks for a one-hour cache at vendors that pass them on. Anthropic bills such a cache write at twice the input price,
 * and the usage on OpenAI's wire does not say how much of what was written that is.
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
