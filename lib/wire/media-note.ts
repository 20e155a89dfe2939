/** What history stores about media: type, size and the beginning of a SHA-256 in hexadecimal, never the content. */
export const mediaNote = (type: string, bytes: number, sha256: string): string =>
  `[${type}, ${bytes} bytes, sha256 ${sha256.slice(0, 32)}]`
