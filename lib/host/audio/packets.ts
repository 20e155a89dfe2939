import { aacMeter } from './aac.ts'
import { readAc3 } from './ac3.ts'
import { flacMeter, readStreamInfo } from './flac.ts'
import { HEADER_BYTES, type ReadHeader } from './frames.ts'
import { readMpeg } from './mpeg.ts'
import { opusSeconds } from './opus.ts'
import { saneRate } from './rates.ts'
import { isVorbis, vorbisMeter } from './vorbis.ts'

/** Tells the seconds of one packet of a track after the other. */
export type Meter = (packet: Buffer) => number

/** What a container says of a track's sound. */
export interface Sound {
  codec: 'aac' | 'ac3' | 'alac' | 'amr' | 'amr-wide' | 'flac' | 'mpeg' | 'opus' | 'pcm' | 'vorbis'
  /** What the codec itself has put in front of the packets. */
  description: Buffer
  rate: number
  /** Bytes of one sample of all channels, where it is not compressed. */
  frameBytes: number
}

/** What goes behind a packet so that a header at its end is found. */
const END = Buffer.alloc(16)

/** Packets of frames that say themselves how long they are: all that begin in them count. */
function frameMeter(readHeader: ReadHeader): Meter {
  let before: Buffer = Buffer.alloc(0)
  return (packet) => {
    const window = Buffer.concat([before, packet])
    let [at, seconds] = [0, 0]
    while (at + HEADER_BYTES <= window.length) {
      const frame = readHeader(window, at)
      seconds += frame?.seconds ?? 0
      at += frame?.bytes ?? 1
    }
    before = Buffer.from(window.subarray(at))
    return seconds
  }
}

/** Bytes of a frame of AMR by its type (RFC 4867, section 5.3), its head among them: narrow and wide band. */
const AMR_BYTES = {
  amr: [13, 14, 16, 18, 20, 21, 27, 32, 6],
  'amr-wide': [18, 24, 33, 37, 41, 47, 51, 59, 61, 6],
} as const

/** A frame of AMR, which is 20 ms; one of another type has no sound, and its head alone. */
const readAmr =
  (codec: keyof typeof AMR_BYTES): Meter =>
  (packet) => {
    let frames = 0
    for (let at = 0; at < packet.length; frames++) at += AMR_BYTES[codec][((packet[at] ?? 0) >> 3) & 15] ?? 1
    return frames * 0.02
  }

/** The three headers of Vorbis, laced into one; null where they are not. */
function readVorbis(description: Buffer): Meter | null {
  if (description[0] !== 2) return null
  let at = 1
  const sizes = [0, 0].map(() => {
    let size = 0
    while (description[at] === 255) {
      size += 255
      at++
    }
    size += description[at++] ?? 0
    return size
  })
  const [first = 0, second = 0] = sizes
  const identification = description.subarray(at, at + first)
  return isVorbis(identification) ? vorbisMeter(identification, description.subarray(at + first + second)) : null
}

/** The head of FLAC as it is in a file, or the block of it alone. */
function readFlac(description: Buffer): Meter | null {
  const at = description.toString('latin1', 0, 4) === 'fLaC' ? 8 : 4
  if (description.length < at + 34) return null
  const head = readStreamInfo(description.subarray(at))
  if (head.rate === 0) return null
  const meter = flacMeter(head)
  return (packet) => meter(Buffer.concat([packet, END]))
}

/** The cookie of ALAC: the samples of a packet in front, the rate at its end. */
function readAlac(description: Buffer, told: number): Meter | null {
  if (description.length < 24) return null
  const rate = Math.min(...[description.readUInt32BE(20), told].filter((each) => each > 0))
  const seconds = description.readUInt32BE(0) / saneRate(rate)
  return () => seconds
}

/** How to tell the length of a track's packets from what is in them; null where that cannot be. */
export function meterOf({ codec, description, rate, frameBytes }: Sound): Meter | null {
  if (codec === 'opus') return opusSeconds
  if (codec === 'aac') return aacMeter(description, rate)
  if (codec === 'vorbis') return readVorbis(description)
  if (codec === 'flac') return readFlac(description)
  if (codec === 'alac') return readAlac(description, rate)
  if (codec === 'mpeg') return frameMeter(readMpeg)
  if (codec === 'amr' || codec === 'amr-wide') return readAmr(codec)
  if (codec === 'ac3') return frameMeter(readAc3)
  return rate > 0 && frameBytes > 0 ? ({ length }) => length / frameBytes / saneRate(rate) : null
}
