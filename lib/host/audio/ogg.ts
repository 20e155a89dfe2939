import { type ByteSource, WINDOW_BYTES } from './bytes.ts'
import { flacMeter, readStreamInfo } from './flac.ts'
import { opusSeconds } from './opus.ts'
import { clampRate } from './rates.ts'
import { minSpeexSeconds, readSpeex } from './speex.ts'
import { isVorbis, vorbisSegmentMeter } from './vorbis.ts'

/** How the sound of a stream is measured from its packets. */
interface Codec {
  /** The samples per second in which positions are counted. */
  rate: number
  /** Samples at the start that are not heard. */
  skip: number
  /** Seconds at the ends that are in the packets but not heard, if positions say so. */
  slack: number
  /** Whether positions are trusted if they say more than the packets hold, because packets were lost or not sent. */
  hasGaps: boolean
  /** Seconds of the packet that starts with this segment of a page, or 0 if the segment continues a packet. */
  segmentSeconds?(segment: Buffer, isStart: boolean): number
  /** Seconds in the next bytes of the stream, for codecs whose packets cannot be trusted to hold one frame. */
  bodySeconds?(body: Buffer): number
  /** The least seconds for this many bytes. */
  minSeconds?(bytes: number): number
}

/** One stream in an Ogg file. A chained file has several, one after the other. */
interface Stream {
  codec: Codec
  counted: number
  bytes: number
  /** Where the stream starts: the position of its first page with sound, minus the sound in it. */
  start: number | null
  last: number
  inPacket: boolean
}

/** What a page begins with, and the length of its header up to the sizes of its segments. */
const CAPTURE_PATTERN = 'OggS'
const HEADER_BYTES = 27
/** The largest page: its header, 255 sizes, and 255 times 255 bytes. */
const MAX_PAGE_BYTES = HEADER_BYTES + 255 + 255 * 255
/** The longest Opus packet, and the usual longest one of FLAC. */
const OPUS_SECONDS = 0.12
const FLAC_SECONDS = 1
/** Appended to the last bytes of a stream, so that a header in them is found. */
const END_PADDING = Buffer.alloc(16)
/** Sound that players know and that is not measured here: OGM, FLAC as it was before 2003, CELT, PCM. */
const UNSUPPORTED_CODECS = ['\x01audio', '\x01Direct', 'fLaC', 'CELT    ', 'PCM     ']
/** How many times over the pages of a file may cover it. In an honest file, each byte is covered once. */
const MAX_OVERLAP = 2
/** Positions can reduce what was counted by at most this share plus this many seconds. More would be more than the ends. */
const TRIM_SECONDS = 1.5
const TRIM_SHARE = 1 / 8

/** What the first packet of a stream says. Null if the stream has no sound. */
function readCodec(packet: Buffer): Codec | null {
  const name = packet.toString('latin1', 0, 8)
  if (name === 'OpusHead' && packet.length >= 12) {
    const isHead = (segment: Buffer) => /^Opus(Head|Tags)/.test(segment.toString('latin1', 0, 8))
    const segmentSeconds = (segment: Buffer, isStart: boolean) => (isStart && !isHead(segment) ? opusSeconds(segment) : 0)
    return { rate: 48_000, skip: packet.readUInt16LE(10), slack: OPUS_SECONDS, hasGaps: false, segmentSeconds }
  }
  if (isVorbis(packet)) {
    const rate = clampRate(packet.readUInt32LE(12))
    const slack = 2 ** ((packet[28] ?? 0) >> 4) / Math.max(1, rate)
    return { rate, skip: 0, slack, hasGaps: true, segmentSeconds: vorbisSegmentMeter(Buffer.from(packet.subarray(0, 29))) }
  }
  if (name.startsWith('\x7fFLAC') && packet.length >= 51) {
    const info = readStreamInfo(packet.subarray(17))
    return { rate: info.rate, skip: 0, slack: FLAC_SECONDS, hasGaps: true, bodySeconds: flacMeter(info) }
  }
  const speex = readSpeex(packet)
  if (!speex) return null
  let packets = 0
  return {
    rate: speex.rate,
    skip: 0,
    slack: 2 * speex.packetSeconds,
    hasGaps: true,
    // The first two are its header and a comment.
    segmentSeconds: (_, isStart) => (isStart && ++packets > 2 ? speex.packetSeconds : 0),
    minSeconds: minSpeexSeconds,
  }
}

/** One page: its segments' sizes, the bytes that follow them, and what its header says. */
interface Page {
  serial: number
  sizes: Buffer
  body: Buffer
  position: bigint
  /** Whether its first segment continues the last packet of the page before. */
  isContinued: boolean
  isStart: boolean
}

/** The page whose header is at `at`, up to the end of the window. Null if there is none. */
function readPage(window: Buffer, at: number): Page | null {
  if (window.toString('latin1', at, at + CAPTURE_PATTERN.length) !== CAPTURE_PATTERN) return null
  const flags = window[at + 5] ?? 0
  const start = at + HEADER_BYTES + (window[at + 26] ?? 0)
  const sizes = window.subarray(at + HEADER_BYTES, start)
  return {
    serial: window.readUInt32LE(at + 14),
    sizes,
    body: window.subarray(start, start + sizes.reduce((sum, size) => sum + size, 0)),
    position: window.readBigInt64LE(at + 6),
    isContinued: (flags & 1) !== 0,
    isStart: (flags & 2) !== 0,
  }
}

