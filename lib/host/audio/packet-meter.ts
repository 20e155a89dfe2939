import { aacMeter } from './aac.ts'
import { readAc3 } from './ac3.ts'
import { flacMeter, readStreamInfo } from './flac.ts'
import { HEADER_BYTES, type ReadHeader } from './frames.ts'
import { readMpeg } from './mpeg.ts'
import { opusSeconds } from './opus.ts'
import { clampRate } from './rates.ts'
import { isVorbis, vorbisMeter } from './vorbis.ts'

/** Measures the seconds of a track's packets, one after the other. */
export type Meter = (packet: Buffer) => number

/** What a container says about a track's sound. */
export interface AudioFormat {
  codec: 'aac' | 'ac3' | 'alac' | 'amr' | 'amr-wide' | 'flac' | 'mpeg' | 'opus' | 'pcm' | 'vorbis'
  /** The codec's own data that precedes the packets. */
  description: Buffer
  rate: number
  /** Bytes of one sample over all channels, if it is not compressed. */
  frameBytes: number
}

/** Appended to a packet so that a header at its end is found. */
const END_PADDING = Buffer.alloc(16)

/** Measures packets whose frames state their own length. All frames that begin in a packet count. */
function frameMeter(readHeader: ReadHeader): Meter {
  let pending: Buffer = Buffer.alloc(0)
  return (packet) => {
    const window = Buffer.concat([pending, packet])
    let [at, seconds] = [0, 0]
    while (at + HEADER_BYTES <= window.length) {
      const frame = readHeader(window, at)
      seconds += frame?.seconds ?? 0
      at += frame?.bytes ?? 1
    }
    pending = Buffer.from(window.subarray(at))
    return seconds
  }
}

/** Bytes of an AMR frame by its type, including its header (RFC 4867, section 5.3): narrowband and wideband. */
const AMR_BYTES = {
  amr: [13, 14, 16, 18, 20, 21, 27, 32, 6],
  'amr-wide': [18, 24, 33, 37, 41, 47, 51, 59, 61, 6],
} as const

/** Measures AMR frames of 20 ms each. A frame of any other type has no sound and consists of its header alone. */
const amrMeter =
  (codec: keyof typeof AMR_BYTES): Meter =>
  (packet) => {
    let frames = 0
    for (let at = 0; at < packet.length; frames++) at += AMR_BYTES[codec][((packet[at] ?? 0) >> 3) & 15] ?? 1
    return frames * 0.02
  }

/** Reads the three Vorbis headers, laced into one. Null if they are not. */
function vorbisPacketMeter(description: Buffer): Meter | null {
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

/** Reads the FLAC header as in a file, or its STREAMINFO block alone. */
function flacPacketMeter(description: Buffer): Meter | null {
  const at = description.toString('latin1', 0, 4) === 'fLaC' ? 8 : 4
  if (description.length < at + 34) return null
  const head = readStreamInfo(description.subarray(at))
  if (head.rate === 0) return null
  const meter = flacMeter(head)
  return (packet) => meter(Buffer.concat([packet, END_PADDING]))
}

/** Reads the ALAC cookie: it starts with the samples per packet and ends with the rate. */
function alacMeter(description: Buffer, containerRate: number): Meter | null {
  if (description.length < 24) return null
  const rate = Math.min(...[description.readUInt32BE(20), containerRate].filter((each) => each > 0))
  const seconds = description.readUInt32BE(0) / clampRate(rate)
  return () => seconds
}

/** How to measure a track's packets from their content, or null if that is impossible. */
export function meterOf({ codec, description, rate, frameBytes }: AudioFormat): Meter | null {
  if (codec === 'opus') return opusSeconds
  if (codec === 'aac') return aacMeter(description, rate)
  if (codec === 'vorbis') return vorbisPacketMeter(description)
  if (codec === 'flac') return flacPacketMeter(description)
  if (codec === 'alac') return alacMeter(description, rate)
  if (codec === 'mpeg') return frameMeter(readMpeg)
  if (codec === 'amr' || codec === 'amr-wide') return amrMeter(codec)
  if (codec === 'ac3') return frameMeter(readAc3)
  return rate > 0 && frameBytes > 0 ? ({ length }) => length / frameBytes / clampRate(rate) : null
}
