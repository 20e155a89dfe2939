import { limitAnswerBytes } from './read-all.ts'

const BRACE = 123
/** Blanks, and the bytes of a byte order mark. */
const INSIGNIFICANT: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf])

/**
 * The body of an answer for which a stream was asked. If it is a whole answer all the same, it is converted once it has arrived.
 * No line of events begins with a brace.
 */
export async function* wholeAsEvents(
  body: AsyncIterable<Uint8Array>,
  asEvents: (bytes: Buffer) => Buffer,
): AsyncGenerator<Uint8Array> {
  const whole: Uint8Array[] = []
  const limited = limitAnswerBytes()
  let isWhole: boolean | null = null
  for await (const piece of body) {
    isWhole ??= startsWithBrace(piece)
    if (isWhole) whole.push(limited(piece))
    else yield piece
  }
  if (whole.length > 0) yield asEvents(Buffer.concat(whole))
}

/** Null if there is nothing but blanks. */
function startsWithBrace(piece: Uint8Array): boolean | null {
  const first = piece.find((byte) => !INSIGNIFICANT.has(byte))
  return first === undefined ? null : first === BRACE
}
