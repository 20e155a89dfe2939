import { type JsonObject, objectIn } from '../json.ts'

const KINDS = ['function', 'custom']

/**
 * A request whose tools have the form of chats. Cursor sends some of them in the form of responses, with their name beside their
 * type. Returns the same request if there are no such tools.
 */
export function withNestedTools(body: unknown): unknown {
  const { tools } = objectIn(body) ?? {}
  if (!Array.isArray(tools) || !tools.some(isFlat)) return body
  return { ...objectIn(body), tools: tools.map((tool) => (isFlat(tool) ? nestTool(tool as JsonObject) : tool)) }
}

function isFlat(value: unknown): boolean {
  const tool = objectIn(value)
  return (
    tool !== null && KINDS.includes(tool.type as string) && typeof tool.name === 'string' && tool[tool.type as string] == null
  )
}

/** A tool in the form of responses in that of chats, where a grammar is nested one level deeper. */
export function nestTool({ type, ...tool }: JsonObject): JsonObject {
  const format = objectIn(tool.format)
  if (format?.type !== 'grammar' || format.grammar != null) return { type: type as string, [type as string]: tool }
  const { type: kind, ...grammar } = format
  return { type: type as string, [type as string]: { ...tool, format: { type: kind as string, grammar } } }
}
