import { fieldIn } from './dialect.ts'

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
export function hasCalledUnthought(messages: unknown, { isThought, isResult }: PartKinds): boolean {
  const list: unknown[] = Array.isArray(messages) ? messages : []
  const answers = (message: unknown): boolean => fieldIn(message, 'role') === 'user' && contentOf(message).some(isResult)
  if (!answers(list.at(-1))) return false
  const asked = list.findLastIndex((message) => fieldIn(message, 'role') === 'user' && !answers(message))
  const [first] = contentOf(list[asked + 1])
  return !isThought(first)
}
