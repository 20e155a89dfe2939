import { StreamBroken } from './endpoint.ts'

const NAME = Buffer.from('"embedding"')
const QUOTE = 34
const COLON = 58
const OPEN = 91
const CLOSE = 93
const COMMA = 44
const FLOAT_BYTES = 4
const BASE64 = /^[\w+/-]+={0,2}$/
const SPACES = new Set([9, 10, 13, 32])

/**
 * Where one is in a list of JSON's numbers (RFC 8259, section 6), and where each character leads from there: nothing else
 * is looked at before a vector is passed on. 0 is nowhere.
 */
const [START, MINUS, ZERO, WHOLE, POINT, FRACTION, POWER, SIGN, EXPONENT, SPACE] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
const STEPS = new Uint8Array(11 * 256)
const lead = (from: readonly number[], chars: string, to: number): void => {
  for (const state of from) for (const char of Buffer.from(chars)) STEPS[state * 256 + char] = to
}
const ENDS = [ZERO, WHOLE, FRACTION, EXPONENT, SPACE]
lead([START], ' \t\r\n', START)
lead([START], '-', MINUS)
lead([START, MINUS], '0', ZERO)
lead([START, MINUS, WHOLE], '123456789', WHOLE)
lead([WHOLE], '0', WHOLE)
lead([ZERO, WHOLE], '.', POINT)
lead([POINT, FRACTION], '0123456789', FRACTION)
lead([ZERO, WHOLE, FRACTION], 'eE', POWER)
lead([POWER], '+-', SIGN)
lead([POWER, SIGN, EXPONENT], '0123456789', EXPONENT)
lead(ENDS, ' \t\r\n', SPACE)
lead(ENDS, ',', START)

/** A vector as it stands in an answer: a list of numbers, or base64 of little-endian float32 in quotes. */
export interface Vector {
  format: 'float' | 'base64'
  json: Buffer
  dimensions: number
}

const unreadable = (detail: string): StreamBroken => new StreamBroken('The model sent an answer that could not be read.', detail)

/**
 * Takes the vectors out of an answer's bytes and leaves their numbers (0, 1, ...) in their places: they are nearly
 * all of it, and parsing them would keep every other request waiting. Throws StreamBroken where one is none.
 */
export function cutVectors(bytes: Buffer): { rest: string; vectors: Vector[] } {
  const rest: string[] = []
  const vectors: Vector[] = []
  let from = 0
  for (let found = bytes.indexOf(NAME); found >= 0; found = bytes.indexOf(NAME, found)) {
    const start = valueAfter(bytes, found + NAME.length)
    found = start ?? found + NAME.length
    const open = start === null ? 0 : bytes[start]
    if (start === null || (open !== OPEN && open !== QUOTE)) continue
    const end = bytes.indexOf(open === OPEN ? CLOSE : QUOTE, start + 1) + 1
    if (end === 0) throw unreadable('a vector does not end')
    rest.push(bytes.toString('utf8', from, start), String(vectors.length))
    vectors.push(vectorOf(bytes.subarray(start, end)))
    from = end
    found = end
  }
  rest.push(bytes.toString('utf8', from))
  return { rest: rest.join(''), vectors }
}

/** Where the value of a name begins; null where what was found is no name. */
function valueAfter(bytes: Buffer, nameEnd: number): number | null {
  const skip = (at: number): number => {
    let next = at
    while (SPACES.has(bytes[next] ?? 0)) next++
    return next
  }
  const colon = skip(nameEnd)
  return bytes[colon] === COLON ? skip(colon + 1) : null
}

function vectorOf(json: Buffer): Vector {
  if (json[0] === QUOTE) return { format: 'base64', json, dimensions: Buffer.byteLength(base64Of(json), 'base64') / FLOAT_BYTES }
  if (json.length === 2) throw unreadable('a vector is empty')
  let dimensions = 1
  let state: number = START
  for (let at = 1; at < json.length - 1; at++) {
    const char = json[at] ?? 0
    state = STEPS[state * 256 + char] ?? 0
    if (char === COMMA) dimensions++
  }
  if (!ENDS.includes(state as (typeof ENDS)[number])) throw unreadable('a vector is no list of numbers')
  return { format: 'float', json, dimensions }
}

function base64Of(json: Buffer): string {
  const text = parsed(json) as string
  const bytes = BASE64.test(text) ? Buffer.byteLength(text, 'base64') : 0
  if (bytes === 0 || bytes % FLOAT_BYTES !== 0) throw unreadable('a vector is no base64 of float32')
  return text
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('latin1'))
  } catch {
    throw unreadable('a vector is not JSON')
  }
}

/** The same vector in another form. Throws StreamBroken where it cannot be said in it. */
export function convert(vector: Vector, format: Vector['format']): Vector {
  if (vector.format === format) return vector
  return { format, json: format === 'float' ? toFloats(vector.json) : toBase64(vector.json), dimensions: vector.dimensions }
}

/** Nine digits tell every float32 from its neighbours; JavaScript's own writing has seventeen. */
function toFloats(json: Buffer): Buffer {
  const bytes = Buffer.from(base64Of(json), 'base64')
  const numbers: number[] = []
  for (let at = 0; at + FLOAT_BYTES <= bytes.length; at += FLOAT_BYTES) {
    const value = bytes.readFloatLE(at)
    if (!Number.isFinite(value)) throw unreadable('a vector has numbers that JSON has not')
    numbers.push(Number(value.toPrecision(9)))
  }
  return Buffer.from(JSON.stringify(numbers))
}

function toBase64(json: Buffer): Buffer {
  const numbers = parsed(json) as number[]
  const bytes = Buffer.alloc(numbers.length * FLOAT_BYTES)
  for (const [at, value] of numbers.entries()) {
    if (!Number.isFinite(Math.fround(value))) throw unreadable('a vector has numbers that are too large for float32')
    bytes.writeFloatLE(value, at * FLOAT_BYTES)
  }
  return Buffer.from(`"${bytes.toString('base64')}"`)
}
