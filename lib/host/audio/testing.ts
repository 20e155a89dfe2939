import { type AudioCodec, BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output, type OutputFormat } from 'mediabunny'

/** The header of a 16-bit mono WAV with this many bytes of samples. */
export function wavHead(bytes: number, rate: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(Math.min(0xffff_ffff, 36 + bytes), 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(bytes, 40)
  return head
}

/** A 16-bit mono WAV with `seconds` of silence. `claims` is the size of the data that its header states, in bytes. */
export function wavOf(seconds: number, { rate = 8000, claims }: { rate?: number; claims?: number } = {}): Buffer {
  const data = Buffer.alloc(Math.round(seconds * rate) * 2)
  return Buffer.concat([wavHead(claims ?? data.length, rate), data])
}

/** A packet of silence for each codec, and its duration. */
const SILENCE = {
  opus: { bytes: [0xf8, 0xff, 0xfe], seconds: 0.02, rate: 48_000 },
  aac: { bytes: [0x01, 0x18, 0x20, 0x07], seconds: 1024 / 48_000, rate: 48_000 },
} as const

/** OpusHead, and the AudioSpecificConfig of mono AAC-LC at 48 kHz. */
const DESCRIPTIONS = {
  opus: [0x4f, 0x70, 0x75, 0x73, 0x48, 0x65, 0x61, 0x64, 1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0],
  aac: [0x11, 0x88],
} as const

/** A file with `packets` packets of silence in any container that mediabunny writes. */
export async function silenceOf(format: OutputFormat, codec: 'opus' | 'aac', packets: number): Promise<Buffer> {
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new EncodedAudioPacketSource(codec satisfies AudioCodec)
  output.addAudioTrack(source)
  await output.start()
  const { bytes, seconds, rate } = SILENCE[codec]
  const decoderConfig = {
    codec: codec === 'aac' ? 'mp4a.40.2' : 'opus',
    numberOfChannels: 1,
    sampleRate: rate,
    description: new Uint8Array(DESCRIPTIONS[codec]),
  }
  for (let at = 0; at < packets; at++) {
    await source.add(new EncodedPacket(new Uint8Array(bytes), 'key', at * seconds, seconds), { decoderConfig })
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer())
}

/** A mono MP3 stream of constant bit rate: silent frames of MPEG-1 layer 3 at 32 kbit/s and 32 kHz (144 bytes, 36 ms each). */
export function mp3Of(frames: number): Buffer {
  const frame = Buffer.alloc(144)
  frame.writeUInt32BE(0xff_fb_18_c0)
  return Buffer.concat(Array<Buffer>(frames).fill(frame))
}

/** The same MP3, but its first frame holds figures that claim this many frames. */
export function withXingHeader(mp3: Buffer, claims: number): Buffer {
  const claiming = Buffer.from(mp3)
  claiming.write('Xing', 21)
  claiming.writeUInt32BE(1, 25)
  claiming.writeUInt32BE(claims, 29)
  return claiming
}

/** The file with an ID3v2 tag of `size` bytes in front. */
export function withId3Tag(file: Buffer, size: number): Buffer {
  const tag = Buffer.alloc(10 + size, 0xff)
  tag.write('ID3\x03\0\0', 'latin1')
  for (const [index, shift] of [21, 14, 7, 0].entries()) tag[6 + index] = (size >> shift) & 0x7f
  return Buffer.concat([tag, file])
}

/** Raw AAC of silence: ADTS frames of 1024 samples at 48 kHz. */
export function adtsOf(frames: number): Buffer {
  const { bytes } = SILENCE.aac
  const length = 7 + bytes.length
  const frame = Buffer.from([0xff, 0xf1, 0x4c, 0x40, length >> 3, (length & 7) << 5, 0xfc, ...bytes])
  return Buffer.concat(Array<Buffer>(frames).fill(frame))
}

function crc(bytes: Uint8Array, polynomial: number, bits: number): number {
  let value = 0
  for (const byte of bytes) {
    value ^= byte << (bits - 8)
    for (let bit = 0; bit < 8; bit++) value = ((value << 1) ^ (value & (1 << (bits - 1)) ? polynomial : 0)) & (2 ** bits - 1)
  }
  return value
}

/** Samples per FLAC frame. This is also their size in bytes, because they are stored uncompressed. */
const FLAC_SAMPLES = 4096

/** A FLAC file with `frames` frames of 4096 samples of noise at 8 kHz, 8 bit, mono. Its header claims `claims` samples. */
export function flacOf(frames: number, claims: number = frames * FLAC_SAMPLES): Buffer {
  const head = Buffer.alloc(42)
  head.write('fLaC')
  head.writeUInt32BE(0x80_00_00_22, 4)
  head.writeUInt16BE(FLAC_SAMPLES, 8)
  head.writeUInt16BE(FLAC_SAMPLES, 10)
  // 20 bits of rate, 3 of channels - 1, 5 of bits - 1, 36 of samples.
  head.writeBigUInt64BE((8000n << 44n) | (7n << 36n) | BigInt(claims), 18)
  const noise = Buffer.from(Array.from({ length: FLAC_SAMPLES }, (_, at) => Math.imul(at + 1, 0x9e3779b1) >>> 24))
  const written = Array.from({ length: frames }, (_, number) => {
    if (number > 0x7f) throw new RangeError('frame numbers are written in one byte here')
    const start = Buffer.from([0xff, 0xf8, 0xc4, 0x02, number])
    const body = Buffer.concat([start, Buffer.from([crc(start, 0x07, 8), 2]), noise])
    const end = Buffer.alloc(2)
    end.writeUInt16BE(crc(body, 0x8005, 16))
    return Buffer.concat([body, end])
  })
  return Buffer.concat([head, ...written])
}
