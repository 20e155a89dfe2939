const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 10
const RANDOM_BYTES = 10

/** How many random bytes newId needs. */
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

/** Every pair of digits, to encode two digits at a time. */
const PAIRS = Array.from({ length: 1024 }, (_, pair) => DIGITS.charAt(pair >> 5) + DIGITS.charAt(pair & 31))

/** Encodes ten bits in each pair of digits: five bytes become eight digits. */
function encodeFive(bytes: Uint8Array, from: number): string {
  const at = (place: number): number => bytes[from + place] ?? 0
  const high = (at(0) << 12) | (at(1) << 4) | (at(2) >> 4)
  const low = ((at(2) & 15) << 16) | (at(3) << 8) | at(4)
  return `${PAIRS[high >> 10]}${PAIRS[high & 1023]}${PAIRS[low >> 10]}${PAIRS[low & 1023]}`
}

/** The time of the latest id, encoded once: many ids are made in one millisecond. */
const latest = { ms: -1, text: '' }

function encodeNow(ms: number): string {
  if (latest.ms !== ms) Object.assign(latest, { ms, text: encodeTime(ms) })
  return latest.text
}

/**
 * Makes an id that sorts by time: the prefix, `_`, ten digits for the milliseconds since 1970 and sixteen of randomness, in
 * Crockford's base 32, lower case. Takes ten bytes of `random`, starting at `from`.
 */
export const newId = (prefix: string, nowMs: number, random: Uint8Array, from = 0): string =>
  `${prefix}_${encodeNow(nowMs)}${encodeFive(random, from)}${encodeFive(random, from + RANDOM_BYTES / 2)}`

/** The time in an id. Throws a RangeError if it has none. */
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

/** The first id of a prefix and time, in sort order. */
export const firstIdAt = (prefix: string, ms: number): string => `${prefix}_${encodeTime(ms)}${'0'.repeat(16)}`
