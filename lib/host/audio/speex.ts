/** Samples per frame and the highest sample rate, by the number of a Speex mode: narrowband, wideband and ultra-wideband. */
const MODES = [
  { frame: 160, maxRate: 12_500 },
  { frame: 320, maxRate: 25_000 },
  { frame: 640, maxRate: 48_000 },
] as const
/** No decoder accepts more frames in one packet. */
const MAX_FRAMES = 64
/** The most bytes per second: 42.2 kbit/s of ultra-wideband, plus what stereo adds. */
const MAX_BYTES_PER_SECOND = 5500

/** A Speex stream according to its header (Speex manual, section 7.1): its rate, and the length of each of its packets. */
export interface Speex {
  rate: number
  packetSeconds: number
}

/** Reads the header of a Speex stream. Null if there is none. */
export function readSpeex(packet: Buffer): Speex | null {
  if (packet.toString('latin1', 0, 8) !== 'Speex   ' || packet.length < 40) return null
  const uint32At = (at: number) => (packet.length >= at + 4 ? packet.readUInt32LE(at) : 0)
  const mode = MODES[uint32At(40)] ?? MODES[2]
  const rate = Math.min(uint32At(36), mode.maxRate)
  const frames = Math.min(MAX_FRAMES, Math.max(1, uint32At(64)))
  return { rate, packetSeconds: rate > 0 ? (frames * mode.frame) / rate : 0 }
}

/** The least seconds that this many bytes of Speex can be. */
export const minSpeexSeconds = (bytes: number): number => bytes / MAX_BYTES_PER_SECOND
