import { createUnreadableError } from '../answer.ts'
import { type ExtractedValues, extractValues, skipWhitespace } from '../extract-values.ts'

const QUOTE = 34
const COMMA = 44
const [PLUS, MINUS, POINT, ZERO, NINE, LARGE_E, SMALL_E] = [43, 45, 46, 48, 57, 69, 101] as const
const FLOAT_BYTES = 4
const BASE64 = /^[\w+/-]+={0,2}$/

/** A vector as it is in an answer: a list of numbers, or base64 of little-endian float32 in quotes. */
export interface Vector {
  format: 'float' | 'base64'
  json: Buffer
  dimensions: number
}

/** Cuts the vectors out of an answer's bytes. Throws StreamBrokenError if one is invalid. */
export const extractVectors = (bytes: Buffer): ExtractedValues<Vector> =>
  extractValues(bytes, { name: 'embedding', opens: ['[', '"'], parse: vectorOf })

function vectorOf(json: Buffer): Vector {
  if (json[0] === QUOTE) return { format: 'base64', json, dimensions: Buffer.byteLength(base64Of(json), 'base64') / FLOAT_BYTES }
  const dimensions = countNumbers(json)
  if (dimensions === null) throw createUnreadableError('a vector is no list of numbers')
  return { format: 'float', json, dimensions }
}

/** How many numbers a JSON list has; null if it is empty or has anything else in it. Checks only its form. */
function countNumbers(list: Buffer): number | null {
  const digits = new DataView(list.buffer, list.byteOffset, list.byteLength)
  const end = list.length - 1
  for (let at = 1, count = 1; ; count++) {
    at = endOfNumber(list, digits, skipWhitespace(list, at))
    if (at < 0) return null
    at = skipWhitespace(list, at)
    if (at === end) return count
    if (list[at++] !== COMMA) return null
  }
}

/** The index at which a number ends (RFC 8259, section 6); -1 if there is none. Something always follows it. */
function endOfNumber(json: Buffer, digits: DataView, from: number): number {
  const first = json[from] === MINUS ? from + 1 : from
  let at = json[first] === ZERO ? first + 1 : endOfDigits(json, digits, first)
  if (at > 0 && json[at] === POINT) at = endOfDigits(json, digits, at + 1)
  if (at > 0 && (json[at] === SMALL_E || json[at] === LARGE_E)) {
    const isSigned = json[at + 1] === PLUS || json[at + 1] === MINUS
    at = endOfDigits(json, digits, isSigned ? at + 2 : at + 1)
  }
  return at
}

/** The index at which a run of digits ends; -1 if there is none. */
function endOfDigits(json: Buffer, digits: DataView, from: number): number {
  let at = from
  // Most of a vector is digits, so they are skipped four at a time.
  for (const last = json.length - 4; at <= last && areDigits(digits.getInt32(at)); at += 4);
  for (let char = json[at] as number; char >= ZERO && char <= NINE; char = json[++at] as number);
  return at === from ? -1 : at
}

/** Whether four bytes are digits: the upper half of each is 3, and still is with six added. */
const areDigits = (four: number): boolean =>
  (four & 0xf0f0f0f0) === 0x30303030 && ((four + 0x06060606) & 0xf0f0f0f0) === 0x30303030

function base64Of(json: Buffer): string {
  const text = parseJson(json) as string
  const bytes = BASE64.test(text) ? Buffer.byteLength(text, 'base64') : 0
  if (bytes === 0 || bytes % FLOAT_BYTES !== 0) throw createUnreadableError('a vector is no base64 of float32')
  return text
}

function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('latin1'))
  } catch {
    throw createUnreadableError('a vector is not JSON')
  }
}

/** The same vector in another format. Throws StreamBrokenError if it cannot be written in it. */
export function convert(vector: Vector, format: Vector['format']): Vector {
  if (vector.format === format) return vector
  return { format, json: format === 'float' ? toFloats(vector.json) : toBase64(vector.json), dimensions: vector.dimensions }
}

/** Nine digits distinguish every float32 from its neighbors. JavaScript itself would write seventeen. */
function toFloats(json: Buffer): Buffer {
  const bytes = Buffer.from(base64Of(json), 'base64')
  const numbers: number[] = []
  for (let at = 0; at + FLOAT_BYTES <= bytes.length; at += FLOAT_BYTES) {
    const value = bytes.readFloatLE(at)
    if (!Number.isFinite(value)) throw createUnreadableError('a vector has numbers that JSON has not')
    numbers.push(Number(value.toPrecision(9)))
  }
  return Buffer.from(JSON.stringify(numbers))
}

function toBase64(json: Buffer): Buffer {
  const numbers = parseJson(json) as number[]
  const bytes = Buffer.alloc(numbers.length * FLOAT_BYTES)
  for (const [at, value] of numbers.entries()) {
    if (!Number.isFinite(Math.fround(value))) throw createUnreadableError('a vector has numbers that are too large for float32')
    bytes.writeFloatLE(value, at * FLOAT_BYTES)
  }
  return Buffer.from(`"${bytes.toString('base64')}"`)
}
