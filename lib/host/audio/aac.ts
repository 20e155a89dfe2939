import { AAC_CHANNEL_BYTES, AAC_RATES, readAdts } from './mpeg.ts'

/** Sample rates of USAC by their index, which continues that of AAC (ISO 23003-3). */
const USAC_RATES = [51_200, 40_000, 38_400, 34_150, 28_800, 25_600, 20_000, 19_200, 17_075, 14_400, 12_800, 9600] as const
const MAX_RATE = 96_000
/** Samples per USAC frame, by their index. */
const USAC_SAMPLES = [768, 1024, 2048, 2048, 4096] as const
/** Object types: those that signal a higher band, those with low delay, and USAC. */
const [SBR, PS, LOW_DELAY, ENHANCED_LOW_DELAY, USAC] = [5, 29, 23, 39, 42]
/** Object types whose frame lengths are known here. */
const KNOWN_TYPES = new Set([1, 2, 3, 4, 17, 19, 20, LOW_DELAY, ENHANCED_LOW_DELAY, USAC])
const MAX_CHANNELS = 8

interface Config {
  rate: number
  /** Samples per frame at that rate. */
  samples: number
  channels: number
}

/** Reads numbers of a given number of bits, most significant bit first. Reads zeros past the end. */
function createBitReader(bytes: Buffer): (count: number) => number {
  let at = 0
  return (count) => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    return value
  }
}

/** Reads an AudioSpecificConfig (ISO 14496-3, section 1.6.2.1). Null if it has no rate or the object type is unknown. */
function readConfig(bytes: Buffer): Config | null {
  const read = createBitReader(bytes)
  const readType = (): number => {
    const type = read(5)
    return type === 31 ? 32 + read(6) : type
  }
  const readRate = (): number => {
    const index = read(4)
    return index === 15 ? read(24) : (AAC_RATES[index] ?? 0)
  }
  let type = readType()
  let rate = readRate()
  const channels = read(4)
  if (type === SBR || type === PS) {
    readRate()
    type = readType()
  }
  let samples = 1024
  if (type === USAC) {
    const index = read(5)
    if (index === 31) rate = read(24)
    else if (index !== 13 && index !== 14) rate = AAC_RATES[index] ?? USAC_RATES[index - 15] ?? rate
    samples = USAC_SAMPLES[read(3)] ?? 4096
  } else {
    const isShort = read(1) === 1
    const isLowDelay = type === LOW_DELAY || type === ENHANCED_LOW_DELAY
    samples = isLowDelay ? (isShort ? 480 : 512) : isShort ? 960 : 1024
  }
  return rate > 0 && KNOWN_TYPES.has(type)
    ? { rate, samples, channels: channels === 0 || channels > 6 ? MAX_CHANNELS : channels }
    : null
}

/**
 * Measures the seconds of AAC packets, one after the other. Each packet counts as at least one frame, and all bytes so far as no
 * fewer frames than they need. Decoders use the stream's AudioSpecificConfig. Without one, the rate from the container and a
 * header in the packet count.
 */
export function aacMeter(description: Buffer, containerRate: number): ((packet: Buffer) => number) | null {
  const fallback = { rate: containerRate, samples: 1024, channels: MAX_CHANNELS }
  const config = description.length > 0 ? readConfig(description) : fallback
  if (!config || !(config.rate > 0)) return null
  const { rate, samples, channels } = config
  const seconds = samples / Math.min(rate, MAX_RATE)
  let [bytes, frames] = [0, 0]
  return (packet) => {
    bytes += packet.length
    const more = Math.max(1, Math.ceil(bytes / (AAC_CHANNEL_BYTES * channels)) - frames)
    frames += more
    return Math.max(more * seconds, readAdts(packet, 0)?.seconds ?? 0)
  }
}
