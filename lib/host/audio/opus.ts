/** Samples of an Opus packet at 48 kHz, from its first two bytes (RFC 6716, section 3.1). */
export function opusSamples(first: number, second: number): number {
  const config = first >> 3
  const frame =
    config >= 16 ? 120 << (config & 3) : config >= 12 ? 480 << (config & 1) : config % 4 === 3 ? 2880 : 480 << (config & 3)
  const code = first & 3
  return frame * (code === 0 ? 1 : code === 3 ? second & 0x3f : 2)
}

/** Seconds of an Opus packet. */
export const opusSeconds = (packet: Buffer): number =>
  packet.length > 0 ? opusSamples(packet[0] ?? 0, packet[1] ?? 0) / 48_000 : 0
