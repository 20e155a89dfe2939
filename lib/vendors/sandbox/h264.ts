/*
 * The minimum of H.264 (ITU-T H.264, constrained baseline) for a picture in which little moves. Macroblocks are written
 * uncompressed (I_PCM), and skipped if nothing changed. A video of a few seconds has a few hundred kilobytes, and writing it
 * takes almost no time.
 */

/** The side of a macroblock, in pixels. */
export const BLOCK = 16
const LUMA = 256
const CHROMA = 64
/** The bytes of one macroblock: its luma, and both chroma components at half the size. */
const BLOCK_BYTES = LUMA + 2 * CHROMA

/** The samples of one macroblock: luma, then blue and red chroma. */
export type Samples = Uint8Array

class Bits {
  readonly #bytes: Buffer
  #bit = 0

  constructor(maxBytes: number) {
    this.#bytes = Buffer.alloc(maxBytes)
  }

  /** Writes the lowest `bits` bits of a number, the highest of them first. */
  fixed(value: number, bits: number): this {
    for (let at = bits - 1; at >= 0; at--) {
      if ((value >> at) & 1) {
        const byte = this.#bit >> 3
        this.#bytes[byte] = (this.#bytes[byte] ?? 0) | (0x80 >> (this.#bit & 7))
      }
      this.#bit++
    }
    return this
  }

  /** Writes an unsigned number in Exp-Golomb code (section 9.1). */
  ue(value: number): this {
    const bits = 32 - Math.clz32(value + 1)
    return this.fixed(0, bits - 1).fixed(value + 1, bits)
  }

  /** Writes bytes as they are, after zeros up to the next whole byte. */
  raw(bytes: Uint8Array): this {
    this.#bit = (this.#bit + 7) & ~7
    this.#bytes.set(bytes, this.#bit >> 3)
    this.#bit += bytes.length * 8
    return this
  }

  /** Ends a unit with a one and zeros up to a whole byte, and returns its bytes. */
  end(): Buffer {
    this.fixed(1, 1)
    return this.#bytes.subarray(0, (this.#bit + 7) >> 3)
  }
}

/** Three bytes that would look like a start code get a 3 between them (section 7.4.1). */
function nalUnitOf(type: number, payload: Buffer): Buffer {
  let from = 0
  const pieces: Buffer[] = [Buffer.from([type])]
  let zeros = 0
  for (let at = 0; at < payload.length; at++) {
    const byte = payload[at] ?? 0
    if (zeros >= 2 && byte <= 3) {
      pieces.push(payload.subarray(from, at), Buffer.from([3]))
      from = at
      zeros = 0
    }
    zeros = byte === 0 ? zeros + 1 : 0
  }
  pieces.push(payload.subarray(from))
  return Buffer.concat(pieces)
}

const PROFILE = 66
const CONSTRAINED = 0xc0
const LEVEL = 40
const FRAME_NUMBER_BITS = 8

/** A picture's size in pixels. Both numbers are even. What extends beyond it in the macroblocks is cropped. */
export interface FrameSize {
  width: number
  height: number
}

export const blocksAcross = ({ width }: FrameSize): number => Math.ceil(width / BLOCK)
export const blocksDown = ({ height }: FrameSize): number => Math.ceil(height / BLOCK)

/** The sequence parameters (section 7.3.2.1.1): the size, one reference picture, and pictures that are shown in their order. */
export function sequenceParameters(size: FrameSize): Buffer {
  const [across, down] = [blocksAcross(size), blocksDown(size)]
  const bits = new Bits(64)
    .fixed(PROFILE, 8)
    .fixed(CONSTRAINED, 8)
    .fixed(LEVEL, 8)
    .ue(0)
    .ue(FRAME_NUMBER_BITS - 4)
    .ue(2)
    .ue(1)
    .fixed(0, 1)
    .ue(across - 1)
    .ue(down - 1)
    .fixed(0b11, 2)
  // Cropping is in units of two pixels.
  bits.fixed(1, 1).ue(0)
  bits.ue((across * BLOCK - size.width) / 2).ue(0)
  bits.ue((down * BLOCK - size.height) / 2)
  // The colors are BT.709 in the narrow range, and no picture waits for a later one.
  bits.fixed(1, 1).fixed(0b001, 3).fixed(5, 3).fixed(0, 1).fixed(1, 1)
  bits.fixed(1, 8).fixed(1, 8).fixed(1, 8)
  bits.fixed(0b00000, 5).fixed(1, 1).fixed(1, 1)
  bits.ue(0).ue(0).ue(0).ue(0).ue(0).ue(1)
  return nalUnitOf(0x67, bits.end())
}

