import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import type { WireAnswer } from './vendor.ts'

/** Unzip tells gzip and deflate by their first bytes. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
])

/**
 * The answer with a body that can be read, if its vendor or a proxy compressed it although it was asked not to: the same object if
 * it is not compressed. Reading still sets the vendor's pace, and leaving early ends the call. The body throws if it breaks off.
 */
export function decompress(answer: WireAnswer): WireAnswer {
  const encoding = answer.headers['content-encoding']
  if (encoding === undefined) return answer
  const createDecoder = DECODERS.get(encoding.trim().toLowerCase())
  if (!createDecoder) return answer
  const { 'content-encoding': _, ...headers } = answer.headers
  const decoder = createDecoder()
  // What breaks the body is thrown to its reader.
  pipeline(Readable.from(answer.body), decoder, () => undefined)
  return { ...answer, headers, body: decoder }
}
