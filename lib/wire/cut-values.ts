const QUOTE = 34
const COLON = 58
const OPEN = 91
const CLOSE = 93
const SPACES = new Set([9, 10, 13, 32])

/**
 * Takes long values of one name out of JSON before it is parsed, and leaves their numbers (0, 1, ...) in their places: where
 * they are nearly all of it, parsing them would keep every other request waiting. `take` is given the text of a string, its
 * quotes included, or of a list without lists or texts in it; what it answers null for stays where it is. A name within a
 * string is never mistaken for one: JSON has quotes there only with a backslash.
 */
export function cutValues<T>(bytes: Buffer, name: string, take: (json: Buffer) => T | null): { rest: string; values: T[] } {
  const quoted = Buffer.from(`"${name}"`)
  const rest: string[] = []
  const values: T[] = []
  let from = 0
  for (let found = bytes.indexOf(quoted); found >= 0; found = bytes.indexOf(quoted, found)) {
    const start = valueAfter(bytes, found + quoted.length)
    found = start ?? found + quoted.length
    const open = start === null ? 0 : bytes[start]
    if (start === null || (open !== OPEN && open !== QUOTE)) continue
    const end = bytes.indexOf(open === OPEN ? CLOSE : QUOTE, start + 1) + 1
    // It breaks off, as whoever parses the rest will see.
    if (end === 0) break
    const value = take(bytes.subarray(start, end))
    if (value === null) continue
    rest.push(bytes.toString('utf8', from, start), String(values.length))
    values.push(value)
    from = end
    found = end
  }
  rest.push(bytes.toString('utf8', from))
  return { rest: rest.join(''), values }
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
