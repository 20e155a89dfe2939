import { MALFORMED_EVENT, MALFORMED_PAGE, refusalOf, unknownModel } from './sandbox/failures.ts'
import { checkAborted, pause, sleep as realSleep, type Sleep } from './sandbox/pause.ts'
import { countCompletion, planChoices } from './sandbox/plan.ts'
import { readChat } from './sandbox/request.ts'
import { seededId, seedOf } from './sandbox/seed.ts'
import { countPrompt, TOKENS_PER_IMAGE, wireUsage } from './sandbox/usage.ts'
import { type Answer, encodeStream, encodeWhole, unfinishedEvents } from './sandbox/wire.ts'
import { type ForwardCall, type Vendor, VendorFailure, type WireAnswer } from './vendor.ts'

/** Time, as the sandbox takes it from outside. */
export interface SandboxOptions {
  /** Milliseconds since 1970. */
  now?: () => number
  sleep?: Sleep
  /** How slow it is, as a factor: 1 is about as slow as a real model, 0 never waits. */
  pace?: number
}

/** An entry of the catalog that the sandbox answers for. */
export interface SandboxModel {
  id: string
  upstreamModel: string
  /** Tokens of input and output together. */
  contextWindow: number
  /** Tokens of output in one answer. */
  maxOutput: number
  /** The most input tokens that one image can cost. */
  imageTokens: number
  capabilities: string[]
  /** Nano-dollars per million tokens. */
  rates: { input: bigint; cached_input: bigint; output: bigint }
  description: string
}

const TOKEN_MS = 12
const WHOLE_MS = 60
const SLOW_MS = 30_000
/** How many events a stream has that is going to break. */
const EVENTS_BEFORE_BREAK = 6

const CHAT = 'sandbox/chat'
const SLOW = 'sandbox/error-slow'
const DISCONNECT = 'sandbox/error-disconnect'
const MALFORMED = 'sandbox/error-malformed'
const ANSWERING = new Set([CHAT, SLOW, DISCONNECT, MALFORMED])

const entry = (id: string, description: string): SandboxModel => ({
  id,
  upstreamModel: id,
  contextWindow: 131_072,
  maxOutput: 16_384,
  imageTokens: TOKENS_PER_IMAGE,
  capabilities: ['streaming', 'vision', 'audio', 'files', 'tools', 'structured_output'],
  rates: { input: 100_000_000n, cached_input: 25_000_000n, output: 400_000_000n },
  description,
})

/** What the catalog lists for a sandbox connection: one model that answers, and six whose only job is to fail. */
export const SANDBOX_MODELS: readonly SandboxModel[] = [
  entry(CHAT, 'A simulated chat model: it quotes you, calls your tools and fills your JSON schemas, and no vendor is called.'),
  entry('sandbox/error-429', 'Always refuses with 429 and "retry-after: 2", to try out how you handle rate limits.'),
  entry('sandbox/error-500', 'Always fails with 500, to try out how you handle a vendor’s errors.'),
  entry('sandbox/error-503', 'Always refuses with 503 and "retry-after: 5", to try out how you handle an overloaded vendor.'),
  entry(SLOW, 'Answers like sandbox/chat, but only after 30 seconds, to try out your timeouts.'),
  entry(DISCONNECT, 'Loses the connection in the middle of the answer, to try out how you handle cut streams.'),
  entry(MALFORMED, 'Answers with something that is not JSON, to try out how you handle broken answers.'),
]

/** Plans the whole answer; what is left is to write it in time. */
function plan(call: ForwardCall, nowMs: number): Answer {
  const request = readChat(call.body)
  const { upstreamModel } = call.deployment
  const seed = seedOf(upstreamModel, call.body)
  const choices = planChoices(request, seed, call.choices, call.cap)
  return {
    id: seededId('chatcmpl-', seed, 'id', 29),
    created: Math.floor(nowMs / 1000),
    model: upstreamModel,
    seed,
    topLogprobs: request.topLogprobs,
    choices,
    usage: wireUsage(countPrompt(request.messages, call.body.tools), countCompletion(choices)),
  }
}

/**
 * The simulated vendor. It answers in OpenAI's wire, the same for the same request but for `created`.
 * Streams always carry usage: like every vendor here it is asked for it, whatever the client asked for.
 * Rejects, and its bodies throw, with VendorFailure('cut') when the call is aborted.
 */
export function sandbox(options: SandboxOptions = {}): Vendor {
  const { now = Date.now, sleep = realSleep, pace = 1 } = options

  async function* streamBody(answer: Answer, model: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const breaks = model === DISCONNECT || model === MALFORMED
    const limit = breaks ? Math.min(EVENTS_BEFORE_BREAK, unfinishedEvents(answer)) : Number.POSITIVE_INFINITY
    let sent = 0
    for (const { bytes, waits } of encodeStream(answer)) {
      if (sent === limit) break
      if (waits) await pause(sleep, TOKEN_MS * pace, signal)
      checkAborted(signal)
      yield bytes
      sent++
    }
    if (model === MALFORMED) yield MALFORMED_EVENT
    if (model === DISCONNECT) throw new VendorFailure('cut', 'UND_ERR_SOCKET')
  }

  async function* wholeBody(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    checkAborted(signal)
    yield bytes
  }

  async function chat(call: ForwardCall): Promise<WireAnswer> {
    const { stream, signal } = call
    const model = call.deployment.upstreamModel
    checkAborted(signal)
    const refusal = refusalOf(model)
    if (refusal) return refusal
    if (!ANSWERING.has(model)) return unknownModel(model)
    const answer = plan(call, now())
    if (model === SLOW) await pause(sleep, SLOW_MS * pace, signal)
    const id = { 'x-request-id': seededId('req_', answer.seed, 'request', 24) }
    if (stream)
      return {
        k: 'wire',
        status: 200,
        headers: { ...id, 'content-type': 'text/event-stream; charset=utf-8' },
        body: streamBody(answer, model, signal),
      }
    await pause(sleep, WHOLE_MS * pace, signal)
    if (model === DISCONNECT) throw new VendorFailure('cut', 'UND_ERR_SOCKET')
    if (model === MALFORMED)
      return { k: 'wire', status: 200, headers: { ...id, 'content-type': 'text/html' }, body: wholeBody(MALFORMED_PAGE, signal) }
    const headers = { ...id, 'content-type': 'application/json' }
    return { k: 'wire', status: 200, headers, body: wholeBody(encodeWhole(answer), signal) }
  }

  return { forward: { 'openai.chat': chat }, inputOverhead: 0, simulated: true }
}
