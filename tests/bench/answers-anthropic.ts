import { STREAM_PIECES, TEXT } from './answers.ts'

/** The same answers in Anthropic's wire format, for a vendor behind the bridge. */
const MESSAGE = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'bench-upstream',
  stop_sequence: null,
}

export const ANTHROPIC_BODY = JSON.stringify({
  ...MESSAGE,
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 12, output_tokens: 100 },
})

const event = (type: string, more: object): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`)

export const ANTHROPIC_EVENTS: readonly Buffer[] = [
  event('message_start', {
    message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 12, output_tokens: 1 } },
  }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...STREAM_PIECES.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 100 } }),
  event('message_stop', {}),
]
