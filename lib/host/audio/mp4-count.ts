import { findBoxes, readBoxSize } from './boxes.ts'
import { type ByteSource, createWindowReader, type WindowReader } from './bytes.ts'
import { readSampleEntry } from './mp4-entry.ts'
import { fragmentRuns, readDefaults, readTables, runsOf, type SampleRun, type SampleTables } from './mp4-samples.ts'
import { type Meter, meterOf } from './packet-meter.ts'

/** No sound file has a larger box that is read as a whole, or a larger packet. */
const MAX_BOX_BYTES = 32 * 1024 * 1024
const MAX_PACKET_BYTES = 4 * 1024 * 1024
/** Chunks of a track that are apart are read in pieces of this size. */
const PIECE_BYTES = 64 * 1024
/** How many times over a file may be read. A track with consecutive samples needs at most one time. */
const MAX_READS = 16

interface Track {
  tables: SampleTables
  meter: Meter
  frameBytes: number
  seconds: number
  /** The part of them that is not in fragments. */
  tableSeconds: number
}

/** Boxes that belong inside others. Players read them wherever they are. */
const MISPLACED_BOXES = new Set(['trak', 'mdia', 'minf', 'stbl', 'traf'])

/** Thrown for a file that cannot be counted: damaged, or crafted to take long. */
class UncountableError extends Error {}

/** A track with sound from its `trak` box, and its number. Null if it has no sound. */
function readTrack(trak: Buffer): [number, Track] | null {
  const isSound = findBoxes(trak, ['hdlr']).some(({ content }) => content.toString('latin1', 8, 12) === 'soun')
  if (!isSound) return null
  const tables = readTables(trak)
  const head = findBoxes(trak, ['tkhd'])[0]?.content
  const sound = tables && readSampleEntry(tables.stsd)
  const meter = sound && meterOf(sound)
  if (!meter || !head || head.length < 24) throw new UncountableError()
  const track = { tables, meter, frameBytes: sound.frameBytes, seconds: 0, tableSeconds: 0 }
  return [head.readUInt32BE(head[0] === 1 ? 20 : 12), track]
}

/** Counts the samples of a run that the file really contains. Uncompressed samples of one size count as one packet. */
async function addRun(track: Track, run: SampleRun, walk: WindowReader, spend: (bytes: number) => void): Promise<void> {
  let { at } = run
  const add = async (size: number): Promise<boolean> => {
    if (at + size > walk.size) return false
    if (size > MAX_PACKET_BYTES) throw new UncountableError()
    spend(size)
    track.seconds += track.meter((await walk.readWindow(at, size)).subarray(0, size))
    at += size
    return true
  }
  if (!('each' in run.sizes)) {
    for (const size of run.sizes) if (size > 0 && !(await add(size))) return
    return
  }
  const { each, count } = run.sizes
  if (each === 0) return
  const fittingCount = Math.min(count, Math.max(0, Math.floor((walk.size - at) / each)))
  const batchSize = track.frameBytes > 0 ? Math.max(1, Math.floor(PIECE_BYTES / each)) : 1
  for (let done = 0; done < fittingCount; done += batchSize) await add(each * Math.min(batchSize, fittingCount - done))
}

/** The same bytes, but throws when too many are read. */
function limitReads(bytes: ByteSource): ByteSource {
  let left = MAX_READS * (bytes.size + PIECE_BYTES)
  return {
    size: bytes.size,
    read: async (at, length) => {
      const read = await bytes.read(at, length)
      left -= read.length
      if (left < 0 || length > MAX_BOX_BYTES) throw new UncountableError()
      return read
    },
  }
}

/** What a file says about its samples: the tracks with sound, and where its fragments are. */
interface Layout {
  tracks: Map<number, Track>
  defaults: Map<number, number>
  fragments: { at: number; content: number; size: number }[]
}

const readTracks = (moov: Buffer): Map<number, Track> =>
  new Map(
    findBoxes(moov, ['trak'])
      .map(({ content }) => readTrack(content))
      .filter((read) => read !== null),
  )

async function readLayout(bytes: ByteSource): Promise<Layout> {
  const walk = createWindowReader(bytes, PIECE_BYTES)
  const layout: Layout = { tracks: new Map(), defaults: new Map(), fragments: [] }
  let hasHead = false
  let at = 0
  while (at < bytes.size) {
    const head = (await walk.readWindow(at, 16)).subarray(0, 16)
    const box = readBoxSize(head, 0, bytes.size - at)
    if (!box) break
    const name = head.toString('latin1', 4, 8)
    const [content, size] = [at + box.head, box.size - box.head]
    // Players take the first one.
    if (name === 'moov' && !hasHead) {
      hasHead = true
      const moov = await bytes.read(content, size)
      layout.tracks = readTracks(moov)
      layout.defaults = readDefaults(moov)
    }
    if (MISPLACED_BOXES.has(name)) throw new UncountableError()
    if (name === 'moof') layout.fragments.push({ at, content, size })
    at += box.size
  }
  return layout
}

/** The length of a track according to its samples. */
export interface CountedTrack {
  seconds: number
  /** Whether some of its samples are in fragments and others are not. */
  isMixed: boolean
}

/**
 * Seconds of the tracks with sound of an MP4 or QuickTime file, by track number: all samples that the file really contains, with
 * their own durations. Null if that cannot be measured: an unknown codec, or tables that contradict each other.
 */
export async function countMp4(source: ByteSource): Promise<Map<number, CountedTrack> | null> {
  const bytes = limitReads(source)
  const walk = createWindowReader(bytes, PIECE_BYTES)
  let left = bytes.size
  const spend = (size: number): void => {
    left -= size
    if (left < 0) throw new UncountableError()
  }
  try {
    const { tracks, defaults, fragments } = await readLayout(bytes)
    for (const track of tracks.values()) {
      for (const run of runsOf(track.tables, track.frameBytes)) await addRun(track, run, walk, spend)
      track.tableSeconds = track.seconds
    }
    for (const { at, content, size } of fragments) {
      for (const [number, run] of fragmentRuns(await bytes.read(content, size), at, defaults)) {
        const track = tracks.get(number)
        if (track) await addRun(track, run, walk, spend)
      }
    }
    return new Map(
      [...tracks].map(([number, { seconds, tableSeconds }]) => {
        return [number, { seconds, isMixed: tableSeconds > 0 && tableSeconds < seconds }]
      }),
    )
  } catch (error) {
    if (error instanceof UncountableError) return null
    throw error
  }
}
