import { readAc3 } from './ac3.ts'
import { type ByteSource, sliceFrom, WINDOW_BYTES } from './bytes.ts'
import { longestSeconds } from './frames.ts'
import { readAdts, readMpeg } from './mpeg.ts'

/** Encodings that store each sample in its own bytes, and how many these can be. EXTENSIBLE names its encoding later. */
const SAMPLE_BYTES_BY_FORMAT = new Map([
  [1, [1, 2, 3, 4, 8]],
  [3, [4, 8]],
])
const COMPANDED_FORMATS = new Set([6, 7])
const EXTENSIBLE = 0xfffe
/** The start of sound that is not samples although the format says so: DTS, and streams for a digital audio line. */
const SYNCS = ['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8', '72f81f4e', 'f8724e1f'].map((hex) => Buffer.from(hex, 'hex'))
/** How far into the samples players look for it. */
const SYNC_BYTES = 64 * 1024

/** Bytes per second, or 0 if the format chunk does not define them. */
function bytesPerSecond(format: Buffer): number {
  if (format.length < 16) return 0
  const tag = format.readUInt16LE(0)
  const isLong = tag === EXTENSIBLE && format.length >= 26
  const plain = isLong ? format.readUInt16LE(24) : tag
  const bits = [format.readUInt16LE(14), isLong ? format.readUInt16LE(18) : 0].filter((each) => each > 0)
  const bytes = COMPANDED_FORMATS.has(plain) ? 1 : Math.ceil(Math.min(...bits) / 8)
  if (!COMPANDED_FORMATS.has(plain) && !SAMPLE_BYTES_BY_FORMAT.get(plain)?.includes(bytes)) return 0
  // The byte rate in the header is ignored, because decoders compute it from these values, too.
  return format.readUInt32LE(4) * format.readUInt16LE(2) * bytes
}

/**
 * Seconds of frames where a WAV should have samples, which players find and play. Null if it holds sound that cannot be measured.
 */
async function framedSeconds(data: ByteSource): Promise<number | null> {
  const start = await data.read(0, SYNC_BYTES)
  if (SYNCS.some((sync) => start.includes(sync))) return null
  return (await longestSeconds(data, [readMpeg, readAdts, readAc3])) ?? 0
}

const isChunkName = (head: Buffer): boolean => /^[\x20-\x7e]{4}$/.test(head.toString('latin1', 0, 4))

/**
 * Seconds of a WAV file with uncompressed samples, or null for any other file. What a header claims counts only if the file
 * confirms it. A data chunk that states no size, or more than there is, ends with the file. So does one whose size leads into the
 * middle of samples instead of to another chunk.
 */
export async function wavSeconds(bytes: ByteSource): Promise<number | null> {
  let rate: number | null = null
  let dataAt = 0
  let dataBytes = 0
  let hasData = false
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
    if (hasData && (!isChunkName(head) || size > rest)) {
      dataBytes += rest + 8
      break
    }
    if (name === 'fmt ') rate ??= bytesPerSecond(head.subarray(8, 8 + Math.min(size, 56)))
    if (name === 'data') {
      hasData = true
      dataAt ||= at + 8
      if (size === 0 || size > rest) {
        dataBytes += rest
        break
      }
      dataBytes += size
    }
    // Another file behind it: its data counts, too.
    at += name === 'RIFF' ? 12 : 8 + size + (size % 2)
  }
  if (!rate || !hasData) return null
  const framed = await framedSeconds(sliceFrom(bytes, dataAt))
  return framed === null ? null : Math.max(framed, dataBytes / rate)
}
