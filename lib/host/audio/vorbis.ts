import { clampRate } from './rates.ts'

/** Thrown for a setup header that has more codes than possible, or ends too early. */
class DamagedError extends Error {}

interface Bits {
  read(count: number): number
  skip(count: number): void
}

/** Reads numbers of a given number of bits, least significant bit first, as Vorbis packs them. */
function createBitReader(bytes: Buffer, from: number): Bits {
  let at = from * 8
  const skip = (count: number): void => {
    at += count
    if (at > bytes.length * 8) throw new DamagedError()
  }
  const read = (count: number): number => {
    const start = at
    skip(count)
    let value = 0
    for (let bit = 0; bit < count; bit++) {
      value += (((bytes[(start + bit) >> 3] ?? 0) >> ((start + bit) & 7)) & 1) * 2 ** bit
    }
    return value
  }
  return { read, skip }
}

/** How many bits a number takes. */
const bitLength = (value: number): number => (value > 0 ? 32 - Math.clz32(value) : 0)

function repeat(count: number, act: (index: number) => void): void {
  for (let index = 0; index < count; index++) act(index)
}

function skipCodebook({ read, skip }: Bits): void {
  if (read(24) !== 0x564342) throw new DamagedError()
  const [dimensions, entries] = [read(16), read(24)]
  const isOrdered = read(1) === 1
  const isSparse = !isOrdered && read(1) === 1
  if (isOrdered) {
    skip(5)
    for (let done = 0; done < entries; ) done += read(bitLength(entries - done))
  } else if (isSparse) repeat(entries, () => read(1) === 1 && skip(5))
  else skip(entries * 5)
  const lookup = read(4)
  if (lookup === 0) return
  if (lookup > 2) throw new DamagedError()
  skip(64)
  const bits = read(4) + 1
  skip(1)
  let values = entries * dimensions
  if (lookup === 1) {
    values = Math.floor(entries ** (1 / dimensions))
    // The root is rounded, so find the greatest integer whose power is not above the entries.
    while ((values + 1) ** dimensions <= entries) values++
    while (values ** dimensions > entries) values--
  }
  skip(values * bits)
}

function skipFloor({ read, skip }: Bits): void {
  if (read(16) === 0) {
    skip(8 + 16 + 16 + 6 + 8)
    skip((read(4) + 1) * 8)
    return
  }
  const classes = Array.from({ length: read(5) }, () => read(4))
  const dimensions = Array.from({ length: Math.max(-1, ...classes) + 1 }, () => {
    const size = read(3) + 1
    const subclasses = read(2)
    skip((subclasses > 0 ? 8 : 0) + 8 * 2 ** subclasses)
    return size
  })
  skip(2)
  const bits = read(4)
  for (const each of classes) skip((dimensions[each] ?? 0) * bits)
}

function skipResidue({ read, skip }: Bits): void {
  skip(16 + 24 + 24 + 24)
  const count = read(6) + 1
  skip(8)
  const cascades = Array.from({ length: count }, () => read(3) + (read(1) === 1 ? read(5) * 8 : 0))
  for (const cascade of cascades) repeat(8, (bit) => (cascade >> bit) & 1 && skip(8))
}

function skipMapping({ read, skip }: Bits, channels: number): void {
  skip(16)
  const submaps = read(1) === 1 ? read(4) + 1 : 1
  if (read(1) === 1) skip((read(8) + 1) * 2 * bitLength(channels - 1))
  skip(2)
  if (submaps > 1) skip(channels * 4)
  skip(submaps * 24)
}

/** Which modes of a setup header (Vorbis I, section 4.2.4) have long blocks. Empty if it is damaged. */
function readModes(setup: Buffer, channels: number): boolean[] {
  const bits = createBitReader(setup, 7)
  try {
    repeat(bits.read(8) + 1, () => skipCodebook(bits))
    bits.skip((bits.read(6) + 1) * 16)
    repeat(bits.read(6) + 1, () => skipFloor(bits))
    repeat(bits.read(6) + 1, () => skipResidue(bits))
    repeat(bits.read(6) + 1, () => skipMapping(bits, channels))
    return Array.from({ length: bits.read(6) + 1 }, () => {
      const isLong = bits.read(1) === 1
      bits.skip(16 + 16 + 8)
      return isLong
    })
  } catch (error) {
    if (error instanceof DamagedError) return []
    throw error
  }
}

/** Whether a packet is the identification header of a Vorbis stream and includes everything that is read from it. */
export const isVorbis = (packet: Buffer): boolean => packet.length >= 29 && packet.toString('latin1', 0, 7) === '\x01vorbis'

/**
 * Measures the seconds of Vorbis packets, one after the other, from the first byte of each. A packet adds what it shares with the
 * packet before it: a quarter of both blocks. A packet of an unknown mode counts as a long block.
 */
export function vorbisMeter(identification: Buffer, setup: Buffer): (packet: Buffer) => number {
  const modes = readModes(setup, identification[11] ?? 0)
  const rate = clampRate(identification.readUInt32LE(12))
  const sizes = identification[28] ?? 0
  const mask = 2 ** bitLength(modes.length - 1) - 1
  let previousBlock = 0
  return (packet) => {
    const first = packet[0] ?? 1
    if ((first & 1) === 1) return 0
    const isLong = modes[(first >> 1) & mask] ?? true
    const block = 2 ** (isLong ? sizes >> 4 : sizes & 15)
    const samples = previousBlock > 0 ? (previousBlock + block) / 4 : 0
    previousBlock = block
    return rate > 0 ? samples / rate : 0
  }
}

/** More of a setup header is not kept. It normally takes some kilobytes. */
const SETUP_BYTES = 1024 * 1024
/** A shorter segment of an Ogg page ends its packet. */
const FULL_SEGMENT = 255

/**
 * The same for Vorbis in Ogg, from the segments of its pages: the seconds of the packet that begins with a segment. The setup
 * header is the first packet that identifies itself as one.
 */
export function vorbisSegmentMeter(identification: Buffer): (segment: Buffer, isStart: boolean) => number {
  let packetMeter = vorbisMeter(identification, Buffer.alloc(0))
  let setup: Buffer[] | null = []
  return (segment, isStart) => {
    if (setup === null || (setup.length === 0 && segment.toString('latin1', 0, 7) !== '\x05vorbis')) {
      return isStart ? packetMeter(segment) : 0
    }
    if (setup.length * FULL_SEGMENT < SETUP_BYTES) setup.push(Buffer.from(segment))
    if (segment.length === FULL_SEGMENT) return 0
    packetMeter = vorbisMeter(identification, Buffer.concat(setup))
    setup = null
    return 0
  }
}
