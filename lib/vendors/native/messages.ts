import type { Fields } from '../vendor.ts'

/** What a vendor refuses in a chat's messages although OpenAI accepts it, or OpenAI's clients and our own answers contain it. */
export interface MessageRules {
  /** It does not know the role "developer". Such messages are sent as "system". */
  noDeveloper?: true
  /** It accepts a text only as one string, not in parts. */
  stringContentOnly?: true
  /** It refuses what only other vendors understand, such as their thoughts, which clients send back as they came. */
  noForeign?: true
  /** As `noForeign`, and it refuses fields that are null. */
  strict?: true
  /** It refuses a conversation with tool calls in which an assistant message lacks its thoughts. */
  requiresThoughts?: true
}

/** Thoughts, signatures and annotations of other vendors, which are not part of the conversation's words. */
const FOREIGN = new Set(['reasoning_content', 'reasoning_details', 'annotations', 'extra_content'])

/**
 * The thoughts that DeepSeek and Moonshot accept for a message that has none. Both think unless they are told not to, and require
 * their thoughts back together with tool calls, but most clients drop them. Neither accepts an empty text.
 */
const NO_THOUGHTS = ' '

/** A chat's messages in the form that a vendor accepts. None is lost, and a message that needs no change is the same object. */
export function messagesFor(messages: unknown, { requiresThoughts, ...rules }: MessageRules = {}): unknown {
  if (!Array.isArray(messages)) return messages
  const adapted = messages.map((message: Fields) => messageFor(message, rules))
  return requiresThoughts && adapted.some(hasCalls) ? adapted.map(withThoughts) : adapted
}

const hasCalls = ({ tool_calls: calls }: Fields): boolean => Array.isArray(calls) && calls.length > 0

const withThoughts = (message: Fields): Fields =>
  message.role === 'assistant' && !message.reasoning_content ? { ...message, reasoning_content: NO_THOUGHTS } : message

function messageFor(original: Fields, { noDeveloper, stringContentOnly, noForeign, strict }: MessageRules): Fields {
  const message = withoutEmptyCalls(original)
  const { role, content, tool_calls: calls } = message
  const changes: Record<string, unknown> = {}
  if (noDeveloper && role === 'developer') changes.role = 'system'
  // Cursor sends an empty list for a call without text. OpenAI refuses an empty list, and null means the same.
  if (role === 'assistant' && Array.isArray(content) && content.length === 0) changes.content = null
  else if (stringContentOnly && Array.isArray(content) && content.every(isText)) changes.content = content.map(textOf).join('')
  if (Array.isArray(calls) && calls.some(isEmpty)) changes.tool_calls = calls.map(withArguments)
  const changed = Object.keys(changes).length === 0 ? message : { ...message, ...changes }
  if (role !== 'assistant' || !(strict || (noForeign && hasForeignFields(changed)))) return changed
  return withoutForeignFields(changed, strict === true)
}

/** Drops an empty list of calls. OpenAI refuses it, but its own client leaves it in messages, and other servers send it. */
function withoutEmptyCalls(message: Fields): Fields {
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length > 0) return message
  const { tool_calls: _, ...rest } = message
  return rest
}

const isText = ({ type }: Fields): boolean => type === 'text' || type === 'refusal'
const textOf = ({ text, refusal }: Fields): string => String(text ?? refusal ?? '')

/** A call with empty arguments, as many models write it. Servers that read it back reject an empty text as invalid JSON. */
const isEmpty = ({ function: called }: { function?: Fields }): boolean => called?.arguments === ''
const withArguments = (call: { function?: Fields }): object =>
  isEmpty(call) ? { ...call, function: { ...call.function, arguments: '{}' } } : call

const isForeign = (name: string): boolean => FOREIGN.has(name)

const hasForeignFields = (message: Fields): boolean =>
  Object.keys(message).some(isForeign) ||
  (Array.isArray(message.tool_calls) && message.tool_calls.some((call: Fields) => Object.keys(call).some(isForeign)))

/** An assistant message without what only another vendor understands, and optionally without null fields. */
function withoutForeignFields(message: Fields, dropNulls: boolean): Fields {
  const { tool_calls: calls } = message
  const kept = Object.entries(message).filter(
    ([name, value]) => !isForeign(name) && (!dropNulls || value !== null || name === 'content'),
  )
  return {
    ...Object.fromEntries(kept),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(withoutForeignCallFields) } : {}),
  }
}

const withoutForeignCallFields = (call: Fields): Fields =>
  Object.fromEntries(Object.entries(call).filter(([name]) => !isForeign(name)))
