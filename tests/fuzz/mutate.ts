import type { Random } from '../support/random.ts'
import type { Json, JsonObject } from './bodies.ts'

const NAMES = [
  'model',
  'messages',
  'role',
  'content',
  'type',
  'text',
  'url',
  'image_url',
  'stream',
  'stream_options',
  'include_usage',
  'n',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'function',
  'functions',
  'parameters',
  'response_format',
  'json_schema',
  'schema',
  'metadata',
  'store',
  'seed',
  'user',
  'file',
  'file_id',
  'file_data',
  'audio',
  'background',
  'service_tier',
  'previous_response_id',
  'conversation',
  'web_search_options',
  '__proto__',
  'constructor',
  'toString',
  'length',
  '',
  ' ',
  '\0',
  '\ud800',
  '$ref',
  'enum',
  'properties',
  'items',
  'anyOf',
  'pattern',
  'minimum',
  'maximum',
  'usage',
  'cost',
]
const ODD_VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  1e20,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  2 ** 31,
  129,
  '',
  ' ',
  '\0',
  '\ud800',
  '\udc00x',
  '\u202e',
  '\ufeff',
  '\u2028',
  '😀',
  'é',
  '0',
  'true',
  'null',
  'fake/chat',
  'sandbox/chat',
  '../../etc/passwd',
  "'; DROP TABLE purse; --",
  'data: [DONE]',
  '\r\n\r\n',
  'data:image/png;base64,',
  'data:image/png,%',
  'https://',
  'http://127.0.0.1:1/',
  'file:///etc/passwd',
  '<|endoftext|>',
  '%s%n',
  [],
  {},
  [[]],
  [null],
  [{}],
  { type: 'text' },
  { type: 'function' },
  { role: 'user' },
]

/** A copy of one of the odd values, because the result is mutated again. */
const pickOddValue = (random: Random): Json => structuredClone(random.pick(ODD_VALUES))

/** Something that no schema expects: odd values, long text, deep or wide structures. */
function oddValue(random: Random): Json {
  return random.pickWeighted<() => Json>([
    [12, () => pickOddValue(random)],
    [2, () => random.pick(['a', '\0', '😀', '"', '\\', '\ud83d', ' ', '/']).repeat(random.integer(1, 300))],
    [0.3, () => random.pick(['a', 'é', '"', '\n']).repeat(random.integer(1_000, 70_000))],
    [1, () => nestOddValue(random.integer(1, 80), random)],
    [1, () => Array.from({ length: random.integer(2, 400) }, () => pickOddValue(random))],
    [
      1,
      () =>
        Object.fromEntries(
          Array.from({ length: random.integer(1, 40) }, (_, n) => [`${random.pick(NAMES)}${n}`, pickOddValue(random)]),
        ),
    ],
    [2, () => random.integer(-1000, 1000)],
    [1, () => random.next() * 10 ** random.integer(-20, 20)],
  ])()
}

function nestOddValue(depth: number, random: Random): Json {
  let value = pickOddValue(random)
  for (let level = 0; level < depth; level++) value = random.chance(0.5) ? [value] : { [random.pick(NAMES)]: value }
  return value
}

/** Every place in a value: its container, and its name there. */
function placesIn(value: Json, found: [JsonObject | Json[], string | number][] = []): [JsonObject | Json[], string | number][] {
  if (typeof value !== 'object' || value === null) return found
  const names: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  for (const name of names) {
    found.push([value, name])
    if (found.length < 400) placesIn((value as JsonObject)[name as string] as Json, found)
  }
  return found
}

/** Changes a body in one place, in place. */
function mutateOnce(body: JsonObject, random: Random): void {
  const places = placesIn(body)
  const [holder, name] = random.pick<[JsonObject | Json[], string | number]>(places.length > 0 ? places : [[body, 'model']])
  const object = holder as JsonObject
  random.pickWeighted<() => void>([
    [
      6,
      () => {
        object[name as string] = oddValue(random)
      },
    ],
    [
      3,
      () => {
        if (Array.isArray(holder)) holder.splice(name as number, 1)
        else delete holder[name as string]
      },
    ],
    [
      3,
      () => {
        if (Array.isArray(holder)) holder.push(oddValue(random))
        else setField(holder, random.pick(NAMES), oddValue(random))
      },
    ],
    [
      2,
      () => {
        object[name as string] = [object[name as string] ?? null]
      },
    ],
    [
      1,
      () => {
        // An object may have a field named toString that is not a function.
        const value = object[name as string] ?? null
        object[name as string] = typeof value === 'object' ? JSON.stringify(value) : String(value)
      },
    ],
    [
      1,
      () => {
        if (Array.isArray(holder)) while (holder.length < 300) holder.push(pickOddValue(random))
      },
    ],
    [
      2,
      () => {
        const [other, from] = random.pick<[JsonObject | Json[], string | number]>(places.length > 0 ? places : [[body, 'model']])
        object[name as string] = structuredClone((other as JsonObject)[from as string] ?? null)
      },
    ],
  ])()
}

/** Sets a field under any name, including `__proto__`. */
function setField(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Changes a valid body in a few places. */
export function mutate(body: JsonObject, random: Random): JsonObject {
  for (
    let times = random.pickWeighted([
      [5, 1],
      [3, 2],
      [1, 5],
    ]);
    times > 0;
    times--
  )
    mutateOnce(body, random)
  return body
}

const SNIPPETS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'null',
  '1e999',
  '-',
  '\\u0000',
  '\\ud800',
  '\0',
  '\ufeff',
  '//',
  '"a":1,',
  '"model":"x",',
  '\n',
  '  ',
]

/** Changes JSON as text, mostly into text that is no longer JSON. */
export function mutateText(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  const at = random.integer(0, bytes.length)
  return random.pickWeighted<() => Buffer>([
    [3, () => Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(SNIPPETS)), bytes.subarray(at)])],
    [2, () => bytes.subarray(0, at)],
    [2, () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + random.integer(1, 9)))])],
    [
      2,
      () => {
        const changed = Buffer.from(bytes)
        for (let times = random.integer(1, 4); times > 0 && changed.length > 0; times--)
          changed[random.integer(0, changed.length - 1)] = random.integer(0, 255)
        return changed
      },
    ],
    [1, () => Buffer.concat([bytes, bytes])],
    [1, () => Buffer.from(text, 'utf16le')],
    [1, () => Buffer.from(Array.from({ length: random.integer(0, 200) }, () => random.integer(0, 255)))],
    [1, () => Buffer.from('['.repeat(random.integer(1, 100_000)))],
  ])()
}
