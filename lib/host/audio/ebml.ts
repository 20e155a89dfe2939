/** An EBML element (RFC 8794). */
export interface Element {
  id: number
  /** Where its content starts, and how long it is: Infinity if the file leaves the size open. */
  at: number
  size: number
}

/** An EBML number whose length is in its first byte, and its number of bytes. Null if there is none. */
export function readSize(window: Buffer, at: number): { value: number; bytes: number; isOpen: boolean } | null {
  const marker = window[at] ?? 0
  const bytes = Math.clz32(marker << 24) + 1
  if (marker === 0 || at + bytes > window.length) return null
  let value = marker & (0xff >> bytes)
  let isOpen = value === 0xff >> bytes
  for (const byte of window.subarray(at + 1, at + bytes)) {
    value = value * 256 + byte
    isOpen &&= byte === 0xff
  }
  return { value, bytes, isOpen }
}

/** The element whose header starts at `at`, or null if there is none. */
export function readElement(window: Buffer, at: number, base: number): Element | null {
  const first = window[at] ?? 0
  const idBytes = Math.clz32(first << 24) + 1
  if (first === 0 || idBytes > 4 || at + idBytes >= window.length) return null
  const size = readSize(window, at + idBytes)
  if (!size) return null
  return {
    id: window.readUIntBE(at, idBytes),
    at: base + at + idBytes + size.bytes,
    size: size.isOpen ? Number.POSITIVE_INFINITY : size.value,
  }
}

/** An element's content as a number. */
export const numberOf = (bytes: Buffer): number => bytes.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0)

/** An element's content as a float. */
export const floatOf = (bytes: Buffer): number =>
  bytes.length === 8 ? bytes.readDoubleBE(0) : bytes.length === 4 ? bytes.readFloatBE(0) : 0
