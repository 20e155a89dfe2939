import type { VendorAnswer } from '../vendors/vendor.ts'
import type { AnswerHead, LanguageForm, PaidEndpoint, StreamTap } from '../wire/endpoint.ts'
import type { Called } from './call.ts'

/** How an endpoint tells a bridged vendor's answer. Throws where it has no way: then nothing was asked either. */
export function languageOf<Input, P>({ name, language }: PaidEndpoint<Input, P>): LanguageForm<P> {
  if (!language) throw new Error(`${name} has no language form`)
  return language
}

/** What an answer that we write ourselves says of itself. */
export function headOf(called: Called<unknown, unknown>): AnswerHead {
  const { answer, gate } = called
  if (answer.k !== 'parts') throw new Error('a forwarded answer has a head of its own')
  const { id: requestId, at } = gate.request.from.received
  return { modelId: gate.request.model.id, requestId, at, skills: answer.skills }
}

/** A stream of a vendor, and the tap that fits it: bytes in the endpoint's wire, or parts. */
export interface Tapped<Item> {
  tap: StreamTap<Item>
  source: AsyncIterator<Item>
}

/** Opens a streamed answer. What comes out of its source goes into its tap, and nowhere else. */
export function openTap<Input, P>(called: Called<Input, P>, endpoint: PaidEndpoint<Input, P>): Tapped<unknown> {
  const { answer, gate } = called
  const { work, model } = gate.request
  if (answer.k === 'wire')
    return { tap: endpoint.tap(work, model.id), source: answer.body[Symbol.asyncIterator]() } as Tapped<unknown>
  const tap = languageOf(endpoint).tap(work, headOf(called))
  return { tap, source: answer.parts[Symbol.asyncIterator]() } as Tapped<unknown>
}

/** Names the fields of a request that its vendor did not get, because it cannot use them. */
export function ignoredHeaders(answer: VendorAnswer): Record<string, string> {
  return answer.k === 'parts' && answer.ignored.length > 0 ? { 'x-tollgate-ignored': answer.ignored.join(', ') } : {}
}
