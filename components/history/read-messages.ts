/**
 * Reads messages from a stored request and response of any endpoint. Nothing here may fail: an unknown shape is shown as its
 * JSON.
 */
import { type CitedPage, citedPagesOf } from './cited-pages.ts'
import { asRecord, asText, formatJson, type Json, type JsonRecord } from './json.ts'

export type Media = 'image' | 'audio' | 'video' | 'file'
export type Part =
  | { kind: 'text' | 'reasoning' | 'refusal'; text: string }
  | { kind: 'call'; name: string; text: string }
  | { kind: 'media'; media: Media; note: string; kept?: StoredResult }
  | { kind: 'pages'; pages: CitedPage[] }
  | { kind: 'vectors'; count: number; dimensions: number | null }
  /** A text that was sent as token numbers. */
  | { kind: 'tokens'; count: number }
  /** Texts that are not shown. */
  | { kind: 'more'; count: number }
  | { kind: 'json'; text: string }

/** The address of a kept result, and its expiry in milliseconds since 1970. */
export interface StoredResult {
  url: string
  untilMs: number
}

/** A message of one role: `user`, `assistant`, `system`, `tool` or whatever the API calls it. */
export interface Turn {
  role: string
  parts: Part[]
}

const NOTE_LENGTH = 120
/** How many texts of one request are shown: an embeddings request may have thousands. */
const MAX_TEXTS = 20

const jsonPart = (value: Json): Part => ({ kind: 'json', text: formatJson(value) })
const turn = (role: string, ...parts: Part[]): Turn => ({ role, parts })
const textTurn = (role: string, words: string): Turn => turn(role, { kind: 'text', text: words })

/** The placeholder of an image or audio: its address, or the server's note of it, never the data itself. */
function mediaPart(media: Media, value: Json): Part {
  const inner = asRecord(value)
  const found = asText(value) ?? (inner && (asText(inner.url) ?? asText(inner.filename) ?? asText(inner.format))) ?? null
  const note = found ?? (value === null ? '' : JSON.stringify(value))
  return { kind: 'media', media, note: note.length > NOTE_LENGTH ? `${note.slice(0, NOTE_LENGTH)}…` : note }
}

const mediaTypes: Record<string, [Media, string]> = {
  image_url: ['image', 'image_url'],
  input_image: ['image', 'image_url'],
  input_audio: ['audio', 'input_audio'],
  file: ['file', 'file'],
  input_file: ['file', 'filename'],
  video_url: ['video', 'video_url'],
}

function readPart(value: Json): Part {
  const plain = asText(value)
  if (plain !== null) return { kind: 'text', text: plain }
  const part = asRecord(value)
  if (part === null) return jsonPart(value)
  const type = asText(part.type) ?? ''
  const media = mediaTypes[type]
  if (media) return mediaPart(media[0], part[media[1]] ?? part.file_id ?? null)
  if (type === 'refusal') return { kind: 'refusal', text: asText(part.refusal) ?? '' }
  const words = asText(part.text)
  if (words === null) return jsonPart(value)
  return { kind: type.startsWith('reasoning') || type === 'summary_text' ? 'reasoning' : 'text', text: words }
}

function readContent(content: Json | undefined): Part[] {
  if (content === undefined || content === null || content === '') return []
  return Array.isArray(content) ? content.map(readPart) : [readPart(content)]
}

/** The arguments of a tool call are JSON in a string. If they are not, they are shown as they are. */
function readArguments(value: Json | undefined): string {
  const words = asText(value)
  if (words === null) return value === undefined ? '' : formatJson(value)
  try {
    return formatJson(JSON.parse(words) as Json)
  } catch {
    return words
  }
}

function readCall(value: Json): Part {
  const call = asRecord(value)
  const inner = call && (asRecord(call.function) ?? asRecord(call.custom) ?? call)
  if (inner === null) return jsonPart(value)
  return { kind: 'call', name: asText(inner.name) ?? '', text: readArguments(inner.arguments ?? inner.input) }
}

