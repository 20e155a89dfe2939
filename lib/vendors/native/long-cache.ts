import type { Fields, RefusedParameter } from '../vendor.ts'

const someIn = (list: unknown, test: (item: Fields) => boolean): boolean =>
  Array.isArray(list) && list.some((item) => typeof item === 'object' && item !== null && test(item))

/** Whether a mark asks a vendor's cache to keep it for longer than the five minutes that the catalog has a price for. */
function isLong({ cache_control: mark }: Fields): boolean {
  const { ttl } = (typeof mark === 'object' && mark !== null ? mark : {}) as { ttl?: unknown }
  return ttl != null && ttl !== '5m'
}

/**
 * Refuses marks for a one-hour cache at vendors that pass them on. Anthropic bills such a cache write at twice the input price,
 * and the usage on OpenAI's wire does not say how much of what was written that is.
 */
export function refuseLongCache(body: Fields): RefusedParameter | null {
  const { messages, tools, cache_control_injection_points: points } = body
  const marked =
    isLong(body) ||
    // LiteLLM's other form, which names the places where marks are to be set.
    someIn(points, ({ control }) => isLong({ cache_control: control })) ||
    someIn(tools, (tool) => isLong(tool) || someIn([tool.function], isLong)) ||
    someIn(messages, (message) => isLong(message) || someIn(message.content, isLong) || someIn(message.tool_calls, isLong))
  if (!marked) return null
  return { param: 'cache_control', message: 'Only a cache_control of five minutes has a price here. Leave its "ttl" out.' }
}
