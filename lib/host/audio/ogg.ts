import { type Bytes, WINDOW_BYTES } from './bytes.ts'

/** One stream in an Ogg file; in a chained file there are several, one after the other. */
interface Stream {
  codec: 'opus' | 'counted'
  /** Samples a second in which positions are counted. */
  rate: number
  /** Samples at the start that are not heard. */
  skip: number
  /** Samples of Opus packets, by what each packet says of itself. */
  samples: number
  packets: number
  bytes: number
  first: number | null
  last: number
  inPacket: boolean
}

/** The largest page: 27 bytes of head, 255 sizes, and 255 times 255 bytes. */
const PAGE_BYTES = 27 + 255 + 255 * 255
/** More than any encoder of speech and music makes of a second, uncompressed stereo apart. A position that claims less time lies. */
const MOST_BYTES_PER_SECOND = 200_000

/** Samples at 48 kHz of an Opus packet, by its first two bytes (RFC 6716, section 3.1). */
export function opusSamples(first: number, second: number): number {
  const config = first >> 3
  const frame =
    config >= 16 ? 120 << (config & 3) : config >= 12 ? 480 << (config & 1) : config % 4 === 3 ? 2880 : 480 << (config & 3)
  const code = first & 3
  return frame * (code === 0 ? 1 : code === 3 ? second & 0x3f : 2)
}

/** What the first packet of a stream says; null where it is no sound. */
function readStart(packet: Buffer): Stream | null {
  const stream = { samples: 0, packets: 0, bytes: 0, first: null, last: 0, inPacket: false, skip: 0 }
  const name = packet.toString('latin1', 0, 8)
  if (name === 'OpusHead' && packet.length >= 12) {
    return { ...stream, codec: 'opus', rate: 48_000, skip: packet.readUInt16LE(10) }
  }
  if (name.startsWith('\x01vorbis') && packet.length >= 16) return { ...stream, codec: 'counted', rate: packet.readUInt32LE(12) }
  if (name.startsWith('\x7fFLAC') && packet.length >= 30)
    return { ...stream, codec: 'counted', rate: packet.readUIntBE(27, 3) >> 4 }
  if (name === 'Speex   ' && packet.length >= 40) return { ...stream, codec: 'counted', rate: packet.readUInt32LE(36) }
  return null
}

/** Counts what a page adds to its stream. `sizes` are the page's segment sizes, `body` what follows them. */
function addPage(stream: Stream, sizes: Buffer, body: Buffer, position: bigint): void {
  let at = 0
  for (const size of sizes) {
    if (at > body.length || (at === body.length && size > 0)) break
    // Opus: the first two packets are its heads. A packet counts where it begins.
    if (!stream.inPacket) {
      stream.packets++
      const hasSound = stream.codec === 'opus' && stream.packets > 2 && size > 0
      if (hasSound) stream.samples += opusSamples(body[at] ?? 0, size > 1 ? (body[at + 1] ?? 0) : 0)
    }
    stream.inPacket = size === 255
    at += size
  }
  stream.bytes += body.length
  if (position <= 0n || position > BigInt(Number.MAX_SAFE_INTEGER)) return
  // A live recording starts anywhere: what its first page with sound ends with is where it starts, nearly.
  stream.first ??= Number(position)
  stream.last = Number(position)
}

function secondsOf(stream: Stream): number {
  const { codec, rate, first, last, skip, samples, bytes } = stream
  if (!(rate > 0)) return 0
  if (codec === 'opus') {
    const counted = Math.max(0, samples - skip)
    // The last packet is cut where the position says, at most one packet earlier than counted.
    const cut = last - skip
    return (cut > 0 && cut < counted && counted - cut <= 5760 ? cut : counted) / rate
  }
  // The start of a recording that was cut out of a longer one is an hour or so, not a page.
  const start = first !== null && first > rate * 60 ? first : 0
  return Math.max((last - start) / rate, bytes / MOST_BYTES_PER_SECOND)
}

/**
 * Seconds of an Ogg file: Opus by counting packets, Vorbis, FLAC and Speex by positions in it that its bytes bear out. The
 * streams of a chained file are added up. Null where it has no sound that is known here.
 */
export async function oggSeconds(bytes: Bytes): Promise<number | null> {
  const live = new Map<number, Stream>()
  const all: Stream[] = []
  let at = 0
  while (at + 27 <= bytes.size) {
    const window = await bytes.read(at, WINDOW_BYTES)
    const isLast = at + window.length >= bytes.size
    let offset = 0
    while (offset + 27 <= window.length && (isLast || window.length - offset >= PAGE_BYTES)) {
      if (window.toString('latin1', offset, offset + 4) !== 'OggS') {
        const next = window.indexOf('OggS', offset + 1, 'latin1')
        offset = next < 0 ? Math.max(offset + 1, window.length - 3) : next
        continue
      }
      const count = window[offset + 26] ?? 0
      const sizes = window.subarray(offset + 27, offset + 27 + count)
      const body = window.subarray(offset + 27 + count, offset + 27 + count + sizes.reduce((sum, size) => sum + size, 0))
      const serial = window.readUInt32LE(offset + 14)
      const isStart = ((window[offset + 5] ?? 0) & 2) !== 0
      if (isStart) {
        live.delete(serial)
        const stream = readStart(body)
        if (stream) live.set(serial, stream)
        if (stream) all.push(stream)
      }
      const stream = live.get(serial)
      if (stream) addPage(stream, sizes, body, window.readBigInt64LE(offset + 6))
      offset += 27 + count + body.length
    }
    at += Math.max(1, offset)
  }
  return all.length > 0 ? all.reduce((sum, stream) => sum + secondsOf(stream), 0) : null
}
