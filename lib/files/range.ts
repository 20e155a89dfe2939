/** Part of a file: its first and last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * The part of a file of `total` bytes that a Range header asks for (RFC 9110, section 14). Null if the answer is the whole
 * file: there is no header, or it has another unit, several ranges, or cannot be read. A server may ignore all of those.
 */
export function parseByteRange(header: string | null, total: number): ByteRange | 'beyond' | null {
  const [, from, to] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  if (from === '') return Number(to) === 0 || total === 0 ? 'beyond' : { first: Math.max(0, total - Number(to)), last: total - 1 }
  const [first, last] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)]
  if (last < first) return null
  return first >= total ? 'beyond' : { first, last: Math.min(last, total - 1) }
}
