import { fieldIn } from '../../domain/field-in.ts'
import { singleChunk } from '../../domain/single-chunk.ts'
import { failureOf } from '../http-failure.ts'
import { asVendorFailure, VendorFailure, type WireAnswer } from '../vendor.ts'
import type { Dialect } from './dialect.ts'

/**
 * Turns what a provider package threw into what a forwarded vendor would give: an error answer with status, headers and the
 * vendor's own text. Otherwise throws a VendorFailure. The error itself contains the prompt and is never passed on.
 */
export function answerOf(error: unknown, sent: boolean, dialect: Pick<Dialect, 'correctError'>): WireAnswer {
  const status = fieldIn(error, 'statusCode')
  if (typeof status === 'number' && (status < 200 || status > 299)) return errorAnswer(error, status, dialect)
  const failure = causeOf(error)
  if (failure) throw failure
  const name = String(fieldIn(error, 'name'))
  if (name === 'AbortError' || (sent && !name.startsWith('AI_'))) throw failureOf(error)
  if (sent) throw new VendorFailure('unreadable', name)
  // Nothing was sent: the package cannot translate this request into the vendor's format.
  const functionality = fieldIn(error, 'functionality')
  const message = `It cannot take this request${typeof functionality === 'string' ? `: ${functionality.slice(0, 200)}` : ''}.`
  return wire(400, {}, JSON.stringify({ error: { message } }))
}

/** The VendorFailure for an error in the middle of an answer. */
export const failureIn = (error: unknown): VendorFailure => causeOf(error) ?? failureOf(error)

/** The failure that an error wraps: ours, or one of the HTTP client, recognized by its code. */
function causeOf(error: unknown): VendorFailure | null {
  let current = error
  for (let depth = 0; depth < 5 && current !== null && current !== undefined; depth++) {
    const known = asVendorFailure(current)
    if (known) return known
    if (typeof fieldIn(current, 'code') === 'string' && current instanceof Error) return failureOf(current)
    current = fieldIn(current, 'cause')
  }
  return null
}

/** The answer for an APICallError of the AI SDK, or for the error that a stream began with. */
function errorAnswer(error: unknown, status: number, dialect: Pick<Dialect, 'correctError'>): WireAnswer {
  const body = fieldIn(error, 'responseBody')
  const data = fieldIn(error, 'data')
  const text = typeof body === 'string' ? body : JSON.stringify({ error: data ?? { message: fieldIn(error, 'message') } })
  const headers = (fieldIn(error, 'responseHeaders') ?? {}) as Record<string, string>
  const answer = dialect.correctError({ status, headers, text })
  return wire(answer.status, answer.headers, answer.text)
}

const wire = (status: number, headers: WireAnswer['headers'], text: string): WireAnswer => ({
  k: 'wire',
  status,
  headers,
  body: singleChunk(Buffer.from(text)),
})
