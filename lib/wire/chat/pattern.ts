import type { JsonObject } from '../json.ts'

const OPENING = Buffer.from('"content":"')
const QUOTE = 34
const PROBE = 'probe'
/** Characters that are escaped in JSON, or that are not allowed in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that JSON does not allow
const ESCAPED = /["\\\u0000-\u001f]/

/** The text that an event adds, the bytes to send, and where the event ends. */
export interface PatternMatch {
  text: string
  out: [Buffer, Buffer, Buffer]
  end: number
}

/**
 * The form of an event that adds text to one choice and says nothing else. Models send thousands of them that differ only in
 * their text, and those need not be parsed one by one.
 */
export class ContentPattern {
  readonly choice: number
  readonly #before: Buffer
  readonly #after: Buffer
  readonly #outBefore: Buffer
  readonly #outAfter: Buffer

  private constructor(choice: number, before: Buffer, after: Buffer, outBefore: Buffer, outAfter: Buffer) {
    this.choice = choice
    this.#before = before
    this.#after = after
    this.#outBefore = outBefore
    this.#outAfter = outAfter
  }

  /**
   * The pattern of an event; null if it says more than text, or its text is not found in it. `rename` makes the bytes to send.
   */
  static of(chunk: JsonObject, raw: Buffer, rename: (chunk: JsonObject, raw: Buffer) => Buffer): ContentPattern | null {
    const choice = textOnlyChoice(chunk)
    if (choice === null) return null
    const [before, after] = splitAround(raw, choice.content)
    if (!before || !after) return null
    // The place is right if another text in it becomes the text of the choice.
    const probe = Buffer.concat([before, Buffer.from(PROBE), after])
    const probed = parse(probe)
    if (probed === null || textOnlyChoice(probed)?.content !== PROBE) return null
    const [outBefore, outAfter] = splitAround(rename(probed, probe), PROBE)
    return outBefore && outAfter ? new ContentPattern(choice.index, before, after, outBefore, outAfter) : null
  }

  /** The event that begins at `at` in a run of whole events, if it has this form. */
  match(run: Buffer, at: number): PatternMatch | null {
    const start = at + this.#before.length
    if (!matchesAt(this.#before, run, at)) return null
    const close = run.indexOf(QUOTE, start)
    if (close < 0 || !matchesAt(this.#after, run, close)) return null
    const text = run.toString('utf8', start, close)
    if (ESCAPED.test(text)) return null
    return { text, out: [this.#outBefore, run.subarray(start, close), this.#outAfter], end: close + this.#after.length }
  }
}

const matchesAt = (part: Buffer, run: Buffer, at: number): boolean =>
  at + part.length <= run.length && run.compare(part, 0, part.length, at, at + part.length) === 0

/** Some servers send every field in every event, empty. */
const isEmptyValue = (value: unknown): boolean => value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The only choice of a chunk that says nothing but text. */
function textOnlyChoice(chunk: JsonObject): { index: number; content: string } | null {
  const [choice, more] = (Array.isArray(chunk.choices) ? chunk.choices : []) as (JsonObject | null | undefined)[]
  const delta = choice?.delta as JsonObject | null | undefined
  if (!choice || !delta || more !== undefined || chunk.usage || choice.finish_reason) return null
  const { content, role: _, ...rest } = delta
  if (typeof content !== 'string' || content === '' || !Object.values(rest).every(isEmptyValue)) return null
  return { index: typeof choice.index === 'number' ? choice.index : 0, content }
}

/** The bytes before and after a text that is its event's only content; empty if that is uncertain. */
function splitAround(raw: Buffer, content: string): [Buffer, Buffer] | [] {
  const at = raw.indexOf(OPENING)
  if (at < 0 || raw.indexOf(OPENING, at + 1) >= 0 || ESCAPED.test(content)) return []
  const start = at + OPENING.length
  const end = start + Buffer.byteLength(content)
  return raw.toString('utf8', start, end) === content && raw[end] === QUOTE ? [raw.subarray(0, start), raw.subarray(end)] : []
}

function parse(raw: Buffer): JsonObject | null {
  try {
    return JSON.parse(raw.toString('utf8', raw.indexOf('{'))) as JsonObject
  } catch {
    return null
  }
}
