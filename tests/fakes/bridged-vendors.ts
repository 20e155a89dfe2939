import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { REFERENCE } from '../support/reference.ts'
import { type Call, sendEvent, sendJson, startStream } from './vendor.ts'

/** A non-streaming answer of Anthropic's. */
export const claudeAnswer = (content: object[], usage: object = {}, stop = 'end_turn') => ({
  id: 'msg_fake',
  type: 'message',
  role: 'assistant',
  model: 'upstream-model',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5, ...usage },
})

export const claudeText = (text: string) => ({ type: 'text', text })

/** The deltas in which Anthropic streams a block. */
function deltasOf(block: Record<string, unknown>): object[] {
  if (block.type === 'text') {
    const citations = (block.citations ?? []) as object[]
    return [...citations.map((citation) => ({ type: 'citations_delta', citation })), { type: 'text_delta', text: block.text }]
  }
  if (block.type === 'tool_use' || block.type === 'server_tool_use')
    return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  if (block.type !== 'thinking') return []
  return [
    { type: 'thinking_delta', thinking: block.thinking },
    { type: 'signature_delta', signature: block.signature },
  ]
}

function emptied(block: Record<string, unknown>): object {
  if (block.type === 'text') return { ...block, text: '', ...(block.citations ? { citations: [] } : {}) }
  if (block.type === 'tool_use' || block.type === 'server_tool_use') return { ...block, input: {} }
  return block.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : block
}

/** The same answer as Anthropic's events. */
export function claudeEvents(answer: ReturnType<typeof claudeAnswer>): object[] {
  const { content, usage, stop_reason, ...head } = answer
  const { output_tokens, output_tokens_details, server_tool_use, ...input } = usage as Record<string, unknown>
  const atEnd = { output_tokens, output_tokens_details, server_tool_use }
  return [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block as Record<string, unknown>) },
      ...deltasOf(block as Record<string, unknown>).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: atEnd },
    { type: 'message_stop' },
  ]
}

/** An answer or an event of Google's. */
export const geminiAnswer = (parts: object[], usage: object | null = {}, finish: string | null = 'STOP') => ({
  candidates: [{ content: { role: 'model', parts }, ...(finish === null ? {} : { finishReason: finish }), index: 0 }],
  ...(usage === null ? {} : { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15, ...usage } }),
  modelVersion: 'upstream-model',
  responseId: 'response-fake',
})

/** Google's stream has one part in each event. */
export const geminiEvents = (answer: ReturnType<typeof geminiAnswer>): object[] => {
  const [candidate] = answer.candidates
  const parts = candidate?.content.parts ?? []
  return parts.map((part, index) => {
    const last = index === parts.length - 1
    return last
      ? { ...answer, candidates: [{ ...candidate, content: { role: 'model', parts: [part] } }] }
      : geminiAnswer([part], null, null)
  })
}

/** Whether a vendor was asked for a stream. */
export const wantsStream = (call: Call): boolean => call.body.stream === true || call.path.includes(':streamGenerateContent')

export function sendEvents(call: Call, events: readonly (object | string)[]): void {
  startStream(call)
  for (const event of events) sendEvent(call, event)
  call.response.end()
}

/** Answers as Anthropic, streamed or whole as requested. */
export const respondClaude =
  (answer: ReturnType<typeof claudeAnswer>) =>
  (call: Call): void =>
    wantsStream(call) ? sendEvents(call, claudeEvents(answer)) : sendJson(call, answer)

/** Answers as Google, streamed or whole as requested. */
export const respondGemini =
  (answer: ReturnType<typeof geminiAnswer>) =>
  (call: Call): void =>
    wantsStream(call) ? sendEvents(call, geminiEvents(answer)) : sendJson(call, answer)

/** Recorded answers of vendors. They are stored next to the project, not in it. */
export const RECORDED_DIR = resolve(REFERENCE, 'recorded-vendor-responses')
export const recordedExists = existsSync(RECORDED_DIR)

/** Answers with a recorded file: `.json` as a whole, `.chunks.txt` as a stream of its lines. */
export const respondRecorded =
  (file: string, status = 200) =>
  (call: Call): void => {
    const text = readFileSync(resolve(RECORDED_DIR, file), 'utf8')
    if (file.endsWith('.json')) sendJson(call, JSON.parse(text), status)
    else
      sendEvents(
        call,
        text.split('\n').filter((line) => line.trim() !== ''),
      )
  }
