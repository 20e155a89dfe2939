import { createHash } from 'node:crypto'

/** Fields that may differ between two requests that get the same answer: those about the caller and the form of the answer. */
const NOT_SEEDED = new Set(['user', 'metadata', 'stream', 'stream_options', 'store', 'safety_identifier'])

/** 64 hexadecimal digits that are the same for the same request. */
export function seedOf(upstreamModel: string, body: Readonly<Record<string, unknown>>): string {
  const seeded = Object.entries(body).filter(([name]) => !NOT_SEEDED.has(name))
  return createHash('sha256')
    .update(JSON.stringify([upstreamModel, seeded]))
    .digest('hex')
}

/** A whole number from 0 to below 2^32 that depends on the seed and the label (FNV-1a, mixed once). */
export function roll(seed: string, label: string): number {
  let hash = 0x811c9dc5
  const text = seed + label
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** One of the entries of a list that is not empty. */
export function pick<T>(list: readonly [T, ...T[]], number: number): T {
  return list[number % list.length] ?? list[0]
}

/** An id that looks like a vendor's: the prefix, then `size` letters and digits. `seed` is the nonce of the request. */
export function seededId(prefix: string, seed: string, label: string, size: number): string {
  const digits = createHash('sha256')
    .update(`${seed}:${label}`)
    .digest('base64')
    .replace(/[^0-9A-Za-z]/g, '')
  return prefix + digits.padEnd(size, '0').slice(0, size)
}
