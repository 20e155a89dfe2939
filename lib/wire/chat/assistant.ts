import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { refuseField } from '../../domain/errors.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import type { LanguageCapabilities } from '../../domain/language.ts'
import type { JsonObject } from '../json.ts'
import { argumentsOfCustomCall } from './custom-tools.ts'
import { cacheMarkAtEnd, isBlank, markEnd, type PromptNotes, sanitizeCallId } from './prompt-helpers.ts'
import type { ChatBody } from './schema.ts'
import { readCallSignature, readSignedThoughts, type SignedThought } from './signed-reasoning.ts'

type Assistant = Extract<ChatBody['messages'][number], { role: 'assistant' }>
type Call = NonNullable<Assistant['tool_calls']>[number]
type Part = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

/**
 * An assistant's message in the AI SDK's form. What the vendor signed goes back to where it was, byte for byte, because vendors
 * check that. Throws a 400 if a call cannot be carried.
 */
export function assistantParts(message: Assistant, path: string, skills: LanguageCapabilities, notes: PromptNotes): Part[] {
  if (message.function_call != null) throw refuseField(`${path}.function_call`, 'This model accepts calls only as "tool_calls".')
  const thoughts = readSignedThoughts(message.reasoning_details, skills)
  const calls = (message.tool_calls ?? []).map((call) => callPart(call, skills, notes))
  const { content } = message
  const parts: Part[] = textParts(fullTextOf(message), thoughts)
  const last = parts.findLast((part) => part.type === 'text')
  if (last) Object.assign(last, cacheMarkAtEnd(content ?? '', skills, notes))
  calls.forEach((call, index) => {
    if (index > 0) parts.push(...thoughtsAt(thoughts, index))
    parts.push(call)
  })
  for (const thought of thoughts)
    if (thought.kind === 'thought' && thought.at.calls > 0 && thought.at.calls >= calls.length) parts.push(reasoning(thought))
  return parts
}

function fullTextOf({ content, refusal }: Assistant): string {
  const contentText = typeof content === 'string' ? content : (content ?? []).map(partText).join('')
  return contentText + (refusal ?? '')
}

const partText = (part: { type: string; text?: unknown; refusal?: unknown }): string => String(part.text ?? part.refusal ?? '')

type Thought = Extract<SignedThought, { kind: 'thought' }>

const reasoning = ({ text, options }: Thought): LanguageModelV4ReasoningPart => ({
  type: 'reasoning',
  text,
  providerOptions: options,
})

const thoughtsAt = (thoughts: readonly SignedThought[], calls: number): Part[] =>
  thoughts.flatMap((item) => (item.kind === 'thought' && item.at.calls === calls ? [reasoning(item)] : []))

/** The text, split where there were thoughts in it and where a signature begins or ends. */
function textParts(text: string, thoughts: readonly SignedThought[]): Part[] {
  const clampToText = (at: number) => Math.min(at, text.length)
  const leading = thoughts.filter((item) => item.kind === 'thought' && item.at.calls === 0) as Thought[]
  const signed = thoughts.flatMap((item) => (item.kind === 'text' ? [item] : []))
  const edges = [
    0,
    text.length,
    ...leading.map(({ at }) => clampToText(at.text)),
    ...signed.flatMap(({ from, to }) => [clampToText(from), clampToText(to)]),
  ]
  const cuts = [...new Set(edges)].sort((a, b) => a - b)
  const parts: Part[] = []
  cuts.forEach((cut, index) => {
    for (const thought of leading) if (clampToText(thought.at.text) === cut) parts.push(reasoning(thought))
    for (const { from, to, options } of signed)
      if (clampToText(from) === cut && clampToText(to) === cut) parts.push(textPart('', options))
    const next = cuts[index + 1]
    if (next === undefined) return
    const signedSpan = signed.find(({ from, to }) => clampToText(from) === cut && clampToText(to) === next)
    const piece = text.slice(cut, next)
    if (signedSpan || !isBlank(piece)) parts.push(textPart(piece, signedSpan?.options))
  })
  return parts
}

const textPart = (text: string, options: SharedV4ProviderOptions | undefined): LanguageModelV4TextPart => ({
  type: 'text',
  text,
  ...(options ? { providerOptions: options } : {}),
})

function callPart(call: Call, skills: LanguageCapabilities, notes: PromptNotes): LanguageModelV4ToolCallPart {
  const isFunction = call.type === 'function'
  const providerOptions = readCallSignature(call as JsonObject, skills)
  const part: LanguageModelV4ToolCallPart = {
    type: 'tool-call',
    toolCallId: sanitizeCallId(call.id),
    toolName: isFunction ? call.function.name : call.custom.name,
    input: isFunction ? argumentsOf(call.function.arguments) : argumentsOfCustomCall(call.custom.input),
    ...(providerOptions ? { providerOptions } : {}),
  }
  markEnd([part], call.cache_control, skills, notes)
  return part
}

/**
 * The arguments of a call. A model's own mistake must not end its conversation, so arguments that are not a JSON object are
 * wrapped in one, as Anthropic's documentation of streamed calls recommends.
 */
function argumentsOf(text: string): object {
  let value: unknown
  try {
    value = text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    value = null
  }
  return isPlainObject(value) ? value : { INVALID_JSON: text }
}