/** The picture parameters (section 7.3.2.2): plain coding, and filters that can be switched off. */
export function pictureParameters(): Buffer {
  const bits = new Bits(16).ue(0).ue(0).fixed(0, 2).ue(0).ue(0).ue(0).fixed(0, 3).ue(0).ue(0).ue(0).fixed(0b100, 3)
  return nalUnitOf(0x68, bits.end())
}

const INTRA = { type: 7, pcm: 25, unit: 0x65 }
const INTER = { type: 5, pcm: 30, unit: 0x41 }

/**
 * Encodes one picture. `number` counts from the last whole picture, which has 0. `changed` has the macroblocks that differ from
 * the previous picture, by their place. For a whole picture these are all macroblocks.
 */
export function encodePicture(size: FrameSize, number: number, changed: ReadonlyMap<number, Samples>): Buffer {
  const all = blocksAcross(size) * blocksDown(size)
  const { type, pcm, unit } = number === 0 ? INTRA : INTER
  const bits = new Bits(changed.size * (BLOCK_BYTES + 8) + 64)
  bits.ue(0).ue(type).ue(0).fixed(number, FRAME_NUMBER_BITS)
  if (number === 0) bits.ue(0).fixed(0, 2)
  else bits.fixed(0, 3)
  bits.ue(0).ue(1)
  let skipped = 0
  for (let at = 0; at < all; at++) {
    const samples = changed.get(at)
    if (samples === undefined) {
      skipped++
      continue
    }
    if (number > 0) bits.ue(skipped)
    skipped = 0
    bits.ue(pcm).raw(samples)
  }
  if (number > 0 && skipped > 0) bits.ue(skipped)
  return nalUnitOf(unit, bits.end())
}

/** A unit preceded by its length, as in files. */
export function withLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(unit.length)
  return Buffer.concat([length, unit])
}

/** What a file says about its pictures before the first one (ISO 14496-15, `avcC`). */
export function decoderConfiguration(size: FrameSize): Buffer {
  const [sequence, picture] = [sequenceParameters(size), pictureParameters()]
  const counted = (unit: Buffer): Buffer => Buffer.concat([Buffer.from([unit.length >> 8, unit.length & 255]), unit])
  return Buffer.concat([
    Buffer.from([1, PROFILE, CONSTRAINED, LEVEL, 0xff, 0xe1]),
    counted(sequence),
    Buffer.from([1]),
    counted(picture),
  ])
}

export const CODEC = `avc1.${[PROFILE, CONSTRAINED, LEVEL].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Converts a macroblock of pixels (red, green, blue, alpha) to BT.709 in the narrow range. */
export function samplesAt(pixels: Uint8ClampedArray, { width, height }: FrameSize, across: number, down: number): Samples {
  const samples = new Uint8Array(BLOCK_BYTES)
  for (let y = 0; y < BLOCK; y++)
    for (let x = 0; x < BLOCK; x++) {
      const row = Math.min(height - 1, down * BLOCK + y)
      const from = (row * width + Math.min(width - 1, across * BLOCK + x)) * 4
      const [r, g, b] = [pixels[from] ?? 0, pixels[from + 1] ?? 0, pixels[from + 2] ?? 0]
      samples[y * BLOCK + x] = 16 + 0.1826 * r + 0.6142 * g + 0.062 * b + 0.5
      if ((x | y) & 1) continue
      const at = LUMA + (y >> 1) * 8 + (x >> 1)
      samples[at] = 128 - 0.1006 * r - 0.3386 * g + 0.4392 * b + 0.5
      samples[at + CHROMA] = 128 + 0.4392 * r - 0.3989 * g - 0.0403 * b + 0.5
    }
  return samples
}
