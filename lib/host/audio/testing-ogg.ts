/** A page of an Ogg file with these packets. If it is `open`, its last packet continues in the next page. */
export interface OggPage {
  packets: Buffer[]
  position?: number
  serial?: number
  /** 1 continues a packet, 2 starts a stream, 4 ends it. */
  flags?: number
  open?: boolean
}

/** Builds one page, without a checksum. */
export function oggPage({ packets, position = 0, serial = 1, flags = 0, open = false }: OggPage): Buffer {
  const sizes = packets.flatMap((packet, index) => {
    const full = Array<number>(Math.floor(packet.length / 255)).fill(255)
    return open && index === packets.length - 1 ? full : [...full, packet.length % 255]
  })
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[5] = flags
  head.writeBigInt64LE(BigInt(position), 6)
  head.writeUInt32LE(serial, 14)
  head[26] = sizes.length
  return Buffer.concat([head, Buffer.from(sizes), ...packets])
}

/** A stream with its headers first and one page for each packet. `position` gives the position that each page claims. */
export function oggOf(heads: Buffer[], packets: Buffer[], position: (index: number) => number): Buffer {
  const pages = heads.map((head, index) => oggPage({ packets: [head], flags: index === 0 ? 2 : 0 }))
  return Buffer.concat([...pages, ...packets.map((packet, index) => oggPage({ packets: [packet], position: position(index) }))])
}

/** The headers of an Opus stream whose first `skip` samples are not heard. */
export function opusHeads(skip = 0): Buffer[] {
  const head = Buffer.alloc(19)
  head.write('OpusHead\x01\x01', 'latin1')
  head.writeUInt16LE(skip, 10)
  head.writeUInt32LE(48_000, 12)
  return [head, Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1')]
}

/** The headers of narrowband Speex with this many frames per packet. */
export function speexHeads(frames: number): Buffer[] {
  const head = Buffer.alloc(80)
  head.write('Speex   1.2')
  head.writeUInt32LE(8000, 36)
  head.writeUInt32LE(frames, 64)
  return [head, Buffer.alloc(8)]
}

/** The headers of Vorbis: mono, 8 kHz, blocks of 256 and 2048 samples. `modes` are its modes: true means long blocks. */
export function vorbisHeads(modes: boolean[]): Buffer[] {
  const identification = Buffer.alloc(30)
  identification.write('\x01vorbis', 'latin1')
  identification[11] = 1
  identification.writeUInt32LE(8000, 12)
  identification[28] = 0xb8
  identification[29] = 1
  const bits: number[] = []
  const write = (...fields: [value: number, count: number][]): void => {
    for (const [value, count] of fields) for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1)
  }
  // One codebook, time, floor, residue and mapping each, as small as possible.
  write([0, 8], [0x564342, 24], [1, 16], [2, 24], [0, 2], [0, 10], [0, 4])
  write([0, 6], [0, 16])
  write([0, 6], [1, 16], [0, 5], [0, 2], [0, 4])
  write([0, 6], [0, 16], [0, 24], [0, 24], [0, 24], [0, 6], [0, 8], [0, 4])
  write([0, 6], [0, 16], [0, 2], [0, 2], [0, 24])
  write([modes.length - 1, 6])
  for (const isLong of modes) write([isLong ? 1 : 0, 1], [0, 16], [0, 16], [0, 8])
  write([1, 1])
  const setup = Buffer.alloc(Math.ceil(bits.length / 8))
  for (const [at, bit] of bits.entries()) setup[at >> 3] = (setup[at >> 3] ?? 0) | (bit << (at & 7))
  return [identification, Buffer.from('\x03vorbis', 'latin1'), Buffer.concat([Buffer.from('\x05vorbis', 'latin1'), setup])]
}

/** A FLAC file, whose frames all have `frameBytes` bytes, in Ogg. */
export function oggFlacOf(file: Buffer, frameBytes: number, position: (index: number) => number): Buffer {
  const head = Buffer.concat([Buffer.from('\x7fFLAC\x01\0\0\x01', 'latin1'), file.subarray(0, 42)])
  const count = (file.length - 42) / frameBytes
  const frames = Array.from({ length: count }, (_, at) => file.subarray(42 + at * frameBytes, 42 + (at + 1) * frameBytes))
  return oggOf([head, Buffer.from([4, 0, 0, 0])], frames, position)
}
