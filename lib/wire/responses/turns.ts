import type { ChatBody } from '../chat/schema.ts'
import type { JsonObject } from '../json.ts'
import type { Context } from './context.ts'
import { type CallItem, type Item, isCall, isMessage, isOutput, type MessageItem, type ShownPart } from './items-schema.ts'
import { nameInChat } from './namespaces.ts'
import { type Kept, unpackKept } from './thoughts.ts'

type Message = ChatBody['messages'][number]

/** Chat messages, and for each the name of the item that it begins with. */
export interface Turns {
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
  field: Kept['field'] | null
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
 * vendor signed keeps its position. Instructions come first.
 */
export function turnsOf({ items, names }: Context, instructions: string | null): Turns {
  const turns: Turns = { messages: [], names: [] }
  const push = (message: Message, name: string) => {
    turns.messages.push(message)
    turns.names.push(name)
  }
  if (instructions) push({ role: 'system', content: instructions }, 'instructions')
  // Unsigned reasoning is shown again only to a model that still works on the same question.
  const question = items.findLastIndex((item) => isMessage(item) && item.role === 'user')
  let turn: Turn | null = null
  const end = () => {
    if (turn) pushTurn(turn, push)
    turn = null
  }
  items.forEach((item, index) => {
    const name = names[index] ?? 'input'
    if (!isAssistants(item)) {
      end()
      pushOther(item, name, push)
      return
    }
    if (turn?.closed && isMessage(item)) end()
    turn ??= newTurn(name)
    add(turn, item, index > question)
  })
  end()
  return turns
}

const isAssistants = (item: Item): boolean =>
  isMessage(item) ? item.role === 'assistant' : item.type === 'reasoning' || isCall(item)

function add(turn: Turn, item: Item, current: boolean): void {
  turn.closed = isMessage(item)
  if (isMessage(item)) turn.text.push(assistantText(item))
  else if (item.type === 'reasoning') addThoughts(turn, item, current)
  else if (isCall(item)) turn.calls.push(callOf(item))
}

const assistantText = ({ content }: MessageItem): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => ('text' in part ? String(part.text) : 'refusal' in part ? String(part.refusal) : '')).join('')

function addThoughts(turn: Turn, item: Extract<Item, { type: 'reasoning' }>, current: boolean): void {
  const kept = unpackKept(item.encrypted_content)
  if (!kept) return
  const at = { text: turn.text.join('').length, calls: turn.calls.length }
  for (const detail of kept.details ?? []) turn.details.push(placed(detail, at))
  Object.assign(turn.extras, kept.calls)
  if (!current || !kept.field) return
  turn.field ??= kept.field
  for (const part of item.summary ?? []) turn.thoughts.push(part.text)
}

/** Adds its position to a detail, unless that is the beginning. Spans of text have theirs already. */
function placed(detail: JsonObject, at: { text: number; calls: number }): JsonObject {
  if ('span' in detail) return detail
  const { position: _, ...rest } = detail
  return at.text === 0 && at.calls === 0 ? rest : { ...rest, position: at }
}

const callOf = (item: CallItem): JsonObject =>
  item.type === 'function_call'
    ? { id: item.call_id, type: 'function', function: { name: nameInChat(item), arguments: item.arguments } }
    : { id: item.call_id, type: 'custom', custom: { name: nameInChat(item), input: item.input } }

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

function pushOther(item: Item, name: string, push: (message: Message, name: string) => void): void {
  if (isMessage(item)) {
    const { role, content } = item
    // Servers that speak this wire know "system", but not all of them know "developer".
    if (role !== 'user') push({ role: 'system', content: assistantText(item) }, name)
    else push({ role, content: typeof content === 'string' ? content : content.map(userPart) }, name)
  } else if (isOutput(item)) push({ role: 'tool', tool_call_id: item.call_id, content: outputContent(item.output) }, name)
}

function userPart(part: ShownPart) {
  if (part.type === 'input_text') return { type: 'text' as const, text: part.text }
  if (part.type === 'input_image')
    return {
      type: 'image_url' as const,
      image_url: { url: part.image_url, ...(part.detail == null ? {} : { detail: part.detail }) },
    }
  const { filename, file_data, file_url } = part
  return { type: 'file' as const, file: { file_data: file_data ?? file_url ?? '', ...(filename == null ? {} : { filename }) } }
}

/**
 * Chats accept only texts here (`checkChat`). The other parts are kept for the request's size, which is the same for every way to
 * ask.
 */
function outputContent(output: string | readonly ShownPart[]): string {
  if (typeof output === 'string') return output
  const texts = output.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
  return texts.length === output.length ? texts.join('') : (output.map(userPart) as unknown as string)
}
