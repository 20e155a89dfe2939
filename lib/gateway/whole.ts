import { asBuffer } from '../domain/as-buffer.ts'
import { asRefusal, Refusal } from '../domain/errors.ts'
import type { LanguagePart } from '../domain/language.ts'
import type { Usage } from '../domain/usage.ts'
import type { NonStreamingAnswer } from '../wire/answer.ts'
import { StreamBrokenError } from '../wire/answer.ts'
import { MAX_ANSWER_BYTES } from '../wire/answer-length.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { AnswerPiece } from '../wire/vendor-form.ts'
import { type Answer, hasLeft } from './answer.ts'
import { ignoredHeaders, type Read, readAnswerOf } from './bridged.ts'
import { refuseBroken } from './broken.ts'
import type { Called } from './call.ts'
import type { Ending } from './ending.ts'
import type { Exchange } from './exchange.ts'
import type { Reached } from './fan-out.ts'
import { finishPorts } from './finish.ts'
import { inTime } from './in-time.ts'
import { measure } from './measure.ts'
import type { GatewayPorts } from './ports.ts'
import type { Ready } from './reach.ts'
import { moneyHeaders, respondJson } from './respond.ts'

const UNREADABLE = 'The model sent an answer that could not be read. Try again in a moment.'

/** Returns a function that passes on the pieces of one answer. It throws when their total is too long. */
function within(mostBytes: number): (piece: Uint8Array) => Uint8Array {
  let sum = 0
  return (piece) => {
    sum += piece.byteLength
    if (sum > mostBytes)
      throw new StreamBrokenError('The model sent an answer that is too long.', `over ${mostBytes / 1024 / 1024} MiB`)
    return piece
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const limited = within(MAX_ANSWER_BYTES)
  for await (const chunk of body) chunks.push(limited(chunk))
  const [first] = chunks
  return chunks.length === 1 && first ? asBuffer(first) : Buffer.concat(chunks)
}

async function readPieces(pieces: AsyncIterable<AnswerPiece>, count: number): Promise<Buffer[]> {
  const answers = Array.from({ length: count }, (): Uint8Array[] => [])
  const limited = within(MAX_ANSWER_BYTES)
  for await (const { at, bytes } of pieces) answers[at]?.push(limited(bytes))
  return answers.map((chunks) => Buffer.concat(chunks))
}

async function readParts(parts: AsyncIterable<LanguagePart>): Promise<LanguagePart[]> {
  const all: LanguagePart[] = []
  for await (const part of parts) all.push(part)
  return all
}

/**
 * A whole answer: read, measured, charged, and only then sent, status line included. It continues when its client
 * disconnects, because the vendor bills it anyway. An answer that breaks off or cannot be read was sent to nobody: another
 * deployment can be asked, and the operator bears what the first one bills.
 */
export async function openWhole<Input, P>(
  called: Called<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Ready> {
  const answer = await readAnswer(called, endpoint, exchange, ports)
  // If the gateway failed, no other deployment is asked to produce the same answer again.
  if ('kind' in answer) return () => Promise.reject(answer)
  return () => sendWhole(answer, called, endpoint, exchange, ports)
}

async function sendWhole<Input, P>(
  answer: NonStreamingAnswer,
  called: Called<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Answer> {
  const { request } = called.gate
  const text = () => answer.text()
  const measuring = measure(answer.usage, text, 'The vendor reported no usage.', called.gate, endpoint, ports)
  const measured = measuring instanceof Promise ? await measuring : measuring
  const headers = { 'content-type': answer.type ?? 'application/json', ...ignoredHeaders(called.answer) }
  const receipt = exchange.receipt(measured.usage, measured.certainty)
  // Done before the charge: what cannot be encoded cannot be sent, and what is to be stored is stored.
  const body = encodeWhole(answer, measured.usage, receipt.total)
  if (answer.store) await answer.store(finishPorts(called, ports))
  const ending: Ending = {
    usage: measured.usage,
    certainty: measured.certainty,
    receipt,
    outcome: hasLeft(request.from.received.request) ? 'client_gone' : 'finished',
    status: 200,
    finishReason: answer.finishReason,
    said: () => answer.toAnswerJson(),
    answer: exchange.idempotent ? { status: 200, headers, body } : null,
  }
  const settled = await settleInTime(exchange, ending, ports)
  const sent = settled.charged === receipt.total ? body : encodeWhole(answer, measured.usage, settled.charged)
  return respondJson(exchange, sent, { ...headers, ...moneyHeaders(settled) })
}

/** An answer can be nested too deeply to be written, although it could be read. */
function encodeWhole(answer: NonStreamingAnswer, usage: Usage, costNano: bigint): Uint8Array {
  try {
    return answer.encode(usage, costNano)
  } catch (error) {
    throw new Refusal('vendor_failed', UNREADABLE, { detail: String(error) })
  }
}

async function readWhole(answer: Reached): Promise<Read> {
  if (answer.k === 'wire') return { k: 'wire', bytes: await readAll(answer.body) }
  if (answer.k === 'pieces') return { k: 'pieces', answers: await readPieces(answer.pieces, answer.count) }
  return { k: 'parts', parts: await readParts(answer.parts) }
}

async function readAnswer<Input, P>(
  called: Called<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<NonStreamingAnswer | Refusal> {
  try {
    const read = await readWhole(called.answer)
    exchange.time.vendorEnds()
    const answer = readAnswerOf(read, called, endpoint)
    const own = answer.finish ? await answer.finish(finishPorts(called, ports)).then(() => null, ownFault) : null
    called.done()
    return own ?? answer
  } catch (error) {
    exchange.time.vendorEnds()
    const refusal = refuseBroken(error, exchange, ports)
    called.fail(refusal)
    throw refusal
  }
}

/** The refusal for what the gateway could not do with a good answer. Throws what is its vendor's fault. */
function ownFault(error: unknown): Refusal {
  const refusal = asRefusal(error)
  if (refusal === null || refusal.condition === 'vendor_failed') throw error
  return refusal
}

/** An answer whose charge cannot be made durable in time is neither sent nor charged. */
async function settleInTime(exchange: Exchange, ending: Ending, ports: GatewayPorts) {
  const settled = await inTime(exchange.end(ending), ports.settings.settleTimeoutMs, () => null)
  if (settled !== null) return settled
  await exchange.undelivered(ending)
  throw new Refusal(
    'unavailable',
    'The gateway cannot reach its ledger right now. Nothing is charged for this request. Try again in a moment.',
    {
      retryAfter: 5,
      detail: 'settling timed out',
    },
  )
}
