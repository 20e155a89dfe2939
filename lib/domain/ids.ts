const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 10
const RANDOM_BYTES = 10

/** How many random bytes newId takes. */
export const ID_RANDOM_BYTES = RANDOM_BYTES

function encodeTime(ms: number): string {
  let rest = ms
  let text = ''
  for (let place = 0; place < TIME_DIGITS; place++) {
    text = DIGITS.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function encodeBytes(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += DIGITS.charAt((held >> bits) & 31)
    }
    held &= (1 << bits) - 1
  }
  return text
}

/**
 * An id that sorts by time: the prefix, `_`, ten digits of milliseconds since 1970 and sixteen of
 * randomness in Crockford's base 32, lower case. `random` is ten bytes.
 */
export function newId(prefix: string, nowMs: number, random: Uint8Array): string {
  return `${prefix}_${encodeTime(nowMs)}${encodeBytes(random.subarray(0, RANDOM_BYTES))}`
}

/** The time inside an id. Throws RangeError where it has none. */
export function timeOfId(id: string): Date {
  const digits = id.slice(id.indexOf('_') + 1, id.indexOf('_') + 1 + TIME_DIGITS)
  let ms = 0
  for (const digit of digits) {
    const value = DIGITS.indexOf(digit)
    if (value < 0) throw new RangeError(`not a time-sortable id: ${id}`)
    ms = ms * 32 + value
  }
  if (digits.length < TIME_DIGITS || ms > 8.64e15) throw new RangeError(`not a time-sortable id: ${id}`)
  return new Date(ms)
}

/** The first id, in order, of a prefix and time. */
export const firstIdAt = (prefix: string, ms: number): string => `${prefix}_${encodeTime(ms)}${'0'.repeat(16)}`
