/** How many of a file's first bytes are needed to tell its type. */
export const TELLING_BYTES = 64

/** How the beginning of a file shows its type. */
interface Signature {
  /** Media types of the content. A container may hold audio only, and then has two. */
  types: readonly string[]
  fits(head: Buffer): boolean
}

/** Matches bytes, written as text or as hexadecimal digits, at an offset. */
function at(offset: number, bytes: string, encoding: 'latin1' | 'hex' = 'latin1'): Signature['fits'] {
  const wanted = Buffer.from(bytes, encoding)
  return (head) => head.subarray(offset, offset + wanted.length).equals(wanted)
}

const any =
  (...fits: Signature['fits'][]) =>
  (head: Buffer): boolean =>
    fits.some((one) => one(head))

const all =
  (...fits: Signature['fits'][]) =>
  (head: Buffer): boolean =>
    fits.every((one) => one(head))

/**
 * Whether an MPEG audio frame begins here (ISO 11172-3, section 2.4.2.3): of layer II or III, with a bit rate and a sample
 * rate.
 */
function isMpegFrame(head: Buffer): boolean {
  const [sync = 0, kind = 0, rate = 0] = head
  const layer = (kind >> 1) & 3
  const version = (kind >> 3) & 3
  if (sync !== 0xff || kind >> 5 !== 7 || version === 1) return false
  return (layer === 1 || layer === 2) && rate >> 4 !== 15 && rate >> 4 !== 0 && ((rate >> 2) & 3) !== 3
}

/** Whether an ADTS frame begins here (ISO 13818-7), the form of AAC outside of containers. */
const isAdtsFrame = ([sync = 0, kind = 0]: Buffer): boolean => sync === 0xff && (kind & 0xf6) === 0xf0

/**
 * The registered signatures of the formats that the API accepts. One line each, instead of a library of several hundred
 * formats.
 */
const SIGNATURES: readonly Signature[] = [
  { types: ['image/png'], fits: at(0, '89504e470d0a1a0a', 'hex') },
  { types: ['image/jpeg'], fits: at(0, 'ffd8ff', 'hex') },
  { types: ['image/gif'], fits: any(at(0, 'GIF87a'), at(0, 'GIF89a')) },
  { types: ['image/webp'], fits: all(at(0, 'RIFF'), at(8, 'WEBP')) },
  { types: ['audio/wav'], fits: all(any(at(0, 'RIFF'), at(0, 'RF64')), at(8, 'WAVE')) },
  { types: ['audio/flac'], fits: at(0, 'fLaC') },
  { types: ['audio/ogg', 'video/ogg'], fits: at(0, 'OggS') },
  { types: ['audio/mp4'], fits: any(at(4, 'ftypM4A'), at(4, 'ftypM4B')) },
  { types: ['video/mp4', 'audio/mp4'], fits: at(4, 'ftyp') },
  { types: ['video/webm', 'audio/webm'], fits: all(at(0, '1a45dfa3', 'hex'), (head) => head.includes('webm')) },
  { types: ['audio/mpeg'], fits: any(at(0, 'ID3'), isMpegFrame) },
  { types: ['audio/aac'], fits: isAdtsFrame },
  { types: ['video/mpeg', 'audio/mpeg'], fits: at(0, '000001ba', 'hex') },
]

const allows = (pattern: string, type: string): boolean =>
  pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern

/**
 * The media type of a file's content, from its first TELLING_BYTES, if it is one of those allowed (`image/png`, `audio/*`).
 * Null otherwise. The file's name and the type that its sender claims do not count.
 */
export function mediaTypeOf(head: Uint8Array, allowed: readonly string[]): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, TELLING_BYTES))
  const types = SIGNATURES.find(({ fits }) => fits(bytes))?.types ?? []
  return types.find((type) => allowed.some((pattern) => allows(pattern, type))) ?? null
}
