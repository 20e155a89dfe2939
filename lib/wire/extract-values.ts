import { randomUUID } from 'node:crypto'

const COLON = 58
const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32] as const

/** The characters that a string and a list begin with, and those that they end with. */
const CLOSING_CHARS = { '"': '"', '[': ']' } as const

/** JSON without its long values, and those values. */
export interface ExtractedValues<T> {
  /** Each value that was taken out is replaced by a text that nobody else can have written. */
  rest: string
  values: T[]
  /** The value that a text replaces; undefined if it replaces none. */
  of(text: unknown): T | undefined
}

interface ExtractOptions<T> {
  name: string
  /** The values to take begin with one of these characters. The end of no other value is looked for. */
  opens: readonly (keyof typeof CLOSING_CHARS)[]
  /**
   * Receives the JSON of a string, with its quotes, or of a list up to the first `]`. If it returns null, the value stays in
   * place.
   */
  parse(json: Buffer): T | null
}

/**
 * Takes the long values of one name out of JSON before it is parsed. If they are nearly all of it, parsing them would keep every
 * other request waiting. A name inside a string is never matched by mistake, because JSON has quotes there only with a backslash.
 */
export function extractValues<T>(bytes: Buffer, { name, opens, parse }: ExtractOptions<T>): ExtractedValues<T> {
  const placeholderPrefix = `${randomUUID()}:`
  const quoted = Buffer.from(`"${name}"`)
  const rest: string[] = []
  const values: T[] = []
  let from = 0
  for (let found = bytes.indexOf(quoted); found >= 0; found = bytes.indexOf(quoted, found)) {
    const start = valueStartAfter(bytes, found + quoted.length)
    found = start ?? found + quoted.length
    if (start === null) continue
    const open = opens.find((char) => bytes[start] === char.charCodeAt(0))
    if (open === undefined) continue
    const end = bytes.indexOf(CLOSING_CHARS[open], start + 1) + 1
    // It breaks off, as the parser of the rest will find.
    if (end === 0) break
    const value = parse(bytes.subarray(start, end))
    if (value === null) continue
    rest.push(bytes.toString('utf8', from, start), `"${placeholderPrefix}${values.length}"`)
    values.push(value)
    from = end
    found = end
  }
  rest.push(bytes.toString('utf8', from))
  const of = (text: unknown): T | undefined =>
    typeof text === 'string' && text.startsWith(placeholderPrefix)
      ? values[Number(text.slice(placeholderPrefix.length))]
      : undefined
  return { rest: rest.join(''), values, of }
}

/** The index at which the value of a name begins; null if what was found is not a name. */
function valueStartAfter(bytes: Buffer, nameEnd: number): number | null {
  const colon = skipWhitespace(bytes, nameEnd)
  return bytes[colon] === COLON ? skipWhitespace(bytes, colon + 1) : null
}

/** The index at which the white space of JSON ends. */
export function skipWhitespace(json: Buffer, from: number): number {
  let at = from
  // Most characters are not white space, and are greater than all white space characters.
  for (let char = json[at] as number; char <= SPACE && isSpace(char); char = json[++at] as number);
  return at
}

const isSpace = (char: number): boolean => char === SPACE || char === TAB || char === LINE_FEED || char === RETURN
