import { setTimeout as sleep } from 'node:timers/promises'
import { asBuffer } from '../domain/as-buffer.ts'
import { messageBegins, readError } from './correct-status.ts'
import type { AnswerBytes, Forward, ForwardCall, WireAnswer } from './vendor.ts'

/**
 * Alibaba's error messages for a model that answers only in streams, or only in streams while it thinks, which some of its
 * models do unless they are told not to. Servers in front of it pass on the same words.
 */
const STREAM_ONLY_ERROR = messageBegins(
  String.raw`(?:<400> \S+: )?(?:this model only supports? stream|\S*enable_thinking must be set to false for non-streaming)`,
)

/**
 * Posts chats as `post` does, but asks for a stream if a model answers in no other way. The reader of a whole chat then gathers
 * it from the stream. Such models are known, or their vendor says so with a 400, which is not billed. This is then remembered
 * for as long as the vendor object of the connection exists.
 */
export function withStreamFallback(post: Forward, known: RegExp | undefined): Forward {
  const found = new Set<string>()
  return async (call) => {
    const { upstreamModel } = call.deployment
    if (call.stream) return await post(call)
    if (found.has(upstreamModel) || known?.test(upstreamModel)) return untilDone(await post(asStream(call)))
    const answer = await post(call)
    if (answer.status !== 400) return answer
    const { text, replayable } = await readError(answer)
    if (!STREAM_ONLY_ERROR.test(text)) return replayable
    found.add(upstreamModel)
    return untilDone(await post(asStream(call)))
  }
}

/** How long to wait for the vendor to end the response, so that the socket can serve the next call. Then it is given up. */
const MAX_REST_MS = 1000

/** The answer up to its last event, so that its reader does not wait for what the vendor does with the connection afterwards. */
const untilDone = (answer: WireAnswer): WireAnswer => ({ ...answer, body: bytesUntilDone(answer.body) })

/** JSON text has no raw line breaks, so a match is an event. */
const DONE = /(?:^|[\r\n])data:[ \t]*\[DONE\]/

async function* bytesUntilDone(body: AnswerBytes): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  try {
    let tail = ''
    for (;;) {
      const { value, done } = await pieces.next()
      if (done) return
      yield value
      const text = tail + asBuffer(value).toString('latin1')
      if (DONE.test(text)) return await Promise.race([drain(pieces), sleep(MAX_REST_MS, undefined, { ref: false })])
      // The event may be split across two pieces.
      tail = text.slice(-16)
    }
  } finally {
    await pieces.return?.()
  }
}

/** Reads and discards what is left. */
async function drain(pieces: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await pieces.next()).done);
  } catch {
    // The answer was complete before it broke off.
  }
}

const asStream = (call: ForwardCall): ForwardCall => ({ ...call, stream: true, body: { ...call.body, stream: true } })
