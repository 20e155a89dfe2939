import { fieldIn } from './dialect.ts'

/** How a vendor's messages tell their parts apart. */
export interface PartKinds {
  isThought(part: unknown): boolean
  isResult(part: unknown): boolean
}

const contentOf = (message: unknown): unknown[] => {
  const content = fieldIn(message, 'content')
  return Array.isArray(content) ? content : []
}

/**
 * Whether the turn that a conversation ends in has called and begins without a thought. Claude's models that think on a budget
 * refuse it (Anthropic, "Extended thinking", tool use), though most clients do not send back what was thought.
 */
export function hasCalledUnthought(messages: unknown, { isThought, isResult }: PartKinds): boolean {
  const list: unknown[] = Array.isArray(messages) ? messages : []
  const answers = (message: unknown): boolean => fieldIn(message, 'role') === 'user' && contentOf(message).some(isResult)
  if (!answers(list.at(-1))) return false
  const asked = list.findLastIndex((message) => fieldIn(message, 'role') === 'user' && !answers(message))
  const [first] = contentOf(list[asked + 1])
  return !isThought(first)
}
