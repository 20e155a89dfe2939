import type { MaybePromise } from '../../domain/maybe-promise.ts'
import type { Speech } from './synthesize-speech.ts'

const MP3_KBPS = 64
/** The number of samples in an MP3 frame. */
const FRAME = 1152
const FRAMES_PER_TURN = 8

/** Raw samples, in OpenAI's format `pcm`: 16 bits, little-endian, one channel. */
export const encodePcm = ({ samples }: Speech): Uint8Array =>
  // Every machine that Node runs on is little-endian.
  Buffer.from(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))

/** A WAV file. Its header is that of the Multimedia Programming Interface 1.0 (RIFF, `fmt `, `data`). */
export function encodeWav(speech: Speech): Uint8Array {
  const data = encodePcm(speech)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(speech.sampleRate, 24)
  head.writeUInt32LE(speech.sampleRate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

/** An MP3 file. Encoding is slow, so it regularly yields to the event loop. */
export async function encodeMp3({ samples, sampleRate }: Speech): Promise<Uint8Array> {
  const { Mp3Encoder } = await import('@breezystack/lamejs')
  const encoder = new Mp3Encoder(1, sampleRate, MP3_KBPS)
  // The encoder returns signed bytes, and reuses the same buffer.
  const frames: Buffer[] = []
  const keep = (bytes: Uint8Array) => frames.push(Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
  for (let at = 0, turn = 1; at < samples.length; at += FRAME, turn++) {
    keep(encoder.encodeBuffer(samples.subarray(at, at + FRAME)))
    if (turn % FRAMES_PER_TURN === 0) await new Promise(setImmediate)
  }
  keep(encoder.flush())
  return Buffer.concat(frames)
}

/** The formats in which the sandbox speaks, and their media types. */
export const SPEECH_FORMATS: Readonly<Record<string, { type: string; encode(speech: Speech): MaybePromise<Uint8Array> }>> = {
  mp3: { type: 'audio/mpeg', encode: encodeMp3 },
  wav: { type: 'audio/wav', encode: encodeWav },
  pcm: { type: 'audio/pcm', encode: encodePcm },
}
