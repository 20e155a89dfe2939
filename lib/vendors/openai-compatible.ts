import type { Connection } from '../domain/catalog.ts'
import { agentOf } from './agent.ts'
import { postJson, targetOf } from './upstream.ts'
import { type ForwardCall, type Vendor, VendorFailure, type WireAnswer } from './vendor.ts'

/** How a vendor of this family differs from the others. */
export interface Dialect {
  /** The field that caps output: OpenAI's reasoning models refuse `max_tokens`, most others know only that. */
  capField: 'max_tokens' | 'max_completion_tokens'
  /** Whether `store: false` may be sent; vendors that do not know the field may refuse it. */
  knowsStore: boolean
  inputOverhead: number
}

/**
 * The request as it goes out: only the model's name, the cap, `stream_options` and `store` change,
 * so that what this gateway does not know survives.
 */
export function outgoingChat(call: ForwardCall, dialect: Dialect): Record<string, unknown> {
  const { max_tokens: _a, max_completion_tokens: _b, store: _c, stream_options: options, ...rest } = call.body
  const out: Record<string, unknown> = { ...rest, model: call.deployment.upstreamModel, [dialect.capField]: call.cap }
  if (dialect.knowsStore) out.store = false
  if (call.stream) out.stream_options = { ...(options as object | null | undefined), include_usage: true }
  return out
}

/** The most output tokens that a request on this wire asks for. Infinity where it names no cap. */
export function chatCapOf(outgoing: Readonly<Record<string, unknown>>): number {
  const caps = [outgoing.max_tokens, outgoing.max_completion_tokens].filter((cap) => typeof cap === 'number')
  const choices = typeof outgoing.n === 'number' ? outgoing.n : 1
  return caps.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...caps) * choices
}

/** A vendor that speaks OpenAI's own wire: requests and answers pass as they are. */
export function openAiCompatible(connection: Connection, dialect: Dialect): Vendor {
  const agent = agentOf(connection)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'tollgate',
    ...connection.headers,
    ...(connection.secret === null ? {} : { authorization: `Bearer ${connection.secret}` }),
  }
  const streamHeaders = { ...headers, accept: 'text/event-stream' }
  const target = targetOf(connection.baseUrl ?? '', '/chat/completions')

  async function chat(call: ForwardCall): Promise<WireAnswer> {
    const outgoing = outgoingChat(call, dialect)
    // The last gate before the socket: what goes out may not ask for more than the hold covers.
    if (chatCapOf(outgoing) > call.cap * call.choices)
      throw new VendorFailure(
        'over_cap',
        `the outgoing request asks for ${chatCapOf(outgoing)} tokens, held are ${call.cap * call.choices}`,
      )
    return await postJson(agent, target, call.stream ? streamHeaders : headers, JSON.stringify(outgoing), call.signal)
  }

  return { forward: { 'openai.chat': chat }, inputOverhead: dialect.inputOverhead, close: () => agent.destroy() }
}