function readMessage(message: JsonRecord, role: string): Turn {
  const reasoning = asText(message.reasoning_content) ?? asText(message.reasoning)
  const refusal = asText(message.refusal)
  // The older API had a single call per message.
  const single = asRecord(message.function_call)
  const calls = [...(Array.isArray(message.tool_calls) ? message.tool_calls : []), ...(single ? [single] : [])]
  // What a chat model made.
  const images = Array.isArray(message.images) ? message.images : []
  const pages = citedPagesOf(message)
  const parts: Part[] = [
    ...(reasoning ? [{ kind: 'reasoning' as const, text: reasoning }] : []),
    ...readContent(message.content),
    ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...images.map((image) => mediaPart('image', asRecord(image)?.image_url ?? image)),
    ...(pages.length > 0 ? [{ kind: 'pages' as const, pages }] : []),
    ...calls.map(readCall),
  ]
  return turn(asText(message.role) ?? role, ...parts)
}

/** Calls of tools that a vendor defines. */
const vendorDefinedCalls: ReadonlySet<string> = new Set([
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'tool_search_call',
  'web_search_call',
])

/** One item of the Responses format: a message, a call, its output, or reasoning. */
function readItem(value: Json, role: string): Turn {
  const item = asRecord(value)
  if (item === null) return turn(role, readPart(value))
  const type = asText(item.type) ?? 'message'
  if (type === 'function_call' || type === 'custom_tool_call') return turn('assistant', readCall(item))
  if (type === 'image_generation_call') return turn('assistant', mediaPart('image', item.result ?? null))
  if (vendorDefinedCalls.has(type))
    return turn('assistant', {
      kind: 'call',
      name: type.replace(/_call$/, ''),
      text: formatJson(item.action ?? item.operation ?? item.arguments ?? null),
    })
  if (type === 'tool_search_output') return turn('tool', jsonPart(item.tools ?? null))
  if (type === 'additional_tools') return turn('developer', jsonPart(item.tools ?? null))
  if (type.endsWith('_call_output')) return turn('tool', ...readContent(item.output))
  if (type === 'reasoning') {
    const parts = [...readContent(item.summary), ...readContent(item.content)]
    return turn('assistant', ...parts.map((part) => (part.kind === 'text' ? { ...part, kind: 'reasoning' as const } : part)))
  }
  return type === 'message' ? readMessage(item, role) : turn(role, jsonPart(value))
}

/** All the given values in one list. A value that is a list itself adds its items. */
const asList = (...values: (Json | undefined)[]): Json[] => values.flat().filter((value) => value !== undefined && value !== null)

const nonEmptyTurns = (turns: Turn[]): Turn[] => turns.filter(({ parts }) => parts.length > 0)
const readItems = (value: Json, role: string): Turn[] =>
  (Array.isArray(value) ? value : [value]).map((item) => readItem(item, role))

const isTokens = (value: Json): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number')
const readText = (value: Json): Part =>
  Array.isArray(value) ? { kind: 'tokens', count: value.length } : { kind: 'text', text: asText(value) ?? '' }

/** Texts to complete or to embed, or their tokens. Null if the value is something else. */
function readTexts(value: Json): Turn[] | null {
  const list = Array.isArray(value) && !isTokens(value) ? value : [value]
  if (!list.every((item) => typeof item === 'string' || isTokens(item))) return null
  const shown = list.slice(0, MAX_TEXTS).map(readText)
  const rest = list.length - shown.length
  return [turn('user', ...shown, ...(rest > 0 ? [{ kind: 'more' as const, count: rest }] : []))]
}

const readInput = (value: Json | undefined): Turn[] =>
  value === undefined || value === null ? [] : (readTexts(value) ?? readItems(value, 'user'))

