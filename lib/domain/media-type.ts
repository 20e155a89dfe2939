/** How many of a file's first bytes are needed to tell its type. */
export const SIGNATURE_BYTES = 64

/** How the beginning of a file shows its type. */
interface Signature {
  /** Media types of the content. A container may hold audio only, and then has two. */
  types: readonly string[]
  matches(head: Buffer): boolean
}

/** Matches bytes, written as text or as hexadecimal digits, at an offset. */
function bytesAt(offset: number, bytes: string, encoding: 'latin1' | 'hex' = 'latin1'): Signature['matches'] {
  const wanted = Buffer.from(bytes, encoding)
  return (head) => head.subarray(offset, offset + wanted.length).equals(wanted)
}

const anyOf =
  (...matchers: Signature['matches'][]) =>
  (head: Buffer): boolean =>
    matchers.some((one) => one(head))

const allOf =
  (...matchers: Signature['matches'][]) =>
  (head: Buffer): boolean =>
    matchers.every((one) => one(head))

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
  { types: ['image/png'], matches: bytesAt(0, '89504e470d0a1a0a', 'hex') },
  { types: ['image/jpeg'], matches: bytesAt(0, 'ffd8ff', 'hex') },
  { types: ['image/gif'], matches: anyOf(bytesAt(0, 'GIF87a'), bytesAt(0, 'GIF89a')) },
  { types: ['image/webp'], matches: allOf(bytesAt(0, 'RIFF'), bytesAt(8, 'WEBP')) },
  { types: ['audio/wav'], matches: allOf(anyOf(bytesAt(0, 'RIFF'), bytesAt(0, 'RF64')), bytesAt(8, 'WAVE')) },
  { types: ['audio/flac'], matches: bytesAt(0, 'fLaC') },
  { types: ['audio/ogg', 'video/ogg'], matches: bytesAt(0, 'OggS') },
  { types: ['audio/mp4'], matches: anyOf(bytesAt(4, 'ftypM4A'), bytesAt(4, 'ftypM4B')) },
  { types: ['video/mp4', 'audio/mp4'], matches: bytesAt(4, 'ftyp') },
  { types: ['video/webm', 'audio/webm'], matches: allOf(bytesAt(0, '1a45dfa3', 'hex'), (head) => head.includes('webm')) },
  { types: ['audio/mpeg'], matches: anyOf(bytesAt(0, 'ID3'), isMpegFrame) },
  { types: ['audio/aac'], matches: isAdtsFrame },
  { types: ['video/mpeg', 'audio/mpeg'], matches: bytesAt(0, '000001ba', 'hex') },
]

const matchesPattern = (pattern: string, type: string): boolean =>
  pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern

/**
 * The media type of a file's content, from its first SIGNATURE_BYTES, if it is one of those allowed (`image/png`, `audio/*`).
 * Null otherwise. The file's name and the type that its sender claims do not count.
 */
export function mediaTypeOf(head: Uint8Array, allowed: readonly string[]): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, SIGNATURE_BYTES))
  const types = SIGNATURES.find(({ matches }) => matches(bytes))?.types ?? []
  return types.find((type) => allowed.some((pattern) => matchesPattern(pattern, type))) ?? null
}
