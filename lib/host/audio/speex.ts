/** Samples of a frame and the most samples a second, by the number of a Speex mode: narrow, wide and ultra-wide band. */
const MODES = [
  { frame: 160, most: 12_500 },
  { frame: 320, most: 25_000 },
  { frame: 640, most: 48_000 },
] as const
/** More in one packet no decoder takes. */
const MOST_FRAMES = 64
/** The most bytes of a second: 42.2 kbit/s of ultra-wide band, and what stereo adds. */
const MOST_BYTES_PER_SECOND = 5500

/** A Speex stream by its head (Speex manual, section 7.1): its rate, and how long each of its packets is. */
export interface Speex {
  rate: number
  packetSeconds: number
}

/** Reads the head of a Speex stream; null where it is none. */
export function readSpeex(packet: Buffer): Speex | null {
  if (packet.toString('latin1', 0, 8) !== 'Speex   ' || packet.length < 40) return null
  const told = (at: number) => (packet.length >= at + 4 ? packet.readUInt32LE(at) : 0)
  const mode = MODES[told(40)] ?? MODES[2]
  const rate = Math.min(told(36), mode.most)
  const frames = Math.min(MOST_FRAMES, Math.max(1, told(64)))
  return { rate, packetSeconds: rate > 0 ? (frames * mode.frame) / rate : 0 }
}

/** The least seconds that so many bytes of Speex are. */
export const leastSpeexSeconds = (bytes: number): number => bytes / MOST_BYTES_PER_SECOND
