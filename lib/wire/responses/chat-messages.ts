import type { ChatBody } from '../chat/schema.ts'
import type { JsonObject } from '../json.ts'
import { attachmentMessage, outputText } from './attachments.ts'
import { callIdOf, functionCallOf, outputTextOf } from './client-run-items.ts'
import type { Context } from './context.ts'
import { unpackVendorState, type VendorState } from './encrypted-content.ts'
import { imageMessage } from './images.ts'
import {
  type CallItem,
  type ClientRunCall,
  type InputPart,
  type Item,
  isCall,
  isClientRunCall,
  isClientRunOutput,
  isMessage,
  isOutput,
  type MessageItem,
} from './items-schema.ts'
import { chatToolName } from './namespaces.ts'

type Message = ChatBody['messages'][number]

/** Chat messages, and for each the name of the item that it begins with. */
export interface NamedMessages {
  messages: Message[]
  names: string[]
}

/** An assistant's message that is being put together from consecutive items. */
interface Turn {
  name: string
  text: string[]
  calls: JsonObject[]
  details: JsonObject[]
  thoughts: string[]
  field: VendorState['field'] | null
  extras: Record<string, JsonObject>
  /** True if the last item was a message. Another one then becomes a message of its own. */
  closed: boolean
}

const newTurn = (name: string): Turn => ({
  name,
  text: [],
  calls: [],
  details: [],
  thoughts: [],
  field: null,
  // Clients choose the ids of calls, which may be the names of properties that every object has.
  extras: Object.create(null) as Turn['extras'],
  closed: false,
})

/**
 * Items as chat messages. What an assistant said, called and thought without interruption is one message. Reasoning that its
 * vendor signed keeps its position. Instructions come first. Images that a model made, and what calls returned besides text, come
 * after its turn, and after the outputs of its calls, because nothing else may be between these.
 */
export function toChatMessages({ items, names }: Context, instructions: string | null): NamedMessages {
  const turns: NamedMessages = { messages: [], names: [] }
  const push = (message: Message, name: string) => {
    turns.messages.push(message)
    turns.names.push(name)
  }
  if (instructions) push({ role: 'system', content: instructions }, 'instructions')
  // Unsigned reasoning is shown again only to a model that still works on the same question.
  const lastUserIndex = items.findLastIndex((item) => isMessage(item) && item.role === 'user')
  let turn: Turn | null = null
  let shown: [message: MessageItem, name: string][] = []
  const end = () => {
    if (turn) pushTurn(turn, push)
    turn = null
  }
  const pushShown = () => {
    for (const [message, name] of shown) pushNonAssistant(message, name, push)
    shown = []
  }
  items.forEach((item, index) => {
    const name = names[index] ?? 'input'
    // What was found is in the text that follows, and tools are none of the messages.
    if (item.type === 'web_search_call' || item.type === 'additional_tools') return
    if (item.type === 'image_generation_call') {
      const message = imageMessage(item)
      if (message) shown.push([message, within(name, 'result')])
      return
    }
    if (!isAssistantItem(item)) {
      end()
      if (isMessage(item)) pushShown()
      pushNonAssistant(item, name, push)
      const message = isOutput(item) ? attachmentMessage(item) : null
      if (message) shown.push([message, within(name, 'output')])
      return
    }
    if (turn?.closed && isMessage(item)) end()
    if (turn === null) pushShown()
    turn ??= newTurn(name)
    addItem(turn, item, index > lastUserIndex)
  })
  end()
  pushShown()
  return turns
}

/** The name of an item's field. Items that the request only refers to are named after what refers to them. */
const within = (name: string, field: string): string => (name.startsWith('input[') ? `${name}.${field}` : name)

const isAssistantItem = (item: Item): boolean =>
  isMessage(item) ? item.role === 'assistant' : item.type === 'reasoning' || isCall(item) || isClientRunCall(item)

function addItem(turn: Turn, item: Item, isCurrent: boolean): void {
  turn.closed = isMessage(item)
  if (isMessage(item)) turn.text.push(assistantText(item))
  else if (item.type === 'reasoning') addThoughts(turn, item, isCurrent)
  else if (isCall(item) || isClientRunCall(item)) turn.calls.push(callOf(item))
}

const assistantText = ({ content }: MessageItem): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => ('text' in part ? String(part.text) : 'refusal' in part ? String(part.refusal) : '')).join('')

function addThoughts(turn: Turn, item: Extract<Item, { type: 'reasoning' }>, isCurrent: boolean): void {
  const state = unpackVendorState(item.encrypted_content)
  if (!state) return
  const at = { text: turn.text.join('').length, calls: turn.calls.length }
  for (const detail of state.details ?? []) turn.details.push(withPosition(detail, at))
  Object.assign(turn.extras, state.calls)
  if (!isCurrent || !state.field) return
  turn.field ??= state.field
  for (const part of item.summary ?? []) turn.thoughts.push(part.text)
}

/** Adds its position to a detail, unless that is the beginning. Spans of text have theirs already. */
function withPosition(detail: JsonObject, at: { text: number; calls: number }): JsonObject {
  if ('span' in detail) return detail
  const { position: _, ...rest } = detail
  return at.text === 0 && at.calls === 0 ? rest : { ...rest, position: at }
}

const callOf = (item: CallItem | ClientRunCall): JsonObject =>
  isClientRunCall(item)
    ? functionCallOf(item)
    : item.type === 'function_call'
      ? { id: item.call_id, type: 'function', function: { name: chatToolName(item), arguments: item.arguments } }
      : { id: item.call_id, type: 'custom', custom: { name: chatToolName(item), input: item.input } }

function pushTurn(turn: Turn, push: (message: Message, name: string) => void): void {
  const text = turn.text.join('')
  // No vendor accepts a message that has only reasoning.
  if (text === '' && turn.calls.length === 0) return
  const calls = turn.calls.map((call) => {
    const extra = turn.extras[String(call.id)]
    // It arrived once and is sent once, however many calls have that id, because the hold counts it once.
    delete turn.extras[String(call.id)]
    return extra ? { ...call, extra_content: extra } : call
  })
  const thoughts = turn.thoughts.join('')
  const message: JsonObject = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(turn.field && thoughts !== '' ? { [turn.field]: thoughts } : {}),
    ...(turn.details.length > 0 ? { reasoning_details: turn.details } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  push(message as Message, turn.name)
}

function pushNonAssistant(item: Item, name: string, push: (message: Message, name: string) => void): void {
  if (isMessage(item)) {
    const { role, content } = item
    // Servers that speak this wire know "system", but not all of them know "developer".
    if (role !== 'user') push({ role: 'system', content: assistantText(item) }, name)
    else push({ role, content: typeof content === 'string' ? content : content.map(userPart) }, name)
  } else if (isOutput(item)) push({ role: 'tool', tool_call_id: item.call_id, content: outputText(item) }, name)
  else if (isClientRunOutput(item)) push({ role: 'tool', tool_call_id: callIdOf(item), content: outputTextOf(item) }, name)
}

function userPart(part: InputPart) {
  if (part.type === 'input_text') return { type: 'text' as const, text: part.text }
  if (part.type === 'input_image')
    return {
      type: 'image_url' as const,
      image_url: { url: part.image_url, ...(part.detail == null ? {} : { detail: part.detail }) },
    }
  const { filename, file_data, file_url } = part
  return { type: 'file' as const, file: { file_data: file_data ?? file_url ?? '', ...(filename == null ? {} : { filename }) } }
}
