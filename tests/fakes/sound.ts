import { wavHead } from '#lib/host/audio/testing'

const SILENT_RATE = 8000

/** A WAV of so many bytes of silence, 16,000 to the second; an even number of them. */
export const silentWavOf = (bytes: number): Buffer => Buffer.concat([wavHead(bytes, SILENT_RATE), Buffer.alloc(bytes)])

/** A WAV of one channel of 16 bits, in which a tone of 440 Hz can be heard for so long. */
export function wavOf(seconds: number, sampleRate = 8000): Buffer {
  const samples = Math.round(seconds * sampleRate)
  const data = Buffer.alloc(samples * 2)
  for (let at = 0; at < samples; at++)
    data.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / sampleRate)), at * 2)
  return Buffer.concat([wavHead(data.length, sampleRate), data])
}
