import { type ByteSource, WINDOW_BYTES } from './bytes.ts'
import { MIN_RATE } from './rates.ts'

/** The longest frame header: 4 bytes, 7 for the number, 2 for the block size, 2 for the rate, and its checksum. */
const HEADER_BYTES = 16

/** The code for the bits per sample in a frame's header. */
const DEPTHS: Record<number, number> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7 }

/** Sample rates by their code in a frame's header. */
const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

/** What a STREAMINFO block says about the frames. */
export interface FlacHead {
  /** Samples per second. */
  rate: number
  depth: number | undefined
}

/** Reads a STREAMINFO block (RFC 9639, section 8.2), which is 34 bytes long. */
export const readStreamInfo = (block: Buffer): FlacHead => ({
  rate: block.readUIntBE(10, 3) >> 4,
  depth: DEPTHS[((block.readUInt16BE(12) >> 4) & 31) + 1],
})

/** What the file's metadata says about its frames, and where they begin. Null if it is damaged. */
async function readHead(bytes: ByteSource): Promise<(FlacHead & { at: number }) | null> {
  let at = 4
  let info: FlacHead = { rate: 0, depth: undefined }
  for (;;) {
    const head = await bytes.read(at, 4 + 34)
    if (head.length < 4) return null
    if (((head[0] ?? 0) & 0x7f) === 0 && head.length === 38) info = readStreamInfo(head.subarray(4))
    at += 4 + head.readUIntBE(1, 3)
    if (((head[0] ?? 0) & 0x80) !== 0) return info.rate > 0 ? { ...info, at } : null
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

/** The sample rate for a header's code and the bytes after it. 0 means that of the file. */
function rateOf(code: number, window: Buffer, at: number): number {
  if (code < 12) return RATES[code] ?? 0
  return code === 12 ? (window[at] ?? 0) * 1000 : window.readUInt16BE(at) * (code === 14 ? 10 : 1)
}

/** Seconds of the frame whose header is at `at` (RFC 9639, section 9.1), or 0 if there is none. */
function frameSecondsAt(window: Buffer, at: number, head: FlacHead): number {
  if (window[at] !== 0xff || ((window[at + 1] ?? 0) & 0xfe) !== 0xf8) return 0
  const [sizes = 0, shape = 0, number = 0] = window.subarray(at + 2, at + 5)
  const size = sizes >> 4
  const code = sizes & 15
  const bits = (shape >> 1) & 7
  if (bits !== 0 && bits !== head.depth) return 0
  if (size === 0 || code === 15 || shape >> 4 > 10 || (shape & 1) !== 0) return 0
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~(number << 24))
  if (numberBytes > 7 || (number & 0xc0) === 0x80) return 0
  let next = at + 4 + numberBytes
  let samples = size === 1 ? 192 : size < 6 ? 576 << (size - 2) : 256 << (size - 8)
  if (size === 6) samples = (window[next] ?? 0) + 1
  if (size === 7) samples = window.readUInt16BE(next) + 1
  next += size === 6 ? 1 : size === 7 ? 2 : 0
  const rate = rateOf(code, window, next)
  next += code === 12 ? 1 : code > 12 ? 2 : 0
  if (checksum(window, at, next) !== window[next]) return 0
  // Decoders use the frame's rate if it differs from the file's header. A rate below MIN_RATE is noise that looks like a
  // header.
  return samples / (rate > 0 ? Math.min(head.rate, Math.max(rate, MIN_RATE)) : head.rate)
}

/** Seconds of the frames that begin in a window, and the offset from which to scan again with the bytes that follow. */
export function scanFrames(window: Buffer, head: FlacHead): { seconds: number; rest: number } {
  const end = window.length - HEADER_BYTES
  let seconds = 0
  let offset = window.indexOf(0xff)
  while (offset >= 0 && offset <= end) {
    const found = frameSecondsAt(window, offset, head)
    seconds += found
    offset = window.indexOf(0xff, offset + (found > 0 ? 6 : 1))
  }
  return { seconds, rest: offset < 0 ? window.length : offset }
}

/**
 * Measures the seconds of the frames in consecutive pieces of a stream. A frame that a piece cuts off counts with the next one.
 */
export function flacMeter(head: FlacHead): (piece: Buffer) => number {
  let pending: Buffer = Buffer.alloc(0)
  return (piece) => {
    const window = Buffer.concat([pending, piece])
    const { seconds, rest } = scanFrames(window, head)
    pending = Buffer.from(window.subarray(rest))
    return seconds
  }
}

/**
 * Seconds of a FLAC file, from the headers of its frames. What the file's header claims is ignored, except for its rate, unless a
 * frame names a lower one. Null if the header is damaged. Noise that looks like a header with the right checksum occurs less than
 * once in 10 MB.
 */
export async function flacSeconds(bytes: ByteSource): Promise<number | null> {
  const head = await readHead(bytes)
  if (!head) return null
  let { at } = head
  let sum = 0
  while (at + HEADER_BYTES <= bytes.size) {
    const { seconds, rest } = scanFrames(await bytes.read(at, WINDOW_BYTES), head)
    sum += seconds
    at += Math.max(1, rest)
  }
  return sum
}
