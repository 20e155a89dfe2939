import { fieldIn } from '../../domain/field-in.ts'

/** How to tell apart the parts of a vendor's messages. */
export interface PartKinds {
  isThought(part: unknown): boolean
  isResult(part: unknown): boolean
}

const contentOf = (message: unknown): unknown[] => {
  const content = fieldIn(message, 'content')
  return Array.isArray(content) ? content : []
}

/**
 * Whether the last turn of a conversation has tool calls and does not begin with a thought. Claude models that think on a budget
 * refuse this (Anthropic, "Extended thinking", tool use), although most clients do not send thoughts back.
 */
export function hasCallsWithoutThought(messages: unknown, { isThought, isResult }: PartKinds): boolean {
  const list: unknown[] = Array.isArray(messages) ? messages : []
  const hasToolResult = (message: unknown): boolean => fieldIn(message, 'role') === 'user' && contentOf(message).some(isResult)
  if (!hasToolResult(list.at(-1))) return false
  const lastUserIndex = list.findLastIndex((message) => fieldIn(message, 'role') === 'user' && !hasToolResult(message))
  const [first] = contentOf(list[lastUserIndex + 1])
  return !isThought(first)
}
