import { type Bytes, WINDOW_BYTES } from './bytes.ts'
import { opusSamples } from './ogg.ts'

/** Elements of Matroska that are walked into; all others are read or passed over (RFC 9559). */
const ID = {
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  entry: 0xae,
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  private: 0x63a2,
  audio: 0xe1,
  rate: 0xb5,
  step: 0x23e383,
  cluster: 0x1f43b675,
  time: 0xe7,
  group: 0xa0,
  block: 0xa1,
  simple: 0xa3,
} as const
const INTO = new Set<number>([ID.segment, ID.info, ID.tracks, ID.cluster, ID.group, ID.audio])
const AUDIO = 2
/** The most of an element that is looked at: enough for a track's entry and the start of a block. */
const HEAD_BYTES = 12
const LEAF_BYTES = 64 * 1024

interface Track {
  codec: string
  rate: number
  /** Nanoseconds that its entry says every packet has, or 0. */
  stepNs: number
  skip: number
  samples: number
  /** Milliseconds, or what the file's scale is, of its first and last packet. */
  first: number | null
  last: number
  step: number
}

interface Element {
  id: number
  /** Where its content starts, and how long it is; Infinity where the file leaves it open. */
  at: number
  size: number
}

/** The element whose head starts at `at`; null where there is none. */
function readElement(window: Buffer, at: number, base: number): Element | null {
  const first = window[at] ?? 0
  const idBytes = Math.clz32(first << 24) + 1
  if (first === 0 || idBytes > 4 || at + idBytes >= window.length) return null
  const id = window.readUIntBE(at, idBytes)
  const marker = window[at + idBytes] ?? 0
  const sizeBytes = Math.clz32(marker << 24) + 1
  const start = at + idBytes + sizeBytes
  if (marker === 0 || start > window.length) return null
  let size = marker & (0xff >> sizeBytes)
  let isOpen = size === 0xff >> sizeBytes
  for (const byte of window.subarray(at + idBytes + 1, start)) {
    size = size * 256 + byte
    isOpen &&= byte === 0xff
  }
  return { id, at: base + start, size: isOpen ? Number.POSITIVE_INFINITY : size }
}

const numberOf = (bytes: Buffer): number => bytes.subarray(0, 6).reduce((sum, byte) => sum * 256 + byte, 0)
const floatOf = (bytes: Buffer): number =>
  bytes.length === 8 ? bytes.readDoubleBE(0) : bytes.length === 4 ? bytes.readFloatBE(0) : 0

/** A track by the elements of its entry, all of which are in memory. */
function readTrack(entry: Buffer): { number: number; track: Track } | null {
  const found = new Map<number, Buffer>()
  let at = 0
  while (at < entry.length) {
    const element = readElement(entry, at, 0)
    if (!element) break
    found.set(element.id, entry.subarray(element.at, element.at + element.size))
    at = element.id === ID.audio ? element.at : element.at + element.size
  }
  const none = Buffer.alloc(0)
  if (numberOf(found.get(ID.type) ?? none) !== AUDIO) return null
  const codec = (found.get(ID.codec) ?? none).toString('latin1')
  const head = found.get(ID.private) ?? none
  const track = {
    codec,
    rate: floatOf(found.get(ID.rate) ?? none) || 8000,
    stepNs: numberOf(found.get(ID.step) ?? none),
    skip: codec === 'A_OPUS' && head.length >= 12 ? head.readUInt16LE(10) / 48_000 : 0,
    samples: 0,
    first: null,
    last: 0,
    step: 0,
  }
  return { number: numberOf(found.get(ID.number) ?? none), track }
}

/** Seconds of sound in one packet, by its codec; 0 where that cannot be told. */
function soundOf(track: Track, first: number, second: number): number {
  if (track.codec === 'A_OPUS') return opusSamples(first, second) / 48_000
  if (track.codec.startsWith('A_AAC')) return 1024 / track.rate
  return track.stepNs / 1e9
}

/** Counts the packets of a block. Where several share one block (lacing), all count as its first. */
function addBlock(tracks: Map<number, Track>, block: Buffer, clusterTime: number): void {
  const numberBytes = Math.clz32((block[0] ?? 0) << 24) + 1
  if (numberBytes > 2 || block.length < numberBytes + 3) return
  const number = numberBytes === 1 ? (block[0] ?? 0) & 0x7f : block.readUInt16BE(0) & 0x3fff
  const track = tracks.get(number)
  if (!track) return
  const time = clusterTime + block.readInt16BE(numberBytes)
  const isLaced = ((block[numberBytes + 2] ?? 0) & 6) !== 0
  const start = numberBytes + 3
  const count = isLaced ? (block[start] ?? 0) + 1 : 1
  // The sizes of laced packets stand in front of them; sound of one kind has packets of one length.
  track.samples += count * (isLaced ? track.step : soundOf(track, block[start] ?? 0, block[start + 1] ?? 0))
  if (!isLaced) track.step = soundOf(track, block[start] ?? 0, block[start + 1] ?? 0)
  track.first ??= time
  if (time > track.last) track.last = time
}

function secondsOf(track: Track, scale: number): number {
  const span = ((track.last - (track.first ?? track.last)) * scale) / 1e9
  return Math.max(span + track.step, track.samples) - track.skip
}

/**
 * Seconds of the longest audio track of a WebM or Matroska file, by walking through all of its blocks: what its head claims
 * is not looked at. Null where there is no audio track.
 */
export async function webmSeconds(bytes: Bytes): Promise<number | null> {
  const tracks = new Map<number, Track>()
  let [at, time, scale] = [0, 0, 1_000_000]
  let window: Buffer = Buffer.alloc(0)
  let windowAt = 0
  while (at < bytes.size) {
    if (at + HEAD_BYTES > windowAt + window.length || at < windowAt) {
      window = await bytes.read(at, WINDOW_BYTES)
      windowAt = at
    }
    const element = readElement(window, at - windowAt, windowAt)
    if (!element) break
    const { id, size } = element
    at = element.at
    if (INTO.has(id)) continue
    // What says that it goes on beyond the file was cut off: a block of it is not all there.
    if (size > bytes.size - at) break
    const wanted = id === ID.entry ? Math.min(size, LEAF_BYTES) : Math.min(size, HEAD_BYTES)
    if (at + wanted > windowAt + window.length) {
      window = await bytes.read(at, WINDOW_BYTES)
      windowAt = at
    }
    const content = window.subarray(at - windowAt, at - windowAt + wanted)
    if (id === ID.entry) {
      const read = readTrack(content)
      if (read) tracks.set(read.number, read.track)
    }
    if (id === ID.scale) scale = numberOf(content)
    if (id === ID.time) time = numberOf(content)
    if (id === ID.block || id === ID.simple) addBlock(tracks, content, time)
    at += size
  }
  const all = [...tracks.values()].map((track) => secondsOf(track, scale))
  return all.length > 0 ? Math.max(...all) : null
}
