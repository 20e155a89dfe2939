import { Refusal, refuseField } from '../domain/errors.ts'
import { isPlainObject } from '../domain/is-plain-object.ts'
import { formatPath } from './schema.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue | undefined }

const MAX_DEPTH = 64
/**
 * The most different names in a body. V8 takes up to ten microseconds for each, because it stores the names and the shapes of
 * their objects. Every other request waits meanwhile.
 */
const MAX_NAMES = 20_000
/**
 * The most objects and lists in a body. V8 takes about a microsecond for each, even if it is empty, so a body full of them would
 * keep every other request waiting for seconds. The largest realistic need of a request of 16 MiB is 43 for each token of answers
 * that are sent back with 20 `top_logprobs`.
 */
const MAX_NESTED = 600_000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const QUOTE = 34
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const COLON = 58
const COMMA = 44

/** The index of the quote that closes the string opened at `open`; the end of the text if there is none. */
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

/** Is called for each element of a JSON text. A name lies between `from` and `end`, without its quotes. */
interface JsonVisitor {
  open(isList: boolean): void
  close(): void
  name(from: number, end: number): void
  comma?(): void
}

function walk(text: string, visitor: JsonVisitor): void {
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at)
      if (isName(text, end)) visitor.name(at + 1, end)
      at = end
    } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) visitor.open(char === OPEN_ARRAY)
    else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) visitor.close()
    else if (char === COMMA) visitor.comma?.()
  }
}

function isName(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= 32) next++
  return text.charCodeAt(next) === COLON
}

/** What can be said about a text before it is parsed. */
interface ScanResult {
  names: number
  /** V8 may confuse a name that has an escape with another one (nodejs/node issue 63785), and then keep both. */
  hasEscapedName: boolean
}

/**
 * Scans a text that may be JSON. Refuses nesting that is deep enough to overflow the stack of a later reader, and more objects,
 * lists or names than can be parsed while others wait.
 */
function scanJson(text: string): ScanResult {
  const escapes = text.includes('\\')
  let [depth, nested, names, hasEscapedName] = [0, 0, 0, false]
  walk(text, {
    open() {
      nested++
      if (nested > MAX_NESTED)
        throw new Refusal(
          'invalid_request',
          `The request body has more than ${MAX_NESTED} objects and lists in it. Send fewer of them.`,
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
      hasEscapedName ||= escapes && text.slice(from, end).includes('\\')
    },
  })
  if (names > MAX_NAMES) refuseTooManyNames(text)
  return { names, hasEscapedName }
}

/** Refuses more different names than can be parsed while others wait. Repeated names are read quickly. */
function refuseTooManyNames(text: string): void {
  const names = new Set<string>()
  walk(text, {
    open() {},
    close() {},
    name(from, end) {
      names.add(text.slice(from, end))
      if (names.size > MAX_NAMES)
        throw new Refusal(
          'invalid_request',
          `The request body has more than ${MAX_NAMES} fields with different names. Send fewer of them.`,
        )
    },
  })
}

/**
 * Refuses what JSON.parse accepts: a name that appears twice in one object, from which two readers could take different values.
 */
function checkNames(text: string, { names, hasEscapedName }: ScanResult, value: JsonValue): void {
  // If a name appears twice, JSON.parse keeps only one.
  if (!hasEscapedName && names === countNames(value)) return
  refuseInfiniteNumbers(value, [])
  refuseDuplicateNames(text)
}

const isInfinite = (value: unknown): boolean => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY

/** How many names the objects in a value have; NaN if a number in it is too large. */
function countNames(value: JsonValue | undefined): number {
  if (isInfinite(value)) return Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += countNames(item)
  else for (const name in value) count += 1 + countNames(value[name])
  return count
}

/** Refuses a number such as 1e400, which would be written as null. */
function refuseInfiniteNumbers(value: JsonValue | undefined, path: readonly PropertyKey[]): void {
  if (isInfinite(value)) {
    const param = formatPath(path)
    throw refuseField(param, `The number in the field "${param}" is too large. Send a smaller one.`)
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const [at, item] of value.entries()) refuseInfiniteNumbers(item, [...path, at])
  else for (const name in value) refuseInfiniteNumbers(value[name], [...path, name])
}

/** An object or a list that is being read. */
interface Scope {
  names: Set<string>
  /** The name or the place in it that is being read. */
  at: string | number
}

/** Finds the first name that appears twice in one object, and refuses it. */
function refuseDuplicateNames(text: string): void {
  const scopes: Scope[] = []
  walk(text, {
    open: (isList) => void scopes.push({ names: new Set(), at: isList ? 0 : '' }),
    close: () => void scopes.pop(),
    comma() {
      const scope = scopes.at(-1)
      if (typeof scope?.at === 'number') scope.at++
    },
    name(from, end) {
      const scope = scopes.at(-1)
      if (scope === undefined) return
      const raw = text.slice(from, end)
      scope.at = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
      if (scope.names.has(scope.at)) {
        const param = formatPath(scopes.map(({ at }) => at))
        throw refuseField(param, `The request body names the field "${param}" twice in one object. Send it once.`)
      }
      scope.names.add(scope.at)
    },
  })
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
  const shape = scanJson(text)
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    throw new Refusal('invalid_request', 'The request body is not valid JSON. Check it for missing quotes, commas or brackets.')
  }
  if (!isPlainObject(value))
    throw new Refusal('invalid_request', 'The request body is JSON, but not an object. Send an object such as {"model": "..."}.')
  checkNames(text, shape, value)
  return value
}

/** The value if it is an object, otherwise null. */
export const objectIn = (value: unknown): JsonObject | null => (isPlainObject(value) ? (value as JsonObject) : null)

/** The objects in a list. Other items are left out, and a value that is not a list has none. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => objectIn(item) !== null) : []

/** The value if it is a list, otherwise an empty list. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value if it is a string, otherwise an empty string. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A number literal for JSON.stringify that is exact where a JavaScript number is not. */
export function jsonNumber(literal: string): JsonValue {
  // JSON.rawJSON is in Node since 22. TypeScript's library does not list it yet.
  return (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON(literal)
}
