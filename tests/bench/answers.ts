/** What the mock upstream answers, and what the gateway has to pass on. */

const CHUNKS = 100
const USAGE = { prompt_tokens: 12, completion_tokens: 100, total_tokens: 112 }
/** The content of a non-streaming answer. */
export const TEXT = 'A gateway that is paid for in advance, and adds next to nothing.'

/** The pieces of a stream. */
export const STREAM_PIECES = Array.from({ length: CHUNKS }, (_, at) => `word${at} `)
/** The content of a stream, all pieces joined. */
export const STREAM_TEXT = STREAM_PIECES.join('')

const HEAD = { created: 1_760_000_000, model: 'bench-upstream' }

/** The body of a non-streaming answer, as a vendor sends it. */
export const NON_STREAMING_BODY = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  ...HEAD,
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT, refusal: null }, logprobs: null, finish_reason: 'stop' }],
  usage: USAGE,
})

const event = (choices: object[], more: object = {}): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', ...HEAD, choices, ...more })}\n\n`)

/** The events of a stream: a role, the pieces of content, an end, the usage, and `[DONE]`. */
export const EVENTS: readonly Buffer[] = [
  event([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
  ...STREAM_PIECES.map((content) => event([{ index: 0, delta: { content }, finish_reason: null }])),
  event([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  event([], { usage: USAGE }),
  Buffer.from('data: [DONE]\n\n'),
]

/** Throws if an answer differs from what the mock upstream sent. */
export function checkAnswer(kind: 'whole' | 'stream', body: string): void {
  const content = kind === 'whole' ? JSON.parse(body).choices[0].message.content : joinStream(body)
  if (content !== (kind === 'whole' ? TEXT : STREAM_TEXT)) throw new Error(`an answer says something else: ${body.slice(0, 300)}`)
}

function joinStream(body: string): string {
  const events = body.split('\n\n').filter((text) => text.startsWith('data: '))
  if (events.at(-1) !== 'data: [DONE]') throw new Error('a stream does not end with its mark')
  return events
    .slice(0, -1)
    .map((text) => JSON.parse(text.slice(6)).choices[0]?.delta.content ?? '')
    .join('')
}
