import { type Element, floatOf, numberOf, readElement, readSize } from './ebml.ts'
import { type AudioFormat, type Meter, meterOf } from './packet-meter.ts'

/** Elements of a track's entry (RFC 9559, section 5.1.4). */
const ID = {
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  private: 0x63a2,
  encodings: 0x6d80,
  audio: 0xe1,
  rate: 0xb5,
  outputRate: 0x78b5,
  channels: 0x9f,
  depth: 0x6264,
} as const
const AUDIO = 2
/** Codecs by the start of their names, as players recognize them. */
const CODECS: readonly [name: string, codec: AudioFormat['codec']][] = [
  ['A_OPUS', 'opus'],
  ['A_AAC', 'aac'],
  ['A_VORBIS', 'vorbis'],
  ['A_FLAC', 'flac'],
  ['A_MPEG/L', 'mpeg'],
  ['A_AC3', 'ac3'],
  ['A_EAC3', 'ac3'],
  ['A_ALAC', 'alac'],
  ['A_PCM', 'pcm'],
]

/** A track with sound. */
export interface Track {
  /** Null if its packets are of an unknown kind, or have a content encoding. */
  meter: Meter | null
  /** Seconds at the start that are not heard. */
  skip: number
  seconds: number
  /** The times of its first and last packet, in milliseconds or the file's own scale. */
  first: number | null
  last: number
  /** Seconds of its last block. */
  step: number
}

/** Bytes of an uncompressed sample. Players assume 16 bits if they do not know the number. */
const sampleBytes = (codec: string, bits: number): number => {
  if (codec.startsWith('A_PCM/FLOAT')) return bits === 64 ? 8 : 4
  return bits === 8 || bits === 24 || bits === 32 ? bits / 8 : 2
}

/** Reads a track from the elements of its entry, all of which are in memory. Null if it has no sound. */
export function readTrack(entry: Buffer): { number: number; track: Track } | null {
  const found = new Map<number, Buffer>()
  let at = 0
  let element: Element | null
  while (at < entry.length) {
    element = readElement(entry, at, 0)
    if (!element) break
    found.set(element.id, entry.subarray(element.at, element.at + element.size))
    at = element.id === ID.audio ? element.at : element.at + element.size
  }
  const empty = Buffer.alloc(0)
  const fieldOf = (id: number): Buffer => found.get(id) ?? empty
  if (numberOf(fieldOf(ID.type)) !== AUDIO) return null
  const name = fieldOf(ID.codec).toString('latin1')
  const codec = CODECS.find(([start]) => name.startsWith(start))?.[1]
  const description = Buffer.from(fieldOf(ID.private))
  const rates = [floatOf(fieldOf(ID.rate)) || 8000, floatOf(fieldOf(ID.outputRate))].filter((rate) => rate > 0)
  const frameBytes = sampleBytes(name, numberOf(fieldOf(ID.depth))) * Math.max(1, numberOf(fieldOf(ID.channels)))
  const isPlain = codec !== undefined && !found.has(ID.encodings)
  const track = {
    meter: isPlain ? meterOf({ codec, description, rate: Math.min(...rates), frameBytes }) : null,
    skip: codec === 'opus' && description.length >= 12 ? description.readUInt16LE(10) / 48_000 : 0,
    seconds: 0,
    first: null,
    last: 0,
    step: 0,
  }
  return { number: numberOf(fieldOf(ID.number)), track }
}

/** How several packets share a block. */
const [XIPH, FIXED, EBML] = [1, 2, 3]

/** Sizes of all packets except the last, and where the first one starts. */
function readLacing(block: Buffer, start: number, lacing: number): { sizes: number[]; at: number } {
  const count = block[start] ?? 0
  let at = start + 1
  if (lacing === FIXED) {
    const size = Math.floor((block.length - at) / (count + 1))
    return { sizes: Array<number>(count).fill(size), at }
  }
  let size = 0
  const sizes = Array.from({ length: count }, (_, index) => {
    if (lacing === XIPH) {
      size = 0
      while (block[at] === 255) {
        size += 255
        at++
      }
      size += block[at++] ?? 0
      return size
    }
    const read = readSize(block, at)
    at += read?.bytes ?? 1
    // Each size after the first is a difference, stored with an offset of half the range of its bytes.
    size = index === 0 ? (read?.value ?? 0) : size + (read ? read.value - (2 ** (7 * read.bytes - 1) - 1) : 0)
    return Math.max(0, size)
  })
  return { sizes, at }
}

/** The packets of a block whose flags are at `start`. */
function packetsOf(block: Buffer, start: number): Buffer[] {
  const lacing = ((block[start] ?? 0) >> 1) & 3
  if (lacing !== XIPH && lacing !== FIXED && lacing !== EBML) return [block.subarray(start + 1)]
  let { sizes, at } = readLacing(block, start + 1, lacing)
  const packets = sizes.map((size) => {
    at += size
    return block.subarray(at - size, at)
  })
  return [...packets, block.subarray(at)]
}

/** The number of the track to which a block belongs, and how many bytes the number takes. Null if the block is damaged. */
export function trackNumber(block: Buffer): { value: number; bytes: number } | null {
  const read = readSize(block, 0)
  return read && block.length >= read.bytes + 3 ? read : null
}

/** Counts the packets of a block whose track number takes `bytes` bytes. */
export function addBlock(track: Track, block: Buffer, bytes: number, clusterTime: number): void {
  const time = clusterTime + block.readInt16BE(bytes)
  track.step = packetsOf(block, bytes + 2).reduce((sum, packet) => sum + (track.meter?.(packet) ?? 0), 0)
  track.seconds += track.step
  track.first ??= time
  if (time > track.last) track.last = time
}
