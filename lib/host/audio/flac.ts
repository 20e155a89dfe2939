import { type Bytes, WINDOW_BYTES } from './bytes.ts'

/** The longest header of a frame: 4 bytes, 7 of number, 2 of block size, 2 of rate, and its check. */
const HEADER_BYTES = 16

/** Bits of a sample, by the number that stands for them in a frame's header. */
const DEPTHS: Record<number, number> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7 }

interface Head {
  /** Where the frames begin. */
  at: number
  /** Samples a second. */
  rate: number
  depth: number | undefined
}

/** What the file's metadata says of its frames; null where it is damaged. */
async function readHead(bytes: Bytes): Promise<Head | null> {
  let at = 4
  let rate = 0
  let depth: number | undefined
  for (;;) {
    const head = await bytes.read(at, 4 + 34)
    if (head.length < 4) return null
    if (((head[0] ?? 0) & 0x7f) === 0 && head.length === 38) {
      rate = head.readUIntBE(14, 3) >> 4
      depth = DEPTHS[((head.readUInt16BE(16) >> 4) & 31) + 1]
    }
    at += 4 + head.readUIntBE(1, 3)
    if (((head[0] ?? 0) & 0x80) !== 0) return rate > 0 ? { at, rate, depth } : null
  }
}

/** The checksum at the end of a frame's header: CRC-8 with polynomial 7. */
function checksum(window: Buffer, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) {
    value ^= window[at] ?? 0
    for (let bit = 0; bit < 8; bit++) value = (value & 0x80 ? (value << 1) ^ 7 : value << 1) & 0xff
  }
  return value
}

/** Samples of the frame whose header is at `at` (RFC 9639, section 9.1), or 0 where there is none. */
function samplesAt(window: Buffer, at: number, depth: number | undefined): number {
  if (window[at] !== 0xff || ((window[at + 1] ?? 0) & 0xfe) !== 0xf8) return 0
  const [sizes = 0, shape = 0, number = 0] = window.subarray(at + 2, at + 5)
  const size = sizes >> 4
  const rate = sizes & 15
  const bits = (shape >> 1) & 7
  if (bits !== 0 && bits !== depth) return 0
  if (size === 0 || rate === 15 || shape >> 4 > 10 || (shape & 1) !== 0) return 0
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~(number << 24))
  if (numberBytes > 7 || (number & 0xc0) === 0x80) return 0
  let next = at + 4 + numberBytes
  let samples = size === 1 ? 192 : size < 6 ? 576 << (size - 2) : 256 << (size - 8)
  if (size === 6) samples = (window[next] ?? 0) + 1
  if (size === 7) samples = window.readUInt16BE(next) + 1
  next += size === 6 ? 1 : size === 7 ? 2 : 0
  next += rate === 12 ? 1 : rate > 12 ? 2 : 0
  return checksum(window, at, next) === window[next] ? samples : 0
}

/**
 * Seconds of a FLAC file, by the headers of its frames: what the file's head claims is not looked at. Null where it is
 * damaged. That noise looks like a header and has the right checksum happens less than once in 10 MB.
 */
export async function flacSeconds(bytes: Bytes): Promise<number | null> {
  const head = await readHead(bytes)
  if (!head) return null
  let { at } = head
  let samples = 0
  while (at + HEADER_BYTES <= bytes.size) {
    const window = await bytes.read(at, WINDOW_BYTES)
    const end = window.length - HEADER_BYTES
    let offset = window.indexOf(0xff)
    while (offset >= 0 && offset <= end) {
      const found = samplesAt(window, offset, head.depth)
      samples += found
      offset = window.indexOf(0xff, offset + (found > 0 ? 6 : 1))
    }
    at += offset < 0 ? window.length : Math.max(1, offset)
  }
  return samples / head.rate
}
