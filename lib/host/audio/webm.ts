import { type ByteSource, createWindowReader, type WindowReader } from './bytes.ts'
import { numberOf, readElement } from './ebml.ts'
import { addBlock, readTrack, type Track, trackNumber } from './webm-track.ts'

/** Matroska elements that are entered or read. All others are skipped (RFC 9559). */
const ID = {
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  entry: 0xae,
  cluster: 0x1f43b675,
  time: 0xe7,
  group: 0xa0,
  block: 0xa1,
  simple: 0xa3,
} as const
const CONTAINER_ELEMENTS = new Set<number>([ID.segment, ID.info, ID.tracks, ID.cluster, ID.group])
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
/** The longest header of an element, plus the start of a block. */
const HEAD_BYTES = 12
/** No track entry and no block of sound is longer. */
const MAX_BYTES = 4 * 1024 * 1024

/** No element is nested deeper. */
const MAX_DEPTH = 16
/** If times exceed the packets by less than this, it is rounding and not a gap. */
const GAP_SECONDS = 0.1

/** Where the next cluster starts, searching from `from`, or the end of the file if there is none. */
async function nextCluster(walk: WindowReader, from: number): Promise<number> {
  let at = from
  while (at < walk.size) {
    const window = await walk.readWindow(at, HEAD_BYTES)
    const found = window.indexOf(CLUSTER)
    if (found >= 0) return at + found
    at += Math.max(1, window.length - CLUSTER.length + 1)
  }
  return walk.size
}

/** What was found in a file so far. */
interface ScanState {
  tracks: Map<number, Track>
  time: number
  scale: number
}

/** Reads an element that is complete, of `size` bytes from `at` on. False if it cannot be measured. */
async function readContent(walk: WindowReader, state: ScanState, id: number, at: number, size: number): Promise<boolean> {
  if (id === ID.scale || id === ID.time) {
    const value = numberOf((await walk.readWindow(at, size)).subarray(0, Math.min(size, 8)))
    if (id === ID.scale) state.scale = value
    else state.time = value
  }
  if (id === ID.entry) {
    if (size > MAX_BYTES) return false
    const read = readTrack((await walk.readWindow(at, size)).subarray(0, size))
    // If two tracks have the same number, players take the first.
    if (read && !state.tracks.has(read.number)) state.tracks.set(read.number, read.track)
  }
  if (id === ID.block || id === ID.simple) {
    const number = trackNumber((await walk.readWindow(at, Math.min(size, HEAD_BYTES))).subarray(0, size))
    const track = number && state.tracks.get(number.value)
    if (!track) return true
    if (!track.meter || size > MAX_BYTES) return false
    addBlock(track, (await walk.readWindow(at, size)).subarray(0, size), number.bytes, state.time)
  }
  return true
}

function secondsOf(track: Track, scale: number): number {
  const timelineSeconds = ((track.last - (track.first ?? track.last)) * scale) / 1e9 + track.step
  return (timelineSeconds - track.seconds > GAP_SECONDS ? timelineSeconds : track.seconds) - track.skip
}

/**
 * Seconds of the longest audio track of a WebM or Matroska file, from all of its blocks and what their packets state. If times
 * say more, they count, because then packets were not sent. Null if there is no audio track, or a track has blocks of an unknown
 * codec.
 */
export async function webmSeconds(bytes: ByteSource): Promise<number | null> {
  const walk = createWindowReader(bytes)
  const state: ScanState = { tracks: new Map(), time: 0, scale: 1_000_000 }
  /** Where the entered elements end, each within the one before. */
  const ends: number[] = []
  let at = 0
  while (at < bytes.size) {
    const element = readElement((await walk.readWindow(at, HEAD_BYTES)).subarray(0, HEAD_BYTES), 0, at)
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= at) ends.pop()
    const outer = ends.at(-1) ?? Number.POSITIVE_INFINITY
    const { id = 0, size = 0 } = element ?? {}
    const end = (element?.at ?? at) + size
    if (element && CONTAINER_ELEMENTS.has(id)) {
      if (end < outer) ends.push(end)
      if (ends.length > MAX_DEPTH) return null
      at = element.at
    } else if (element && end <= Math.min(bytes.size, outer)) {
      if (!(await readContent(walk, state, id, element.at, size))) return null
      at = end
    } else {
      // Truncated or damaged: players search for the next sound.
      at = await nextCluster(walk, at + 1)
    }
  }
  const all = [...state.tracks.values()].map((track) => secondsOf(track, state.scale))
  return all.length > 0 ? Math.max(...all) : null
}
