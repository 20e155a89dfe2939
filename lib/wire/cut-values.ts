import { randomUUID } from 'node:crypto'

const COLON = 58
const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32] as const

/** The characters that a string and a list begin with, and those that they end with. */
const ENDS = { '"': '"', '[': ']' } as const

/** JSON without its long values, and those values. */
export interface Cut<T> {
  /** Each value that was taken out is replaced by a text that nobody else can have written. */
  rest: string
  values: T[]
  /** The value that a text replaces; undefined if it replaces none. */
  of(text: unknown): T | undefined
}

interface Taking<T> {
  name: string
  /** The values to take begin with one of these characters. The end of no other value is looked for. */
  opens: readonly (keyof typeof ENDS)[]
  /**
   * Receives the JSON of a string, with its quotes, or of a list up to the first `]`. If it returns null, the value stays in
   * place.
   */
  take(json: Buffer): T | null
}

/**
 * Takes the long values of one name out of JSON before it is parsed. If they are nearly all of it, parsing them would keep every
 * other request waiting. A name inside a string is never matched by mistake, because JSON has quotes there only with a backslash.
 */
export function cutValues<T>(bytes: Buffer, { name, opens, take }: Taking<T>): Cut<T> {
  const stamp = `${randomUUID()}:`
  const quoted = Buffer.from(`"${name}"`)
  const rest: string[] = []
  const values: T[] = []
  let from = 0
  for (let found = bytes.indexOf(quoted); found >= 0; found = bytes.indexOf(quoted, found)) {
    const start = valueAfter(bytes, found + quoted.length)
    found = start ?? found + quoted.length
    if (start === null) continue
    const open = opens.find((char) => bytes[start] === char.charCodeAt(0))
    if (open === undefined) continue
    const end = bytes.indexOf(ENDS[open], start + 1) + 1
    // It breaks off, as the parser of the rest will find.
    if (end === 0) break
    const value = take(bytes.subarray(start, end))
    if (value === null) continue
    rest.push(bytes.toString('utf8', from, start), `"${stamp}${values.length}"`)
    values.push(value)
    from = end
    found = end
  }
  rest.push(bytes.toString('utf8', from))
  const of = (text: unknown): T | undefined =>
    typeof text === 'string' && text.startsWith(stamp) ? values[Number(text.slice(stamp.length))] : undefined
  return { rest: rest.join(''), values, of }
}

/** The index at which the value of a name begins; null if what was found is not a name. */
function valueAfter(bytes: Buffer, nameEnd: number): number | null {
  const colon = endOfSpaces(bytes, nameEnd)
  return bytes[colon] === COLON ? endOfSpaces(bytes, colon + 1) : null
}

/** The index at which the white space of JSON ends. */
export function endOfSpaces(json: Buffer, from: number): number {
  let at = from
  // Most characters are not white space, and are greater than all white space characters.
  for (let char = json[at] as number; char <= SPACE && isSpace(char); char = json[++at] as number);
  return at
}

const isSpace = (char: number): boolean => char === SPACE || char === TAB || char === LINE_FEED || char === RETURN