/** Reads the messages of a request. */
export function readRequest(body: Json): Turn[] {
  const request = asRecord(body)
  if (request === null) return [turn('user', jsonPart(body))]
  const instructions = asText(request.instructions)
  const turns = [
    ...(instructions ? [textTurn('system', instructions)] : []),
    ...(Array.isArray(request.messages) ? readItems(request.messages, 'user') : []),
    ...readInput(request.input),
    // Audio to transcribe.
    ...(asText(request.file) === null ? [] : [turn('user', mediaPart('audio', request.file ?? null))]),
    ...asList(request.image, request.mask).map((item) => turn('user', mediaPart('image', item))),
    ...readInput(request.prompt),
    ...(asText(request.suffix) ? [textTurn('suffix', asText(request.suffix) ?? '')] : []),
  ]
  return nonEmptyTurns(turns).length > 0 ? nonEmptyTurns(turns) : [turn('user', jsonPart(body))]
}

function readChoice(value: Json): Turn {
  const choice = asRecord(value)
  const message = choice && asRecord(choice.message)
  if (message) return readMessage(message, 'assistant')
  return turn('assistant', ...readContent(choice?.text ?? value))
}

/** The history keeps only the number of dimensions of a vector, not its numbers: `[1536 numbers]`. */
function dimensionsOf(entry: Json | undefined): number | null {
  const [, numbers] = /^\[(\d+) numbers\]$/.exec(asText(asRecord(entry)?.embedding) ?? '') ?? []
  return numbers === undefined ? null : Number(numbers)
}

function readData(data: Json[]): Turn {
  const vectors = data.filter((entry) => asRecord(entry)?.embedding !== undefined)
  if (vectors.length > 0)
    return turn('assistant', { kind: 'vectors', count: vectors.length, dimensions: dimensionsOf(vectors[0]) })
  return turn('assistant', ...data.map(readGeneratedImage))
}

/** A generated image: what is known about it, its address until that expires, and the prompt as the model used it. */
function readGeneratedImage(value: Json): Part {
  const entry = asRecord(value)
  const kept = readStoredResult(entry?.url)
  const part = mediaPart('image', (kept && entry?.b64_json) || (entry?.url ?? entry?.b64_json ?? value))
  return kept && part.kind === 'media' ? { ...part, kept } : part
}

/** Reads the address of a result, which states when it expires. Any other address is not from this gateway and is not opened. */
function readStoredResult(value: Json | undefined): StoredResult | null {
  const url = asText(value)
  if (url === null || !/^https?:\/\//.test(url) || !URL.canParse(url)) return null
  const { pathname, searchParams } = new URL(url)
  const expires = searchParams.get('expires') ?? ''
  return pathname.includes('/files/') && /^\d{1,12}$/.test(expires) ? { url, untilMs: Number(expires) * 1000 } : null
}

/** A video with the address that it has until it expires, or why there is none. */
function readVideo(answer: JsonRecord): Turn {
  const errorMessage = asText(answer.error)
  if (errorMessage !== null) return textTurn('assistant', errorMessage)
  const [kept, seconds] = [readStoredResult(answer.video_url), answer.duration]
  const part: Part = { kind: 'media', media: 'video', note: typeof seconds === 'number' ? `${seconds} s` : '' }
  return turn('assistant', kept ? { ...part, kept } : part)
}

/** Reads the messages of a response. */
export function readAnswer(body: Json): Turn[] {
  const answer = asRecord(body)
  if (answer === null) return [turn('assistant', readPart(body))]
  const lists: [Json | undefined, (list: Json[]) => Turn[]][] = [
    [answer.choices, (list) => list.map(readChoice)],
    [answer.output, (list) => readItems(list, 'assistant')],
    [answer.data, (list) => [readData(list)]],
  ]
  for (const [list, read] of lists) {
    const turns = Array.isArray(list) ? nonEmptyTurns(read(list)) : []
    if (turns.length > 0) return turns
  }
  if (answer.object === 'video.generation') return [readVideo(answer)]
  if (asText(answer.audio) !== null) return [turn('assistant', mediaPart('audio', answer.audio ?? null))]
  const words = asText(answer.text) ?? asText(asRecord(answer.error ?? null)?.message)
  return [words === null ? turn('assistant', jsonPart(body)) : textTurn('assistant', words)]
}