/** Adds what a page holds to its stream. */
function addPage(stream: Stream, { sizes, body, position, isContinued }: Page): void {
  const { codec } = stream
  let at = 0
  stream.inPacket &&= isContinued
  for (const size of sizes) {
    if (at > body.length || (at === body.length && size > 0)) break
    if (size > 0) stream.counted += codec.segmentSeconds?.(body.subarray(at, at + size), !stream.inPacket) ?? 0
    stream.inPacket = size === 255
    at += size
  }
  stream.counted += codec.bodySeconds?.(body) ?? 0
  stream.bytes += body.length
  if (position <= 0n || position > BigInt(Number.MAX_SAFE_INTEGER)) return
  // A live recording can start at any position.
  stream.start ??= Math.max(0, Number(position) - stream.counted * codec.rate)
  stream.last = Number(position)
}

/** Seconds in a stream's packets, and those of them that are heard: according to positions, if the packets confirm them. */
function secondsOf({ codec, counted, bytes, start, last }: Stream): { counted: number; heard: number } {
  if (!(codec.rate > 0)) return { counted: 0, heard: 0 }
  const sound = Math.max(counted + (codec.bodySeconds?.(END_PADDING) ?? 0), codec.minSeconds?.(bytes) ?? 0)
  const declaredSeconds = (last - (codec.hasGaps ? (start ?? 0) : codec.skip)) / codec.rate
  const minPlayedSeconds = Math.max(0, sound - codec.skip / codec.rate)
  if (declaredSeconds > minPlayedSeconds) return { counted: sound, heard: codec.hasGaps ? declaredSeconds : minPlayedSeconds }
  return {
    counted: sound,
    heard: declaredSeconds > 0 && minPlayedSeconds - declaredSeconds <= codec.slack ? declaredSeconds : minPlayedSeconds,
  }
}

/** Where the next page may begin: its capture pattern, or the last bytes of the window, which could be the start of one. */
function findPage(window: Buffer, from: number): number {
  const next = window.indexOf(CAPTURE_PATTERN, from, 'latin1')
  return next < 0 ? Math.max(from, window.length - CAPTURE_PATTERN.length + 1) : next
}

/** The streams with sound of a file, in the order in which they begin, as its pages make them known. */
class StreamList {
  readonly all: Stream[] = []
  /** By serial number, which a later stream of a chained file can have again. */
  readonly #live = new Map<number, Stream>()

  /** Takes the next page of the file. False if it begins a stream of an unsupported kind. */
  add(page: Page): boolean {
    const begins = page.isStart || !this.#live.has(page.serial)
    if (begins && isUnsupported(page)) return false
    if (begins) this.#begin(page)
    const stream = this.#live.get(page.serial)
    if (stream) addPage(stream, page)
    return true
  }

  #begin({ serial, body }: Page): void {
    const codec = readCodec(body)
    if (!codec) return
    const stream = { codec, counted: 0, bytes: 0, start: null, last: 0, inPacket: false }
    this.#live.set(serial, stream)
    this.all.push(stream)
  }
}

const isUnsupported = ({ body }: Page): boolean =>
  UNSUPPORTED_CODECS.some((name) => body.toString('latin1', 0, name.length) === name)

/** All streams with sound in a file. Null if one is of an unsupported kind, or if its pages overlap too often. */
async function readStreams(bytes: ByteSource): Promise<Stream[] | null> {
  const streams = new StreamList()
  let at = 0
  let coveredBytes = 0
  while (at + HEADER_BYTES <= bytes.size) {
    const window = await bytes.read(at, WINDOW_BYTES)
    const isLast = at + window.length >= bytes.size
    let offset = 0
    while (offset + HEADER_BYTES <= window.length && (isLast || window.length - offset >= MAX_PAGE_BYTES)) {
      const page = readPage(window, offset)
      if (page) {
        coveredBytes += page.body.length
        if (!streams.add(page) || coveredBytes > MAX_OVERLAP * bytes.size) return null
        // Do not skip the page's body: something that only looks like a page, and is not played, could hide others in it.
        offset += HEADER_BYTES + page.sizes.length
      }
      offset = findPage(window, offset)
    }
    at += Math.max(1, offset)
  }
  return streams.all
}

/**
 * Seconds of an Ogg file, from its packets: for Opus what each packet states, for Vorbis the blocks that its setup defines, for
 * FLAC its frames, for Speex the length that its mode defines. Positions show what is not heard at the ends, and where packets
 * are missing. The streams of a chained file are added up. Null if it has no supported sound.
 */
export async function oggSeconds(bytes: ByteSource): Promise<number | null> {
  const streams = await readStreams(bytes)
  if (!streams || streams.length === 0) return null
  const all = streams.map(secondsOf)
  const counted = all.reduce((sum, stream) => sum + stream.counted, 0)
  const heard = all.reduce((sum, stream) => sum + stream.heard, 0)
  return Math.max(heard, counted * (1 - TRIM_SHARE) - TRIM_SECONDS)
}
