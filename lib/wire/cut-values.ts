import { randomUUID } from 'node:crypto'

const COLON = 58
const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32] as const

/** What a text and a list begin with, and what they end with. */
const ENDS = { '"': '"', '[': ']' } as const

/** JSON without its long values, and those. */
export interface Cut<T> {
  /** Each value that was taken out has left a text in its place that nobody else can have written. */
  rest: string
  values: T[]
  /** The value in whose place a text stands; undefined where it is something else. */
  of(text: unknown): T | undefined
}

interface Taking<T> {
  name: string
  /** What is taken begins with one of these. The end of nothing else is looked for. */
  opens: readonly (keyof typeof ENDS)[]
  /**
   * Is given the text of a string, its quotes included, or of a list, as far as the first `]`. What it answers null for stays
   * where it is.
   */
  take(json: Buffer): T | null
}

/**
 * Takes long values of one name out of JSON before it is parsed: where they are nearly all of it, parsing them would keep
 * every other request waiting. A name within a string is never mistaken for one: JSON has quotes there only with a backslash.
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
    // It breaks off, as whoever parses the rest will see.
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

/** Where the value of a name begins; null where what was found is no name. */
function valueAfter(bytes: Buffer, nameEnd: number): number | null {
  const colon = endOfSpaces(bytes, nameEnd)
  return bytes[colon] === COLON ? endOfSpaces(bytes, colon + 1) : null
}

/** Where the white space of JSON ends. */
export function endOfSpaces(json: Buffer, from: number): number {
  let at = from
  // Most of what is looked at is none, and is greater than all of them.
  for (let char = json[at] as number; char <= SPACE && isSpace(char); char = json[++at] as number);
  return at
}

const isSpace = (char: number): boolean => char === SPACE || char === TAB || char === LINE_FEED || char === RETURN
