/**
 * The secret of an API key: `sk-tg-`, forty random characters and a checksum of six, all in base 62. The checksum lets a secret
 * scanner tell a key from a look-alike without a look-up. It proves nothing.
 */
const PREFIX = 'sk-tg-'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_DIGITS = 40
const CHECK_DIGITS = 6
const KEY_PATTERN = /^sk-tg-[0-9A-Za-z]{46}$/

/**
 * How many random bytes formatKey needs. Two of the sixty-four six-bit values are not digits and are discarded, so it needs
 * more than the forty it uses. The chance of running short is below 1e-22.
 */
export const KEY_RANDOM_BYTES = 64

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 (ISO 3309, as in zip and PNG) of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECK_DIGITS; place++) {
    digits = DIGITS.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * Makes a key's secret from KEY_RANDOM_BYTES bytes of a cryptographic source. Every digit is equally likely. Throws a
 * RangeError if there are too few bytes.
 */
export function formatKey(randomBytes: Uint8Array): string {
  let digits = ''
  for (const byte of randomBytes) {
    if (digits.length === RANDOM_DIGITS) break
    // 62 and 63 have no digit: charAt returns '', which discards them. A remainder would favor some digits.
    digits += DIGITS.charAt(byte & 63)
  }
  if (digits.length < RANDOM_DIGITS) throw new RangeError('too few random bytes for a key')
  const body = PREFIX + digits
  return body + checksum(body)
}

/** Whether a text has the format and the checksum of a key. Says nothing about whether the key is in use. */
export function isKeyFormat(text: string): boolean {
  return KEY_PATTERN.test(text) && checksum(text.slice(0, -CHECK_DIGITS)) === text.slice(-CHECK_DIGITS)
}

/** The part of a secret that may be shown later: its prefix and its last four characters. */
export const keyHint = (secret: string): string => `${PREFIX}…${secret.slice(-4)}`
