import { type Bytes, WINDOW_BYTES } from './bytes.ts'

/** Encodings in which every sample has its own bytes: PCM, float, A-law, mu-law, and the tag that names one of them later. */
const PLAIN = new Set([1, 3, 6, 7])
const EXTENSIBLE = 0xfffe

/** Bytes of a second, or 0 where they cannot be told from the format chunk. */
function bytesPerSecond(format: Buffer): number {
  if (format.length < 16) return 0
  const tag = format.readUInt16LE(0)
  const plain = tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag
  if (!PLAIN.has(plain)) return 0
  // Not the byte rate that the header names: decoders work it out from these, too.
  return format.readUInt32LE(4) * format.readUInt16LE(2) * Math.ceil(format.readUInt16LE(14) / 8)
}

const isName = (head: Buffer): boolean => /^[\x20-\x7e]{4}$/.test(head.toString('latin1', 0, 4))

/**
 * Seconds of a WAV file whose samples are not compressed; null for any other. What a header claims counts only where the
 * file bears it out: a data chunk that names no size, or more than there is, ends with the file, and one whose size leads
 * into the middle of samples, not to another chunk, does too.
 */
export async function wavSeconds(bytes: Bytes): Promise<number | null> {
  let rate = 0
  let dataBytes = 0
  let afterData = false
  let at = 12
  let window = await bytes.read(0, WINDOW_BYTES)
  let windowAt = 0
  while (at + 8 <= bytes.size) {
    if (at < windowAt || at + 64 > windowAt + window.length) {
      window = await bytes.read(at, WINDOW_BYTES)
      windowAt = at
    }
    const head = window.subarray(at - windowAt)
    const name = head.toString('latin1', 0, 4)
    const size = head.readUInt32LE(4)
    const rest = bytes.size - at - 8
    if (afterData && (!isName(head) || size > rest)) {
      dataBytes += rest + 8
      break
    }
    if (name === 'fmt ') rate ||= bytesPerSecond(head.subarray(8, 8 + Math.min(size, 56)))
    if (name === 'data') {
      afterData = true
      if (size === 0 || size > rest) {
        dataBytes += rest
        break
      }
      dataBytes += size
    }
    // Another file behind it: its data counts, too.
    at += name === 'RIFF' ? 12 : 8 + size + (size % 2)
  }
  return rate > 0 && afterData ? dataBytes / rate : null
}
