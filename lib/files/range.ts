/** Part of a file: its first and last byte, both inside it. */
export interface Range {
  first: number
  last: number
}

/**
 * What a Range header asks of a file of `total` bytes (RFC 9110, section 14). Null where the whole file is the answer:
 * no header, another unit, several ranges, or one that cannot be read, all of which a server may ignore.
 */
export function rangeOf(header: string | null, total: number): Range | 'beyond' | null {
  const [, from, to] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  if (from === '') return Number(to) === 0 || total === 0 ? 'beyond' : { first: Math.max(0, total - Number(to)), last: total - 1 }
  const [first, last] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)]
  if (last < first) return null
  return first >= total ? 'beyond' : { first, last: Math.min(last, total - 1) }
}
