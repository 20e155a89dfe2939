import { type Json, type JsonRecord, record, text } from '../history/json.ts'
import type { Answer, ToolCall } from './chat-types.ts'
import { withUsage } from './figures.ts'

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** Adds a piece to the call with its index. Its id and name arrive once, its arguments in pieces. */
function withCall(calls: ToolCall[], piece: Json): ToolCall[] {
  const said = record(piece)
  if (said === null) return calls
  const index = typeof said.index === 'number' ? said.index : undefined
  const inner = record(said.function)
  const known = index === undefined ? undefined : calls.find((call) => call.index === index)
  const before = known ?? { id: '', name: '', arguments: '', result: null, extra: null }
  const call: ToolCall = {
    ...before,
    ...(index === undefined ? {} : { index }),
    id: text(said.id) || before.id || `call_${index ?? calls.length}`,
    name: before.name + (text(inner?.name) ?? ''),
    arguments: before.arguments + (text(inner?.arguments) ?? ''),
    extra: said.extra_content ?? before.extra,
  }
  return known === undefined ? [...calls, call] : calls.map((each) => (each === known ? call : each))
}

/** Adds a chunk of the stream to an answer. Only the first choice is read, because only one is requested. */
export function withChunk(answer: Answer, chunk: JsonRecord): Answer {
  const choice = record(list(chunk.choices)[0])
  const delta = record(choice?.delta)
  const reasoning = answer.reasoning + (text(delta?.reasoning_content) ?? text(delta?.reasoning) ?? '')
  const figures = withUsage(answer.figures, chunk.usage)
  return {
    ...answer,
    text: answer.text + (text(delta?.content) ?? text(delta?.refusal) ?? ''),
    reasoning,
    thoughts: [...answer.thoughts, ...list(delta?.reasoning_details)],
    calls: list(delta?.tool_calls).reduce<ToolCall[]>(withCall, answer.calls),
    finish: text(choice?.finish_reason) ?? answer.finish,
    figures: reasoning === '' ? figures : { ...figures, hiddenTokens: 0 },
  }
}

/** Whether a chunk contains something visible to the reader. */
export function isFirstToken(chunk: JsonRecord): boolean {
  const delta = record(record(list(chunk.choices)[0])?.delta)
  const words = [delta?.content, delta?.refusal, delta?.reasoning_content, delta?.reasoning]
  return words.some((value) => (text(value) ?? '') !== '') || list(delta?.tool_calls).length > 0
}
