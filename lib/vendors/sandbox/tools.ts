import { type ChatRequest, lastToolResults, lastUserMessage, type Tool } from './request.ts'
import { makeValue } from './schema-value.ts'
import { shorten } from './tokens.ts'

/** A call that the simulated model makes. `input` is JSON for a function, free text for a custom tool. */
export interface PlannedCall {
  kind: Tool['kind']
  name: string
  input: string
}

const WORDS_TOKENS = 12

/** The text from which strings are generated: the user's words, shortened. */
export function promptWords(request: ChatRequest): string {
  const words = shorten(lastUserMessage(request)?.text ?? '', WORDS_TOKENS)
  return words === '' ? 'sandbox' : words
}

/** Whether a text, in lower case, contains a tool's name as a separate word. */
function mentionsTool(text: string, tool: Tool): boolean {
  const name = tool.name.toLowerCase()
  const isPart = (char: string | undefined): boolean => char !== undefined && /[\w-]/.test(char)
  for (let at = text.indexOf(name); name !== '' && at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true
  }
  return false
}

function chooseTools(request: ChatRequest): Tool[] {
  const { mode, only } = request.toolChoice
  const allowed = only === null ? request.tools : request.tools.filter(({ name }) => only.includes(name))
  const isAnswered = request.messages.at(-1)?.role !== 'user' || lastToolResults(request).results.length > 0
  if (mode === 'none' || (mode === 'auto' && isAnswered)) return []
  const userText = lastUserMessage(request)?.text.toLowerCase() ?? ''
  const named = allowed.filter((tool) => mentionsTool(userText, tool))
  const chosen = named.length > 0 ? named : allowed.slice(0, 1)
  return request.parallelCalls ? chosen : chosen.slice(0, 1)
}

function inputOf(tool: Tool, words: string): string {
  if (tool.kind === 'custom') return words
  // Arguments are an object even if the schema does not say so. References start at the tool's own schema.
  const schema = { allOf: [{ type: 'object' }, tool.parameters ?? true] }
  return JSON.stringify(makeValue(schema, words, tool.parameters) ?? {})
}

/**
 * The calls that answer a request: all tools that the user's text names, or else the first tool. None if the choice is "none",
 * or "auto" after anything but a user message, or after what tools returned.
 */
export function planCalls(request: ChatRequest): PlannedCall[] {
  const words = promptWords(request)
  return chooseTools(request).map((tool) => ({ kind: tool.kind, name: tool.name, input: inputOf(tool, words) }))
}
