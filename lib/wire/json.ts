import { Refusal } from '../domain/errors.ts'
import { pathText } from './schema.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue | undefined }

const MAX_DEPTH = 64
/** Each takes V8 up to ten microseconds, in which every other request waits: it keeps them, and forms of the objects they are in. */
const MOST_NAMES = 20_000
/**
 * Each takes V8 about a microsecond, empty ones too: a body full of them would keep every other request waiting for seconds.
 * The most that a request of 16 MiB means in earnest: 43 for each token of answers that go back with 20 `top_logprobs`.
 */
const MOST_NESTED = 600_000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const QUOTE = 34
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const COLON = 58

/** The index of the quote that closes the string opened at `open`; the end of a text in which none does. */
function endOfString(text: string, open: number): number {
  let end = text.indexOf('"', open + 1)
  while (end > 0) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

/** Hears what a JSON text is made of. A name lies between `from` and `end`, without its quotes. */
interface Hearer {
  open(): void
  close(): void
  name(from: number, end: number): void
}

function walk(text: string, hearer: Hearer): void {
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at)
      if (isName(text, end)) hearer.name(at + 1, end)
      at = end
    } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) hearer.open()
    else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) hearer.close()
  }
}

function isName(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= 32) next++
  return text.charCodeAt(next) === COLON
}

/** What can be told of a text before it is parsed. */
interface Shape {
  names: number
  /** V8 may mistake a name with an escape for another (nodejs/node issue 63785), and then keep both. */
  odd: boolean
}

/**
 * Looks over a text that may be JSON. Refuses nesting so deep that walking it overflows the stack of a reader behind us, and
 * more objects, lists or names than can be parsed while others wait.
 */
function shapeOf(text: string): Shape {
  const escapes = text.includes('\\')
  let [depth, nested, names, odd] = [0, 0, 0, false]
  walk(text, {
    open() {
      nested++
      if (nested > MOST_NESTED)
        throw new Refusal(
          'invalid_request',
          `The request body has more than ${MOST_NESTED} objects and lists in it. Send fewer of them.`,
        )
      depth++
      if (depth > MAX_DEPTH)
        throw new Refusal(
          'invalid_request',
          `The request body is nested more than ${MAX_DEPTH} levels deep. Send a flatter body.`,
        )
    },
    close() {
      depth--
    },
    name(from, end) {
      names++
      odd ||= escapes && text.slice(from, end).includes('\\')
    },
  })
  if (names > MOST_NAMES) refuseCrowd(text)
  return { names, odd }
}

/** Refuses more different names than can be parsed while others wait; the same ones again and again are read quickly. */
function refuseCrowd(text: string): void {
  const names = new Set<string>()
  walk(text, {
    open() {},
    close() {},
    name(from, end) {
      names.add(text.slice(from, end))
      if (names.size > MOST_NAMES)
        throw new Refusal(
          'invalid_request',
          `The request body has more than ${MOST_NAMES} fields with different names. Send fewer of them.`,
        )
    },
  })
}

/** Refuses what JSON.parse lets pass: a name that stands twice in one object, from which two readers could take different values. */
function checkNames(text: string, { names, odd }: Shape, value: JsonValue): void {
  // Of a name that stands twice JSON.parse keeps one.
  if (!odd && names === namesIn(value)) return
  refuseInfinite(value, [])
  refuseTwice(text)
}

const isInfinite = (value: unknown): boolean => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY

/** How many names the objects in a value have; no number where one of its own is too large to be one. */
function namesIn(value: JsonValue | undefined): number {
  if (isInfinite(value)) return Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += namesIn(item)
  else for (const name in value) count += 1 + namesIn(value[name])
  return count
}

/** Refuses a number such as 1e400, which would leave as null. */
function refuseInfinite(value: JsonValue | undefined, path: readonly PropertyKey[]): void {
  if (isInfinite(value)) {
    const param = pathText(path)
    throw new Refusal('invalid_request', `The number in the field "${param}" is too large. Send a smaller one.`, { param })
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const [at, item] of value.entries()) refuseInfinite(item, [...path, at])
  else for (const name in value) refuseInfinite(value[name], [...path, name])
}

/** Finds the first name that stands twice in one object, and says so. */
function refuseTwice(text: string): void {
  const scopes: Set<string>[] = []
  walk(text, {
    open: () => void scopes.push(new Set()),
    close: () => void scopes.pop(),
    name(from, end) {
      const names = scopes.at(-1)
      if (names) addName(names, text.slice(from, end))
    },
  })
}

function addName(names: Set<string>, raw: string): void {
  const name = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
  if (names.has(name))
    throw new Refusal(
      'invalid_request',
      `The request body names the field "${name.slice(0, 64)}" twice in one object. Send it once.`,
      {
        param: name.slice(0, 64),
      },
    )
  names.add(name)
}

/** Reads a JSON object from the bytes of a request. Throws a 400 that says what is wrong with it. */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  if (bytes.byteLength === 0) throw new Refusal('invalid_request', 'The request body is empty. Send a JSON object.')
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new Refusal('invalid_request', 'The request body is not valid UTF-8. Encode it as UTF-8.')
  }
  const shape = shapeOf(text)
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    throw new Refusal('invalid_request', 'The request body is not valid JSON. Check it for missing quotes, commas or brackets.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('invalid_request', 'The request body is JSON, but not an object. Send an object such as {"model": "..."}.')
  checkNames(text, shape, value)
  return value
}

/** A value where it is an object; null where it is anything else. */
export const objectIn = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null

/** The objects in a list; what is none is left out, and what is no list has none. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => objectIn(item) !== null) : []

/** A text where it is one; nothing of it where it is anything else. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A field of what may be an object. */
export const fieldIn = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as JsonObject)[name] : undefined

/** A number literal for JSON.stringify that is exact where a JavaScript number is not. */
export function jsonNumber(literal: string): JsonValue {
  // JSON.rawJSON is in Node since 22; TypeScript's library does not list it yet.
  return (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON(literal)
}
