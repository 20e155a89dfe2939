import type { ReadHeader } from './frames.ts'

/** Kilobits per second by the header's index: MPEG-1 layers 1 to 3, MPEG-2 layer 1, and MPEG-2 layers 2 and 3. */
const RATES = {
  11: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  12: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  13: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  21: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  22: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const SAMPLE_RATES = [44_100, 48_000, 32_000]
/** AAC sample rates by their index in a header (ISO 14496-3, table 1.18). */
export const AAC_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]

function ratesOf(isVersion1: boolean, layer: number): readonly number[] {
  if (!isVersion1) return layer === 1 ? RATES[21] : RATES[22]
  return layer === 1 ? RATES[11] : layer === 2 ? RATES[12] : RATES[13]
}

const samplesOf = (isVersion1: boolean, layer: number): number => (layer === 1 ? 384 : layer === 2 || isVersion1 ? 1152 : 576)

/** Reads the header of an MPEG audio frame (ISO 11172-3, section 2.4.2.3). Frames without a bit rate are not read. */
export const readMpeg: ReadHeader = (window, at) => {
  if (window[at] !== 0xff) return null
  const [one = 0, two = 0] = [window[at + 1], window[at + 2]]
  const version = (one >> 3) & 3
  const layer = 4 - ((one >> 1) & 3)
  if ((one & 0xe0) !== 0xe0 || version === 1 || layer === 4) return null
  const isVersion1 = version === 3
  const kilobits = ratesOf(isVersion1, layer)[two >> 4]
  const base = SAMPLE_RATES[(two >> 2) & 3]
  if (!kilobits || !base) return null
  const rate = base / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  const samples = samplesOf(isVersion1, layer)
  const padding = (two >> 1) & 1
  const slots = Math.floor((samples / 8) * ((kilobits * 1000) / rate) * (layer === 1 ? 1 / 4 : 1))
  const bytes = layer === 1 ? (slots + padding) * 4 : slots + padding
  return { bytes, seconds: samples / rate, kind: (version * 4 + layer) * 4 + ((two >> 2) & 3) }
}

/** More bytes than AAC frames have on average for each channel: 6144 bits are allowed. */
export const AAC_CHANNEL_BYTES = 1024

/** Reads the header of an AAC frame outside of a container (ADTS, ISO 14496-3, section 1.A.2.2). */
export const readAdts: ReadHeader = (window, at) => {
  if (window[at] !== 0xff) return null
  const [one = 0, two = 0, three = 0, four = 0, five = 0, six = 0] = window.subarray(at + 1, at + 7)
  const rate = AAC_RATES[(two >> 2) & 15]
  const bytes = ((three & 3) << 11) | (four << 3) | (five >> 5)
  if ((one & 0xf6) !== 0xf0 || !rate || bytes < 7) return null
  const channels = ((two & 1) << 2) | (three >> 6) || 8
  const minSeconds = ((bytes / (AAC_CHANNEL_BYTES * channels)) * 1024) / rate
  return { bytes, seconds: (1024 * ((six & 3) + 1)) / rate, minSeconds, kind: rate }
}
