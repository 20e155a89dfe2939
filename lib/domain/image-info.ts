import { asBuffer } from './as-buffer.ts'

/** What an image's header says about it. */
export interface ImageInfo {
  type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
  /** Pixels as stored. A rotation noted by a camera is not applied. */
  width: number
  height: number
}

const imageInfoOf = (type: ImageInfo['type'], width: number, height: number): ImageInfo | null =>
  width > 0 && height > 0 ? { type, width, height } : null

const matchesAt = (bytes: Buffer, at: number, name: string): boolean => bytes.toString('latin1', at, at + name.length) === name

function readPng(bytes: Buffer): ImageInfo | null {
  return bytes.length >= 24 && matchesAt(bytes, 12, 'IHDR')
    ? imageInfoOf('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
    : null
}

function readGif(bytes: Buffer): ImageInfo | null {
  return bytes.length >= 10 ? imageInfoOf('image/gif', bytes.readUInt16LE(6), bytes.readUInt16LE(8)) : null
}

/** Walks from marker to marker until one that begins a frame (ITU T.81, table B.1). */
function readJpeg(bytes: Buffer): ImageInfo | null {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at++
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return imageInfoOf('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    } else if (marker === 0xd9 || marker === 0xda) return null
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return null
}

/** The three ways in which a WebP's first chunk gives its size (RFC 9649). */
function readWebp(bytes: Buffer): ImageInfo | null {
  if (bytes.length < 30) return null
  if (matchesAt(bytes, 12, 'VP8X')) return imageInfoOf('image/webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
  if (matchesAt(bytes, 12, 'VP8L')) {
    const packed = bytes.readUInt32LE(21)
    return bytes[20] === 0x2f ? imageInfoOf('image/webp', (packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1) : null
  }
  const isKey = matchesAt(bytes, 12, 'VP8 ') && bytes.readUIntBE(23, 3) === 0x9d012a
  return isKey ? imageInfoOf('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff) : null
}

/**
 * Type and size of a PNG, JPEG, WebP or GIF, from its first bytes. Null for anything else, and if it is cut off before its
 * size. 64 KiB are enough, except for a JPEG with long camera metadata in front. A file's name is never looked at.
 */
export function readImageInfo(image: Uint8Array): ImageInfo | null {
  const bytes = asBuffer(image)
  if (matchesAt(bytes, 0, '\x89PNG\r\n\x1a\n')) return readPng(bytes)
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpeg(bytes)
  if (matchesAt(bytes, 0, 'RIFF') && matchesAt(bytes, 8, 'WEBP')) return readWebp(bytes)
  if (matchesAt(bytes, 0, 'GIF87a') || matchesAt(bytes, 0, 'GIF89a')) return readGif(bytes)
  return null
}
