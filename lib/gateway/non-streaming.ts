import { asRefusal, Refusal } from '../domain/errors.ts'
import type { LanguagePart } from '../domain/language.ts'
import type { Usage } from '../domain/usage.ts'
import type { NonStreamingAnswer } from '../wire/answer.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnswerPiece } from '../wire/vendor-form.ts'
import { type Answer, isDisconnected } from './answer.ts'
import type { OpenCall } from './call.ts'
import type { SendAnswer } from './call-with-failover.ts'
import type { Ending } from './ending.ts'
import type { Exchange } from './exchange.ts'
import type { CallAnswer } from './fan-out.ts'
import { finishPortsOf } from './finish.ts'
import { measure } from './measure.ts'
import type { GatewayPorts } from './ports.ts'
import { limitAnswerBytes, readAll } from './read-all.ts'
import { type AnswerContent, ignoredHeaders, parseAnswer } from './read-vendor-answer.ts'
import { refuseBroken } from './refuse-broken.ts'
import { moneyHeaders, respondJson } from './respond.ts'
import { withTimeout } from './with-timeout.ts'

const UNREADABLE = 'The model sent an answer that could not be read. Try again in a moment.'

async function readPieces(pieces: AsyncIterable<AnswerPiece>, count: number): Promise<Buffer[]> {
  const answers = Array.from({ length: count }, (): Uint8Array[] => [])
  const limited = limitAnswerBytes()
  for await (const { at, bytes } of pieces) answers[at]?.push(limited(bytes))
  return answers.map((chunks) => Buffer.concat(chunks))
}

async function readParts(parts: AsyncIterable<LanguagePart>): Promise<LanguagePart[]> {
  const all: LanguagePart[] = []
  for await (const part of parts) all.push(part)
  return all
}

/**
 * A non-streaming answer: read, measured, charged, and only then sent, status line included. It continues when its client
 * disconnects, because the vendor bills it anyway. An answer that breaks off or cannot be read was sent to nobody: another
 * deployment can be asked, and the operator bears what the first one bills.
 */
export async function openNonStreaming<Input, P>(
  openCall: OpenCall<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<SendAnswer> {
  const answer = await readAnswer(openCall, endpoint, exchange, ports)
  // If the gateway failed, no other deployment is asked to produce the same answer again.
  if ('kind' in answer) return () => Promise.reject(answer)
  return () => sendNonStreaming(answer, openCall, endpoint, exchange, ports)
}

async function sendNonStreaming<Input, P>(
  answer: NonStreamingAnswer,
  openCall: OpenCall<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const { request } = openCall.admitted
  const measuring = measure(answer.usage, answer, 'The vendor reported no usage.', openCall.admitted, endpoint, ports)
  const measured = measuring instanceof Promise ? await measuring : measuring
  const headers = { 'content-type': answer.type ?? 'application/json', ...ignoredHeaders(openCall.answer) }
  const receipt = exchange.receipt(measured.usage, measured.certainty)
  // Done before the charge: what cannot be encoded cannot be sent, and what is to be stored is stored.
  const body = encodeNonStreaming(answer, measured.usage, receipt.total)
  if (answer.store) await answer.store(finishPortsOf(openCall, ports))
  const ending: Ending = {
    usage: measured.usage,
    certainty: measured.certainty,
    receipt,
    outcome: isDisconnected(request.from.received.request) ? 'client_gone' : 'finished',
    status: 200,
    finishReason: answer.finishReason,
    toAnswerJson: () => answer.toAnswerJson(),
    answer: exchange.idempotent ? { status: 200, headers, body } : null,
  }
  const settled = await settleWithTimeout(exchange, ending, ports)
  const sent = settled.charged === receipt.total ? body : encodeNonStreaming(answer, measured.usage, settled.charged)
  return respondJson(exchange, sent, { ...headers, ...moneyHeaders(settled) })
}

/** An answer can be nested too deeply to be written, although it could be read. */
function encodeNonStreaming(answer: NonStreamingAnswer, usage: Usage, costNano: bigint): Uint8Array {
  try {
    return answer.encode(usage, costNano)
  } catch (error) {
    throw new Refusal('vendor_failed', UNREADABLE, { detail: String(error) })
  }
}

async function readContent(answer: CallAnswer): Promise<AnswerContent> {
  if (answer.k === 'wire') return { k: 'wire', bytes: await readAll(answer.body) }
  if (answer.k === 'pieces') return { k: 'pieces', answers: await readPieces(answer.pieces, answer.count) }
  return { k: 'parts', parts: await readParts(answer.parts) }
}

async function readAnswer<Input, P>(
  openCall: OpenCall<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<NonStreamingAnswer | Refusal> {
  try {
    const read = await readContent(openCall.answer)
    exchange.time.recordVendorEnd()
    const answer = parseAnswer(read, openCall, endpoint)
    const ownRefusal = answer.finish ? await answer.finish(finishPortsOf(openCall, ports)).then(() => null, asOwnFailure) : null
    openCall.complete()
    return ownRefusal ?? answer
  } catch (error) {
    exchange.time.recordVendorEnd()
    throw openCall.fail(error, refuseBroken(error, exchange, ports), true)
  }
}

/** The refusal for what the gateway could not do with a good answer. Throws what is its vendor's fault. */
function asOwnFailure(error: unknown): Refusal {
  const refusal = asRefusal(error)
  if (refusal === null || refusal.condition === 'vendor_failed') throw error
  return refusal
}

/** An answer whose charge cannot be made durable in time is neither sent nor charged. */
async function settleWithTimeout(exchange: Exchange, ending: Ending, ports: GatewayPorts) {
  const settled = await withTimeout(exchange.end(ending), ports.settings.settleTimeoutMs, () => null)
  if (settled !== null) return settled
  await exchange.voidCharge(ending)
  throw new Refusal(
    'unavailable',
    'The gateway cannot reach its ledger right now. Nothing is charged for this request. Try again in a moment.',
    {
      retryAfter: 5,
      detail: 'settling timed out',
    },
  )
}
