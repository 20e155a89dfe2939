import type { LanguagePart } from '../domain/language.ts'
import type { LanguageHead, NonStreamingAnswer, StreamTap, WireHead } from '../wire/answer.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { FanOutForm, LanguageForm, WireForm } from '../wire/vendor-form.ts'
import type { OpenCall } from './call.ts'
import type { CallAnswer } from './fan-out.ts'

/**
 * How an endpoint encodes the answer of a vendor that is reached through the bridge. Throws if it has no such form; then
 * nothing was asked either.
 */
function languageFormOf<Input, P>({ name, language }: PaidEndpoint<Input, P>): LanguageForm<P> {
  if (!language) throw new Error(`${name} has no language form`)
  return language
}

function formOf<Input, P>({ form }: OpenCall<Input, P>): WireForm<P> {
  if (!form || 'askAll' in form) throw new Error('one answer arrived that nothing asked for')
  return form
}

function fanOutFormOf<Input, P>({ form }: OpenCall<Input, P>): FanOutForm<P> {
  if (!form || !('askAll' in form)) throw new Error('several answers arrived that nothing asked for')
  return form
}

/** What is known about an answer: through the bridge, what its vendor can do; for a forwarded one, its media type. */
function headOf(openCall: OpenCall<unknown, unknown>): LanguageHead & WireHead {
  const { answer, admitted } = openCall
  const { id: requestId, at } = admitted.request.from.received
  const type = answer.k === 'wire' ? (answer.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '') : ''
  return {
    modelId: admitted.request.model.id,
    requestId,
    at,
    type,
    skills: (answer.k === 'parts' ? answer.skills : null) as never,
  }
}

/** A non-streaming answer that has arrived: bytes of one wire answer, bytes of several, or parts. */
export type AnswerContent =
  | { k: 'wire'; bytes: Buffer }
  | { k: 'pieces'; answers: readonly Buffer[] }
  | { k: 'parts'; parts: readonly LanguagePart[] }

/** Reads a whole answer in the form that it has. */
export function parseAnswer<Input, P>(
  read: AnswerContent,
  openCall: OpenCall<Input, P>,
  endpoint: PaidEndpoint<Input, P>,
): NonStreamingAnswer {
  const { work } = openCall.admitted.request
  const head = headOf(openCall)
  if (read.k === 'wire') return formOf(openCall).readNonStreaming(read.bytes, work, head)
  return read.k === 'pieces'
    ? fanOutFormOf(openCall).readNonStreaming(read.answers, work, head)
    : languageFormOf(endpoint).readNonStreaming(read.parts, work, head)
}

/** A vendor's stream and the tap that fits it: bytes in the endpoint's wire, or parts. */
export interface TappedStream<Item> {
  tap: StreamTap<Item>
  source: AsyncIterator<Item>
  /** Allows what follows to be read in larger pieces when it arrives fast. */
  gather(): void
}

/** Opens a streamed answer. What its source yields goes into its tap, and nowhere else. */
export function openTap<Input, P>(openCall: OpenCall<Input, P>, endpoint: PaidEndpoint<Input, P>): TappedStream<unknown> {
  const { answer, admitted } = openCall
  const { work } = admitted.request
  if (answer.k === 'parts') {
    const tap = languageFormOf(endpoint).createTap(work, headOf(openCall))
    return { tap, source: answer.parts[Symbol.asyncIterator](), gather: () => undefined } as TappedStream<unknown>
  }
  const form = answer.k === 'pieces' ? fanOutFormOf(openCall) : formOf(openCall)
  const head = headOf(openCall)
  const tap = form.createTap?.(work, head)
  if (!tap) throw new Error(`${endpoint.name} does not stream`)
  const source = answer.k === 'pieces' ? answer.pieces : answer.body
  // A stream without events has no last one that would tell an end from a cut, and a reset discards what nobody has read yet.
  const gather = () => answer.k === 'wire' && head.type === 'text/event-stream' && answer.body.gather?.()
  return { tap, source: source[Symbol.asyncIterator](), gather } as TappedStream<unknown>
}

/** The header that names the fields of a request that its vendor did not get because it cannot use them. */
export function ignoredHeaders(answer: CallAnswer): Record<string, string> {
  const ignored = answer.k === 'pieces' ? [] : (answer.ignored ?? [])
  return ignored.length > 0 ? { 'x-tollgate-ignored': ignored.join(', ') } : {}
}
