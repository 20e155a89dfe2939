import { type Bytes, WINDOW_BYTES } from './bytes.ts'

/** A frame of MP3 or raw AAC, by its header. */
export interface Frame {
  bytes: number
  seconds: number
  /** What all frames of one stream have in common. */
  kind: number
}

/** Reads the header at `at`, or says null: there is none. At least HEADER_BYTES follow. */
export type ReadHeader = (window: Buffer, at: number) => Frame | null

export const HEADER_BYTES = 7
/** How far into a file its first frame may be, tags apart. */
const LEAD_BYTES = 64 * 1024
/** How many frames in a row make a stream; fewer where the file ends with them. */
const PROOF = 3

/** Bytes of the ID3v2 tag that starts at `at`, or 0. */
export function tagBytes(window: Buffer, at: number): number {
  if (window[at] !== 0x49 || window[at + 1] !== 0x44 || window[at + 2] !== 0x33 || at + 10 > window.length) return 0
  const size = [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + ((window[at + offset] ?? 0) & 0x7f), 0)
  return 10 + size + ((window[at + 5] ?? 0) & 0x10 ? 10 : 0)
}

/** Whether the first of a VBR file's frames, which holds no sound but the file's figures, is at `at`. */
function isFigures(window: Buffer, at: number, { bytes }: Frame): boolean {
  const frame = window.toString('latin1', at, Math.min(at + bytes, at + 64))
  return frame.includes('Xing', 4) || frame.includes('Info', 4) || frame.includes('VBRI', 4)
}

/** Whether a run of frames begins at `at`, or the file ends with the frame there. */
function isProven(window: Buffer, at: number, readHeader: ReadHeader, isLast: boolean): boolean {
  let next = at
  let kind: number | undefined
  for (let count = 0; count < PROOF; count++) {
    if (next + HEADER_BYTES > window.length) return isLast && next === window.length && count > 0
    const frame = readHeader(window, next)
    if (!frame || (kind !== undefined && frame.kind !== kind)) return false
    kind = frame.kind
    next += frame.bytes
  }
  return true
}

/**
 * Seconds of a file that is a run of frames, by counting them: what its tags and its first frame claim is not looked at.
 * Bytes between frames that are none are passed over; a frame that the file cuts off is not counted. Null where there is no
 * run of frames near the start.
 */
export async function frameSeconds(bytes: Bytes, readHeader: ReadHeader): Promise<number | null> {
  let at = 0
  let seconds = 0
  let count = 0
  let inStep = false
  let tagsEnd = 0
  while (at + HEADER_BYTES <= bytes.size) {
    const window = await bytes.read(at, WINDOW_BYTES)
    const isLast = at + window.length >= bytes.size
    // The last of a window is looked at again in the next one, where all of its frame is there.
    const end = isLast ? window.length - HEADER_BYTES : Math.max(1, window.length - 16 * 1024)
    let offset = 0
    while (offset <= end) {
      if (count === 0 && at + offset > tagsEnd + LEAD_BYTES) return null
      const frame = readHeader(window, offset)
      if (frame && (inStep || isProven(window, offset, readHeader, isLast))) {
        if (at + offset + frame.bytes > bytes.size) return seconds
        if (count > 0 || !isFigures(window, offset, frame)) seconds += frame.seconds
        count++
        inStep = true
        offset += frame.bytes
        continue
      }
      inStep = false
      const tag = tagBytes(window, offset)
      offset += tag || 1
      if (count === 0 && tag) tagsEnd = at + offset
      // Only these begin anything: a frame, a tag.
      while (offset <= end && window[offset] !== 0xff && window[offset] !== 0x49) offset++
    }
    at += offset
  }
  return count > 0 ? seconds : null
}
