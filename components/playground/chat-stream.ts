import { type CitedPage, citedPagesOf } from '../history/cited-pages.ts'
import { asRecord, asText, type Json, type JsonRecord } from '../history/json.ts'
import type { Answer, ToolCall } from './chat-types.ts'
import { withUsage } from './figures.ts'

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** Adds a piece to the call with its index. Its id and name arrive once, its arguments in pieces. */
function withCall(calls: ToolCall[], piece: Json): ToolCall[] {
  const callDelta = asRecord(piece)
  if (callDelta === null) return calls
  const index = typeof callDelta.index === 'number' ? callDelta.index : undefined
  const inner = asRecord(callDelta.function)
  const existing = index === undefined ? undefined : calls.find((call) => call.index === index)
  const current = existing ?? { id: '', name: '', arguments: '', result: null, extra: null }
  const call: ToolCall = {
    ...current,
    ...(index === undefined ? {} : { index }),
    id: asText(callDelta.id) || current.id || `call_${index ?? calls.length}`,
    name: current.name + (asText(inner?.name) ?? ''),
    arguments: current.arguments + (asText(inner?.arguments) ?? ''),
    extra: callDelta.extra_content ?? current.extra,
  }
  return existing === undefined ? [...calls, call] : calls.map((each) => (each === existing ? call : each))
}

/** The images in a delta. Those that are only an address are not shown. */
const imagesIn = (delta: JsonRecord | null): string[] =>
  list(delta?.images).flatMap((image) => {
    const url = asText(asRecord(asRecord(image)?.image_url)?.url) ?? ''
    return /^data:image\//i.test(url) ? [url] : []
  })

const withPages = (known: CitedPage[], found: CitedPage[]): CitedPage[] => [
  ...known,
  ...found.filter(({ url }) => known.every((page) => page.url !== url)),
]

/** Adds a chunk of the stream to an answer. Only the first choice is read, because only one is requested. */
export function withChunk(answer: Answer, chunk: JsonRecord): Answer {
  const choice = asRecord(list(chunk.choices)[0])
  const delta = asRecord(choice?.delta)
  const reasoning = answer.reasoning + (asText(delta?.reasoning_content) ?? asText(delta?.reasoning) ?? '')
  const figures = withUsage(answer.figures, chunk.usage)
  const images = imagesIn(delta)
  const pages = citedPagesOf({ annotations: delta?.annotations ?? null })
  return {
    ...answer,
    text: answer.text + (asText(delta?.content) ?? asText(delta?.refusal) ?? ''),
    reasoning,
    thoughts: [...answer.thoughts, ...list(delta?.reasoning_details)],
    calls: list(delta?.tool_calls).reduce<ToolCall[]>(withCall, answer.calls),
    ...(images.length === 0 ? {} : { images: [...(answer.images ?? []), ...images] }),
    ...(pages.length === 0 ? {} : { pages: withPages(answer.pages ?? [], pages) }),
    finish: asText(choice?.finish_reason) ?? answer.finish,
    figures: reasoning === '' ? figures : { ...figures, hiddenTokens: 0 },
  }
}

/** Whether a chunk contains something visible to the reader. */
export function isFirstToken(chunk: JsonRecord): boolean {
  const delta = asRecord(asRecord(list(chunk.choices)[0])?.delta)
  const visibleTexts = [delta?.content, delta?.refusal, delta?.reasoning_content, delta?.reasoning]
  return (
    visibleTexts.some((value) => (asText(value) ?? '') !== '') || list(delta?.tool_calls).length > 0 || imagesIn(delta).length > 0
  )
}
