import { errorRead, messageBegins } from './misstated.ts'
import type { Forward, ForwardCall } from './vendor.ts'

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
    if (found.has(upstreamModel) || known?.test(upstreamModel)) return await post(asStream(call))
    const answer = await post(call)
    if (answer.status !== 400) return answer
    const { text, again } = await errorRead(answer)
    if (!SAYS.test(text)) return again
    found.add(upstreamModel)
    return await post(asStream(call))
  }
}

const asStream = (call: ForwardCall): ForwardCall => ({ ...call, stream: true, body: { ...call.body, stream: true } })
