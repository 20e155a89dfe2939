import { setTimeout as sleep } from 'node:timers/promises'
import { asBuffer } from '../domain/as-buffer.ts'
import { errorRead, messageBegins } from './misstated.ts'
import type { AnswerBytes, Forward, ForwardCall, WireAnswer } from './vendor.ts'

/**
 * How Alibaba says that a model answers in streams alone, and that it does so while it thinks, which some of its models do unless
 * they are told not to. Servers that stand before it say it in its words.
 */
const SAYS = messageBegins(
  String.raw`(?:<400> \S+: )?(?:this model only supports? stream|\S*enable_thinking must be set to false for non-streaming)`,
)

/**
 * Asks for chats as `post` does, and for a stream where a model answers in no other way: what reads a whole chat gathers it. Which
 * models do is known, or their vendor says it with a 400, which is billed to nobody; then it is remembered, as long as the connection is.
 */
export function inStreams(post: Forward, known: RegExp | undefined): Forward {
  const found = new Set<string>()
  return async (call) => {
    const { upstreamModel } = call.deployment
    if (call.stream) return await post(call)
    if (found.has(upstreamModel) || known?.test(upstreamModel)) return untilDone(await post(asStream(call)))
    const answer = await post(call)
    if (answer.status !== 400) return answer
    const { text, again } = await errorRead(answer)
    if (!SAYS.test(text)) return again
    found.add(upstreamModel)
    return untilDone(await post(asStream(call)))
  }
}

/** A connection that its vendor does not end is left after so long; one that it ends serves the next call. */
const MAX_REST_MS = 1000

/** The answer to its last event: whoever reads all of it does not wait for what a vendor does with the connection behind that. */
const untilDone = (answer: WireAnswer): WireAnswer => ({ ...answer, body: bytesUntilDone(answer.body) })

/** Text of JSON has no line breaks in it, so that this is an event. */
const DONE = /(?:^|[\r\n])data: ?\[DONE\]/

async function* bytesUntilDone(body: AnswerBytes): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  try {
    let before = ''
    for (;;) {
      const { value, done } = await pieces.next()
      if (done) return
      yield value
      const text = before + asBuffer(value).toString('latin1')
      if (DONE.test(text)) return await Promise.race([drain(pieces), sleep(MAX_REST_MS, undefined, { ref: false })])
      // The event may come in two pieces.
      before = text.slice(-16)
    }
  } finally {
    await pieces.return?.()
  }
}

/** Reads what is left, whatever it is. */
async function drain(pieces: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await pieces.next()).done);
  } catch {
    // The answer was whole before it broke off.
  }
}

const asStream = (call: ForwardCall): ForwardCall => ({ ...call, stream: true, body: { ...call.body, stream: true } })
