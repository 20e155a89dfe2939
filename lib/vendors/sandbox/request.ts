import { isPlainObject } from '../../domain/is-plain-object.ts'
import { asList } from './schema-merge.ts'

export type Fields = Readonly<Record<string, unknown>>

export type AttachmentKind = 'image' | 'audio' | 'video' | 'file'

/** A part of a message that is not text. `bytes` is null if only a URL came. */
export interface Attachment {
  kind: AttachmentKind
  label: string
  bytes: number | null
}

/** One message, as far as the sandbox understands it. `text` has its text parts, one per line. */
export interface Message {
  role: string
  name: string
  text: string
  attachments: Attachment[]
  calls: { id: string; name: string; input: string }[]
  /** The id of the call that a tool message answers, or ''. */
  answers: string
}

/** Something that the model may call. `parameters` is a JSON schema, or undefined if it takes none. */
export interface Tool {
  kind: 'function' | 'custom'
  name: string
  parameters: unknown
}

export interface ToolChoice {
  mode: 'none' | 'auto' | 'required'
  /** The only tools that may be called; null means all of them. */
  only: string[] | null
}

/** The format that is asked for: text, any JSON object, or what a JSON schema describes. */
export type Format = { kind: 'text' } | { kind: 'object' } | { kind: 'schema'; schema: unknown }

/** A request, read leniently: the gateway has checked it, and odd input still gets an answer. */
export interface ChatRequest {
  messages: Message[]
  tools: Tool[]
  toolChoice: ToolChoice
  parallelCalls: boolean
  format: Format
  stop: string[]
  /** How many alternatives per token to report; null if no log probabilities are asked for. */
  topLogprobs: number | null
}

export const fields = (value: unknown): Fields => (isPlainObject(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The size in bytes of base64 data, without decoding it. */
function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.floor(((data.length - padding) * 3) / 4)
}

/** The type and size of the content of a `data:` URL; null for other URLs. */
function readDataUrl(url: string): { type: string; bytes: number } | null {
  if (!/^data:/i.test(url)) return null
  const comma = url.indexOf(',')
  const head = url.slice(5, Math.max(5, Math.min(comma, 256)))
  const data = url.slice(comma + 1)
  return {
    type: /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(head)?.[0] ?? 'unknown type',
    bytes: /;base64$/i.test(head) ? base64Bytes(data) : Buffer.byteLength(data),
  }
}

function urlAttachment(kind: AttachmentKind, url: string): Attachment {
  const data = readDataUrl(url)
  return data ? { kind, label: data.type, bytes: data.bytes } : { kind, label: 'by address', bytes: null }
}

function readFile(file: Fields): Attachment {
  const data = text(file.file_data)
  const inUrl = readDataUrl(data)
  const label = [text(file.filename).slice(0, 40), inUrl?.type ?? ''].filter((part) => part !== '').join(', ')
  return { kind: 'file', label, bytes: inUrl?.bytes ?? base64Bytes(data) }
}

function readAttachment(part: Fields): Attachment | null {
  if (part.type === 'image_url') return urlAttachment('image', text(fields(part.image_url).url))
  if (part.type === 'video_url') return urlAttachment('video', text(fields(part.video_url).url))
  if (part.type === 'file') return readFile(fields(part.file))
  if (part.type !== 'input_audio') return null
  const audio = fields(part.input_audio)
  return { kind: 'audio', label: text(audio.format).slice(0, 16), bytes: base64Bytes(text(audio.data)) }
}

function readMessage(value: unknown): Message {
  const message = fields(value)
  const parts = asList(message.content).map(fields)
  const texts = parts
    .filter((part) => part.type === 'text' || part.type === 'refusal')
    .map((part) => text(part.text ?? part.refusal))
  return {
    role: text(message.role),
    name: text(message.name),
    text: typeof message.content === 'string' ? message.content : texts.join('\n'),
    attachments: parts.map(readAttachment).filter((found) => found !== null),
    calls: asList(message.tool_calls).map((call) => {
      const { id, function: called, custom } = fields(call)
      const { name, arguments: input, input: free } = { ...fields(called), ...fields(custom) } as Fields
      return { id: text(id), name: text(name), input: text(input ?? free) }
    }),
    answers: text(message.tool_call_id),
  }
}

function readTool(value: unknown): Tool[] {
  const { type, function: called, custom } = fields(value)
  const kind = type === 'custom' ? 'custom' : 'function'
  const { name, parameters } = fields(kind === 'custom' ? custom : called)
  return typeof name === 'string' ? [{ kind, name, parameters: parameters ?? undefined }] : []
}

function readToolChoice(value: unknown): ToolChoice {
  if (value === 'none' || value === 'required') return { mode: value, only: null }
  const { type, function: called, custom, allowed_tools: allowed } = fields(value)
  if (type === 'allowed_tools') {
    const names = asList(fields(allowed).tools)
      .flatMap(readTool)
      .map((tool) => tool.name)
    return { mode: fields(allowed).mode === 'required' ? 'required' : 'auto', only: names }
  }
  const { name } = fields(type === 'custom' ? custom : called)
  return typeof name === 'string' ? { mode: 'required', only: [name] } : { mode: 'auto', only: null }
}

function readFormat(value: unknown): Format {
  const { type, json_schema: described } = fields(value)
  if (type === 'json_object') return { kind: 'object' }
  return type === 'json_schema' ? { kind: 'schema', schema: fields(described).schema ?? { type: 'object' } } : { kind: 'text' }
}

/** Reads the body of POST /v1/chat/completions. */
export function readChat(body: Fields): ChatRequest {
  return {
    messages: asList(body.messages).map(readMessage),
    tools: asList(body.tools).flatMap(readTool),
    toolChoice: readToolChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: readFormat(body.response_format),
    stop: [body.stop].flat().filter((stop) => typeof stop === 'string' && stop !== '') as string[],
    topLogprobs: body.logprobs === true ? Math.min(20, Math.max(0, Number(body.top_logprobs) || 0)) : null,
  }
}

/** The last user message; undefined if there is none. */
export const lastUserMessage = (request: ChatRequest): Message | undefined =>
  request.messages.findLast((message) => message.role === 'user')

/**
 * The tool results at the end of a conversation, and what they have besides text: in a chat, this is in user messages behind
 * them, which have more than text.
 */
export function lastToolResults({ messages }: ChatRequest): { results: Message[]; attachments: Attachment[] } {
  const shownIndex = messages.findLastIndex(({ role, attachments }) => role !== 'user' || attachments.length === 0) + 1
  const resultIndex = messages.slice(0, shownIndex).findLastIndex(({ role }) => role !== 'tool') + 1
  return {
    results: messages.slice(resultIndex, shownIndex),
    attachments: messages.slice(shownIndex).flatMap(({ attachments }) => attachments),
  }
}
