import { isPlainObject } from '../../domain/is-plain-object.ts'

/** The field with which Anthropic's clients mark what is to be cached: on the request, messages, their parts, calls and tools. */
export const CACHE_MARK = 'cache_control'

const isMarked = (item: unknown): boolean => isPlainObject(item) && item[CACHE_MARK] != null

/** The places in a request or a message that can hold marked objects. */
const LISTS = ['messages', 'tools', 'content', 'tool_calls'] as const

/** Whether a request, or anything in it, has such a mark. */
function hasCacheMarks(item: unknown): boolean {
  if (!isPlainObject(item)) return false
  if (isMarked(item) || isMarked(item.function)) return true
  return LISTS.some((name) => Array.isArray(item[name]) && (item[name] as unknown[]).some(hasCacheMarks))
}

/** The same request without them, for vendors that refuse fields that they do not know. Without marks it is the same object. */
export function withoutCacheMarks<T>(item: T): T {
  if (!hasCacheMarks(item)) return item
  const { [CACHE_MARK]: _, ...rest } = item as Record<string, unknown>
  if (isMarked(rest.function)) rest.function = withoutCacheMarks(rest.function)
  for (const name of LISTS) if (Array.isArray(rest[name])) rest[name] = (rest[name] as unknown[]).map(withoutCacheMarks)
  return rest as T
}
