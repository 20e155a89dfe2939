import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from './vendor.ts'

/** A non-streaming answer of legacy completions. `usage: null` omits it. */
export const completionAnswer = (texts: string[], usage: object | null = usageOf(10, 5)) => ({
  id: 'cmpl-fake',
  object: 'text_completion',
  created: 1_700_000_000,
  model: 'upstream-model',
  choices: texts.map((text, index) => ({ index, text, logprobs: null, finish_reason: 'stop' })),
  ...(usage === null ? {} : { usage }),
})

/** A chunk of streamed completions. */
export const completionChunk = (text: string, finish: string | null = null, index = 0) => ({
  id: 'cmpl-fake',
  object: 'text_completion',
  created: 1_700_000_000,
  model: 'upstream-model',
  choices: [{ index, text, logprobs: null, finish_reason: finish }],
})

/** An embeddings answer with a vector for each text, in the requested encoding. */
export const embeddingsAnswer = (
  body: Record<string, unknown>,
  vectors: number[][],
  usage: object | null = { prompt_tokens: 8, total_tokens: 8 },
) => ({
  object: 'list',
  data: vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: body.encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
  })),
  model: 'upstream-model',
  ...(usage === null ? {} : { usage }),
})

/** The last message of a chat that a vendor received. */
export const lastMessage = ({ body }: Call): string => (body.messages as { content: string }[]).at(-1)?.content ?? ''

/** Answers a chat, streamed or whole as requested, with the pieces that `say` makes of its last message. */
export const sayChat =
  (say: (text: string) => string[]) =>
  (call: Call): void => {
    const pieces = say(lastMessage(call))
    const choices = Array.from({ length: Number(call.body.n ?? 1) }, (_, index) => index)
    const usage = usageOf(10, pieces.length * choices.length)
    if (call.body.stream !== true) {
      const answer = chatAnswer(pieces.join(''), usage)
      sendJson(call, { ...answer, choices: choices.map((index) => ({ ...answer.choices[0], index })) })
      return
    }
    startStream(call)
    for (const index of choices) sendEvent(call, chunkAt(index, null, { role: 'assistant', content: '' }))
    for (const piece of pieces) for (const index of choices) sendEvent(call, chunkAt(index, null, { content: piece }))
    for (const index of choices) sendEvent(call, chunkAt(index, 'stop', {}))
    for (const last of [usageChunk(usage), '[DONE]']) sendEvent(call, last)
    call.response.end()
  }

const chunkAt = (index: number, finish_reason: string | null, delta: object) => ({
  ...chatChunk(null),
  choices: [{ index, delta, logprobs: null, finish_reason }],
})
