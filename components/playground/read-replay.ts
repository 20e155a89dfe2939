import { asRecord, asText, formatJson, type Json, type JsonRecord } from '../history/json.ts'
import { newUuid } from '../new-uuid.ts'
import { FORMATS, NO_PARAMS, type Params } from './chat-params.ts'
import type { Answer, Exchange, PromptImage, ToolCall } from './chat-types.ts'
import { newAnswer } from './new-answer.ts'

/** A request from the history, in the form of the chat. */
export interface Replay {
  model: string
  system: string
  exchanges: Exchange[]
  params: Params
  /** Media of which only a digest was kept, as the history notes them. */
  missing: string[]
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

interface Content {
  text: string
  pictures: PromptImage[]
  missing: string[]
}

/** The text and images of a message. Other content was kept as a note or cannot be sent from this page. */
function readContent(content: Json | undefined): Content {
  const plain = asText(content)
  if (plain !== null) return { text: plain, pictures: [], missing: [] }
  const read: Content = { text: '', pictures: [], missing: [] }
  for (const value of list(content)) {
    const part = asRecord(value)
    const partText = asText(part?.text) ?? asText(part?.refusal)
    const url = asText(asRecord(part?.image_url)?.url)
    if (partText !== null) read.text += `${read.text === '' ? '' : '\n\n'}${partText}`
    else if (url !== null && /^(https?:\/\/|data:image\/)/i.test(url)) read.pictures.push({ id: newUuid(), name: '', url })
    else read.missing.push(url ?? asText(part?.type) ?? 'media')
  }
  return read
}

const readCall = (value: Json, place: number): ToolCall => {
  const call = asRecord(value)
  const inner = asRecord(call?.function)
  return {
    id: asText(call?.id) ?? `call_${place}`,
    name: asText(inner?.name) ?? '',
    arguments: asText(inner?.arguments) ?? '',
    result: null,
    extra: call?.extra_content ?? null,
  }
}

const readAnswer = (message: JsonRecord, model: string): Answer =>
  newAnswer(model, {
    state: 'done',
    text: readContent(message.content).text,
    thoughts: list(message.reasoning_details),
    calls: list(message.tool_calls).map(readCall),
  })

function readParams(request: JsonRecord): Params {
  const numberText = (value: Json | undefined) => (typeof value === 'number' ? String(value) : '')
  const format = asRecord(request.response_format)
  const schema = asRecord(format?.json_schema)?.schema
  const effort = asText(request.reasoning_effort)
  const search = asRecord(request.web_search_options)
  return {
    ...NO_PARAMS,
    temperature: numberText(request.temperature),
    topP: numberText(request.top_p),
    maxTokens: numberText(request.max_tokens ?? request.max_completion_tokens),
    stop: typeof request.stop === 'string' ? request.stop : list(request.stop).join('\n'),
    seed: numberText(request.seed),
    ...(effort === 'minimal' || effort === 'low' || effort === 'medium' || effort === 'high' ? { effort } : {}),
    ...(list(request.modalities).includes('image') ? { output: 'images' as const } : {}),
    ...(search === null ? {} : { search: 'web' as const, searchOptions: search }),
    format: FORMATS.find((name) => name === format?.type) ?? 'text',
    schema: schema === undefined ? '' : formatJson(schema),
    tools: list(request.tools).length === 0 ? '' : formatJson(request.tools ?? null),
  }
}

/**
 * Reads the stored body of a chat request back into a chat. Null if it is not one. Content that only programs can send (audio,
 * files, parameters that the page does not have) is left out. Media of which only a digest was kept are named.
 */
export function readReplay(body: Json): Replay | null {
  const request = asRecord(body)
  if (request === null || !Array.isArray(request.messages)) return null
  const model = asText(request.model) ?? ''
  const replay: Replay = { model, system: '', exchanges: [], params: readParams(request), missing: [] }
  const open = (prompt: Exchange['prompt']) => replay.exchanges.push({ id: newUuid(), prompt, lanes: [] })
  for (const value of request.messages) {
    const message = asRecord(value)
    if (message === null) continue
    const { text: messageText, pictures, missing } = readContent(message.content)
    replay.missing.push(...missing)
    if (message.role === 'system' || message.role === 'developer') {
      replay.system += `${replay.system === '' ? '' : '\n\n'}${messageText}`
    } else if (message.role === 'user') {
      open({ text: messageText, pictures })
    } else {
      if (replay.exchanges.length === 0) open({ text: '', pictures: [] })
      const exchange = replay.exchanges.at(-1) as Exchange
      exchange.lanes[0] ??= []
      if (message.role === 'assistant') exchange.lanes[0].push(readAnswer(message, model))
      const call = exchange.lanes[0].at(-1)?.calls.find(({ id }) => id === message.tool_call_id)
      if (message.role === 'tool' && call) call.result = messageText
    }
  }
  return replay
}
