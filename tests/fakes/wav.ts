import { wavHead } from '#lib/host/audio/testing'

const SILENT_RATE = 8000

/** A WAV of silence with this many bytes (an even number), 16,000 per second. */
export const silentWavOf = (bytes: number): Buffer => Buffer.concat([wavHead(bytes, SILENT_RATE), Buffer.alloc(bytes)])

/** A 16-bit mono WAV of a 440 Hz tone, `seconds` long. */
export function wavOf(seconds: number, sampleRate = 8000): Buffer {
  const samples = Math.round(seconds * sampleRate)
  const data = Buffer.alloc(samples * 2)
  for (let at = 0; at < samples; at++)
    data.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / sampleRate)), at * 2)
  return Buffer.concat([wavHead(data.length, sampleRate), data])
}
