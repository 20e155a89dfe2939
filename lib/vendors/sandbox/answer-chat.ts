import { randomUUID } from 'node:crypto'
import { type Forward, type ForwardCall, VendorFailure, type WireAnswer } from '../vendor.ts'
import { MALFORMED_EVENT, MALFORMED_PAGE, refusalOf, unknownModel } from './failures.ts'
import type { SandboxOptions } from './options.ts'
import { checkAborted, pause, sleep as realSleep } from './pause.ts'
import { countCompletion, planChoices } from './plan.ts'
import { readChat } from './request.ts'
import { seededId, seedOf } from './seed.ts'
import { countPrompt, wireUsage } from './usage.ts'
import { type Answer, encodeNonStreaming, encodeStream, unfinishedEvents } from './wire.ts'

const TOKEN_MS = 12
const NON_STREAMING_MS = 60
const SLOW_MS = 30_000
/** How many events a stream has before it breaks. */
const EVENTS_BEFORE_BREAK = 6

const CHAT = 'sandbox/chat'
const SLOW = 'sandbox/error-slow'
const DISCONNECT = 'sandbox/error-disconnect'
const MALFORMED = 'sandbox/error-malformed'
const ANSWERING_MODELS = new Set([CHAT, SLOW, DISCONNECT, MALFORMED])

/** Plans the whole answer, which then only has to be written at the right pace. */
function plan(call: ForwardCall, nowMs: number, nonce: string): Answer {
  const request = readChat(call.body)
  const { upstreamModel } = call.deployment
  const seed = seedOf(upstreamModel, call.body)
  const choices = planChoices(request, { seed, nonce }, call.choices, call.cap)
  return {
    id: seededId('chatcmpl-', nonce, 'id', 29),
    created: Math.floor(nowMs / 1000),
    model: upstreamModel,
    seed,
    topLogprobs: request.topLogprobs,
    choices,
    usage: wireUsage(countPrompt(request.messages, call.body.tools), countCompletion(choices)),
  }
}

/**
 * Answers chats. The same request gets the same answer, except for `created` and ids. Streams always contain the usage, because the
 * gateway asks every vendor for it, no matter what the client asked for. Rejects, and its bodies throw, with VendorFailure('cut')
 * when the call is aborted.
 */
export function answerChat(options: SandboxOptions): Forward {
  const { now = Date.now, sleep = realSleep, pace = 1, nonce = randomUUID } = options

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

  async function* nonStreamingBody(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    checkAborted(signal)
    yield bytes
  }

  return async function chat(call: ForwardCall): Promise<WireAnswer> {
    const { stream, signal } = call
    const model = call.deployment.upstreamModel
    checkAborted(signal)
    const refusal = refusalOf(model)
    if (refusal) return refusal
    if (!ANSWERING_MODELS.has(model)) return unknownModel(model)
    const requestNonce = nonce()
    const answer = plan(call, now(), requestNonce)
    if (model === SLOW) await pause(sleep, SLOW_MS * pace, signal)
    const id = { 'x-request-id': seededId('req_', requestNonce, 'request', 24) }
    if (stream)
      return {
        k: 'wire',
        status: 200,
        headers: { ...id, 'content-type': 'text/event-stream; charset=utf-8' },
        body: streamBody(answer, model, signal),
      }
    await pause(sleep, NON_STREAMING_MS * pace, signal)
    if (model === DISCONNECT) throw new VendorFailure('cut', 'UND_ERR_SOCKET')
    if (model === MALFORMED)
      return {
        k: 'wire',
        status: 200,
        headers: { ...id, 'content-type': 'text/html' },
        body: nonStreamingBody(MALFORMED_PAGE, signal),
      }
    const headers = { ...id, 'content-type': 'application/json' }
    return { k: 'wire', status: 200, headers, body: nonStreamingBody(encodeNonStreaming(answer), signal) }
  }
}
