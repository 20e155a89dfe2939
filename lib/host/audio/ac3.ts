import type { ReadHeader } from './frames.ts'

const RATES = [48_000, 44_100, 32_000] as const
/** Kilobits per second of AC-3, by half the frame's size code. */
const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640] as const
/** Blocks of 256 samples in an E-AC-3 frame, by their code. */
const BLOCKS = [1, 2, 3, 6] as const
const BLOCK_SAMPLES = 256

/** Reads the header of an AC-3 or E-AC-3 frame (ETSI TS 102 366). A frame of an additional substream adds no time. */
export const readAc3: ReadHeader = (window, at) => {
  if (window[at] !== 0x0b || window[at + 1] !== 0x77) return null
  const [two = 0, three = 0, four = 0, five = 0] = window.subarray(at + 2, at + 6)
  const version = five >> 3
  const code = four >> 6
  if (version > 16) return null
  if (version > 10) {
    const isDependentStream = two >> 6 === 1 || ((two >> 3) & 7) > 0
    const rate = code === 3 ? (RATES[(four >> 4) & 3] ?? 0) / 2 : RATES[code]
    const blocks = code === 3 ? 6 : (BLOCKS[(four >> 4) & 3] ?? 6)
    if (!rate) return null
    return {
      bytes: ((((two & 7) << 8) | three) + 1) * 2,
      seconds: isDependentStream ? 0 : (blocks * BLOCK_SAMPLES) / rate,
      kind: rate,
    }
  }
  const [rate, kilobits] = [RATES[code], KILOBITS[(four & 63) >> 1]]
  if (!rate || !kilobits) return null
  const words = Math.floor((kilobits * 1000 * 6 * BLOCK_SAMPLES) / 16 / rate) + (code === 1 ? four & 1 : 0)
  const effectiveRate = rate / 2 ** Math.max(0, version - 8)
  return { bytes: words * 2, seconds: (6 * BLOCK_SAMPLES) / effectiveRate, kind: rate }
}
