import { type ByteSource, WINDOW_BYTES } from './bytes.ts'

/** A frame of MP3, raw AAC or AC-3, according to its header. */
export interface Frame {
  bytes: number
  seconds: number
  /** The least seconds that its bytes take on average, if it can hold more than its header says. */
  minSeconds?: number
  /** What all frames of one stream have in common. */
  kind: number
}

/** Reads the header at `at`. Null if there is none. At least HEADER_BYTES follow. */
export type ReadHeader = (window: Buffer, at: number) => Frame | null

export const HEADER_BYTES = 7
/** How far into a file its first frame may be, not counting tags. */
const LEAD_BYTES = 160 * 1024
/** How far behind the last frame an unproven frame is still played: of any kind, and of the same kind. */
const STRAY_BYTES = 256
const STRAY_KIND_BYTES = 4096
/** The first bytes of anything of interest: a frame of MPEG or AC-3, or a tag. */
const FIRST_BYTES = new Set([0xff, 0x0b, 0x49])
/** How many frames in a row prove a stream. Fewer are enough if the file ends with them. */
const CONFIRMING_FRAMES = 3

/** The size of the ID3v2 tag that starts at `at`, or 0. If its version or size is invalid, players see no tag. */
export function tagBytes(window: Buffer, at: number): number {
  if (window[at] !== 0x49 || window[at + 1] !== 0x44 || window[at + 2] !== 0x33 || at + 10 > window.length) return 0
  const sizes = window.subarray(at + 6, at + 10)
  if (window[at + 3] === 0xff || window[at + 4] === 0xff || sizes.some((size) => size > 0x7f)) return 0
  return 10 + sizes.reduce((sum, size) => sum * 128 + size, 0) + ((window[at + 5] ?? 0) & 0x10 ? 10 : 0)
}

/** Whether the frame at `at` is the first one of a VBR file, which holds the file's figures instead of sound. */
function isInfoFrame(window: Buffer, at: number, { bytes }: Frame): boolean {
  const frame = window.toString('latin1', at, Math.min(at + bytes, at + 64))
  return frame.includes('Xing', 4) || frame.includes('Info', 4) || frame.includes('VBRI', 4)
}

/** Whether a run of frames begins at `at`, or the file ends with the frame there. */
function isConfirmed(window: Buffer, at: number, readHeader: ReadHeader, isLast: boolean): boolean {
  let next = at
  let kind: number | undefined
  for (let count = 0; count < CONFIRMING_FRAMES; count++) {
    if (next + HEADER_BYTES > window.length) return isLast && next === window.length && count > 0
    const frame = readHeader(window, next)
    if (!frame || (kind !== undefined && frame.kind !== kind)) return false
    kind = frame.kind
    next += frame.bytes
  }
  return true
}

/** The last frame that was counted. */
interface LastFrame {
  end: number
  kind: number
}

/** Whether players play an unproven frame at `at`: after a gap they look for the next frame. */
const isStray = (frame: Frame, at: number, { end, kind }: LastFrame): boolean =>
  at - end <= (frame.kind === kind ? STRAY_KIND_BYTES : STRAY_BYTES)

/**
 * Seconds of a file that is a run of frames, by counting them. What its tags and its first frame claim is ignored. Bytes between
 * frames are skipped, and a truncated last frame is not counted. Null if there is no run of frames near the start.
 */
export async function frameSeconds(bytes: ByteSource, readHeader: ReadHeader): Promise<number | null> {
  let at = 0
  let [seconds, minSeconds] = [0, 0]
  let last: LastFrame | null = null
  let inSync = false
  let tagsEnd = 0
  while (at + HEADER_BYTES <= bytes.size) {
    const window = await bytes.read(at, WINDOW_BYTES)
    const isLast = at + window.length >= bytes.size
    // The last part of a window is scanned again in the next one, in which its frames are complete.
    const end = isLast ? window.length - HEADER_BYTES : Math.max(1, window.length - 16 * 1024)
    let offset = 0
    while (offset <= end) {
      if (!last && at + offset > tagsEnd + LEAD_BYTES) return null
      const frame = readHeader(window, offset)
      const isPlayed = inSync || (frame && last && isStray(frame, at + offset, last))
      if (frame && (isPlayed || isConfirmed(window, offset, readHeader, isLast))) {
        if (at + offset + frame.bytes > bytes.size) return Math.max(seconds, minSeconds)
        minSeconds += frame.minSeconds ?? 0
        if (last || !isInfoFrame(window, offset, frame)) seconds += frame.seconds
        inSync = true
        offset += frame.bytes
        last = { end: at + offset, kind: frame.kind }
        continue
      }
      inSync = false
      // Players do not recognize a tag between frames and look for frames in it.
      const tag = last ? 0 : tagBytes(window, offset)
      offset += tag || 1
      if (tag) tagsEnd = at + offset
      while (offset <= end && !FIRST_BYTES.has(window[offset] ?? 0)) offset++
    }
    at += offset
  }
  return last ? Math.max(seconds, minSeconds) : null
}

/** The same for several kinds of frames. Returns the longest result, because players choose by what they find. */
export async function longestSeconds(bytes: ByteSource, readers: readonly ReadHeader[]): Promise<number | null> {
  const all: number[] = []
  for (const readHeader of readers) all.push((await frameSeconds(bytes, readHeader)) ?? 0)
  return Math.max(...all) || null
}
