import type { Fields } from '../vendor.ts'

/** What of a chat's messages a vendor refuses that OpenAI takes, or OpenAI's clients and this gateway's own answers have. */
export interface MessageRules {
  /** It knows no role "developer": what is said in it goes as "system". */
  noDeveloper?: true
  /** It takes texts whole, never in parts. */
  wholeTexts?: true
  /** It refuses fields that it does not know: those that answers of other models have, which clients send back as they came. */
  strict?: true
  /** It refuses a conversation with calls in it in which a message of an assistant lacks what was thought before it. */
  wantsThoughts?: true
}

/** What vendors thought and signed elsewhere, and what they found: no words of the conversation. */
const FOREIGN = new Set(['reasoning_content', 'reasoning_details', 'annotations', 'extra_content'])

/**
 * The thoughts of a message without any, as DeepSeek and Moonshot take them. Both think unless they are told not to, and want their
 * thoughts back with calls, which most clients drop; neither takes an empty text for them.
 */
const NO_THOUGHTS = ' '

/** A chat's messages as a vendor takes them. None is lost, and one that needs no change is the very same. */
export function messagesFor(messages: unknown, { wantsThoughts, ...rules }: MessageRules = {}): unknown {
  if (!Array.isArray(messages)) return messages
  const taken = messages.map((message: Fields) => messageFor(message, rules))
  return wantsThoughts && taken.some(hasCalls) ? taken.map(withThoughts) : taken
}

const hasCalls = ({ tool_calls: calls }: Fields): boolean => Array.isArray(calls) && calls.length > 0

const withThoughts = (message: Fields): Fields =>
  message.role === 'assistant' && !message.reasoning_content ? { ...message, reasoning_content: NO_THOUGHTS } : message

function messageFor(said: Fields, { noDeveloper, wholeTexts, strict }: MessageRules): Fields {
  const message = withoutNoCalls(said)
  const { role, content, tool_calls: calls } = message
  const changes: Record<string, unknown> = {}
  if (noDeveloper && role === 'developer') changes.role = 'system'
  // Cursor sends a call that nothing was said with so; OpenAI takes no empty list, and nothing is what it says.
  if (role === 'assistant' && Array.isArray(content) && content.length === 0) changes.content = null
  else if (wholeTexts && Array.isArray(content) && content.every(isText)) changes.content = content.map(textOf).join('')
  if (Array.isArray(calls) && calls.some(isEmpty)) changes.tool_calls = calls.map(withArguments)
  const changed = Object.keys(changes).length === 0 ? message : { ...message, ...changes }
  return strict && role === 'assistant' ? known(changed) : changed
}

/** No calls are none: OpenAI refuses an empty list of them, which its own client leaves in messages, and other servers answer with. */
function withoutNoCalls(message: Fields): Fields {
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length > 0) return message
  const { tool_calls: _, ...rest } = message
  return rest
}

const isText = ({ type }: Fields): boolean => type === 'text' || type === 'refusal'
const textOf = ({ text, refusal }: Fields): string => String(text ?? refusal ?? '')

/** A call without arguments, as many models write it; servers that read it back take an empty text for no JSON. */
const isEmpty = ({ function: called }: { function?: Fields }): boolean => called?.arguments === ''
const withArguments = (call: { function?: Fields }): object =>
  isEmpty(call) ? { ...call, function: { ...call.function, arguments: '{}' } } : call

/** An assistant's message without what says nothing, and without what only another vendor understands. */
function known(message: Fields): Fields {
  const { tool_calls: calls } = message
  const kept = Object.entries(message).filter(([name, value]) => !FOREIGN.has(name) && (value !== null || name === 'content'))
  return {
    ...Object.fromEntries(kept),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(callOf) } : {}),
  }
}

const callOf = (call: Fields): Fields => Object.fromEntries(Object.entries(call).filter(([name]) => !FOREIGN.has(name)))
