import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import { measureCpuMs } from '../domain/testing.ts'
import { type JsonObject, jsonNumber, parseJsonObject } from './json.ts'

const parse = (text: string): JsonObject => parseJsonObject(Buffer.from(text))

/** The refusal of a body: its message, param and condition. */
function refusalOf(bytes: Uint8Array): { message: string; param: string | null; condition: string } {
  try {
    parseJsonObject(bytes)
  } catch (error) {
    const refusal = asRefusal(error)
    if (refusal) return { message: refusal.message, param: refusal.param, condition: refusal.condition }
    throw error
  }
  throw new Error('it was not refused')
}

/** Any string, including some that look like JSON. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\\"', '":', '{"a":1,"a":2}', '[[[', '}', '__proto__', '\u2028', '\ud800'),
)
/** V8's own JSON.parse sometimes confuses a name that has an escape with one of an earlier object: `"a` for `\"`. */
const name = text.filter((plain) => !JSON.stringify(plain).includes('\\'))
const value = fc.letrec<{ any: unknown; object: object }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('any'), { maxKeys: 5, noNullPrototype: true }),
}))

/** A spelling of a string in JSON with any of its characters escaped. */
const spell = (plain: string, escaped: (index: number) => boolean): string =>
  `"${plain
    .split('')
    .map((char, index) =>
      escaped(index) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(char).slice(1, -1),
    )
    .join('')}"`

describe('parseJsonObject', () => {
  it('reads every object that JSON can write, as JSON.parse does, however it is spaced', () => {
    fc.assert(
      fc.property(value.object, fc.constantFrom(undefined, 1, '\t', ' \r\n '), (object, space) => {
        const written = JSON.stringify(object, null, space)
        expect(parse(written)).toEqual(JSON.parse(written))
      }),
      { numRuns: 1000 },
    )
  })

  it('refuses names that stand twice where V8 takes one for another that was parsed before', () => {
    parse('{"model":"m","messages":[],"\\\\":1,"z":1}')
    for (const body of ['{"model":"m","messages":[],"\\u006e":1,"n":2}', '{"model":"m","messages":[],"\\n":1,"\\u000a":2}'])
      expect(refusalOf(Buffer.from(body)).message).toContain('twice')
  })

  it.each([
    ['temperature', '{"model":"m","temperature":1e400}'],
    ['tools[0].parameters.maximum', '{"tools":[{"parameters":{"maximum":-1e999}}]}'],
  ])('refuses a number that is too large to be one, at %s', (param, body) => {
    expect(refusalOf(Buffer.from(body))).toMatchObject({ condition: 'invalid_request', param })
  })

  it('refuses every object in which a name stands twice, however it is spelled and wherever it is', () => {
    const name = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', '"', '\\', '\n', 'é', ':', '{') })
    fc.assert(
      fc.property(
        name,
        fc.array(fc.boolean(), { minLength: 1 }),
        value.any,
        value.any,
        fc.nat(5),
        fc.boolean(),
        (twice, how, one, two, depth, listed) => {
          const odd = (index: number): boolean => how[index % how.length] ?? false
          const members = [
            `${spell(twice, odd)}:${JSON.stringify(one)}`,
            '"between":[{"x":1}]',
            `${spell(twice, (index) => !odd(index))} :${JSON.stringify(two)}`,
          ]
          let body = `{${members.join(',')}}`
          for (let level = 0; level < depth; level++) body = listed ? `{"in":[0,${body}]}` : `{"in":${body}}`
          expect(refusalOf(Buffer.from(body))).toMatchObject({
            condition: 'invalid_request',
            param: `${(listed ? 'in[1].' : 'in.').repeat(depth)}${twice}`,
            message: expect.stringContaining('twice'),
          })
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('answers or refuses whatever the bytes are, and never fails otherwise', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', 'a', '\\', '1', 'null', ' '), { maxLength: 40 })
        .map((parts) => Buffer.from(parts.join(''))),
    )
    fc.assert(
      fc.property(noise, (bytes) => {
        try {
          expect(typeof parseJsonObject(bytes)).toBe('object')
        } catch (error) {
          expect(asRefusal(error)?.condition).toBe('invalid_request')
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('takes 64 levels and not one more', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(parse(nested(64))).toHaveProperty('a')
    expect(refusalOf(Buffer.from(nested(65))).message).toMatch(/64 levels/)
    // Brackets inside strings are not levels.
    expect(parse(JSON.stringify({ a: '['.repeat(500) }))).toHaveProperty('a')
  })

  it('makes names with a meaning in JavaScript plain names', () => {
    const object = parse('{"__proto__":{"polluted":1},"constructor":5,"toString":null}')
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
    expect(Object.keys(object)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('does not echo long names', () => {
    const name = 'x'.repeat(10_000)
    expect(refusalOf(Buffer.from(`{"${name}":1,"${name}":2}`)).message.length).toBeLessThan(200)
  })

  it('takes 20,000 different names and not one more, however often each stands and whatever it is in', () => {
    const members = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `"name ${from + n}" : 1`).join(',')
    const listed = (last: string) => `{"in":[{${members(9_999)}},{${members(10_000, 9_999)}},{${members(9_999)}},{${last}}]}`
    expect(parse(listed('"name 1":"name 20000"'))).toHaveProperty('in')
    expect(refusalOf(Buffer.from(listed('"name 20000":1'))).message).toMatch(/20000 fields/)
  })

  it.each(['{}', '[]'])('takes 600,000 objects and lists and not one more, empty ones too: %s', (empty) => {
    const listed = (count: number) =>
      Buffer.from(
        `{"in":[${Array(count - 2)
          .fill(empty)
          .join(',')}]}`,
      )
    expect(parseJsonObject(listed(600_000))).toHaveProperty('in')
    expect(refusalOf(listed(600_001)).message).toMatch(/600000 objects and lists/)
    // Those inside strings do not count.
    expect(parse(JSON.stringify({ in: empty.repeat(700_000) }))).toHaveProperty('in')
  })

  it('refuses a crowd of names sooner than it could be parsed', () => {
    const objects = Array.from({ length: 10_000 }, (_, n) => `{${Array.from({ length: 100 }, (_, m) => `"k${n * 100 + m}":1`)}}`)
    const body = Buffer.from(`{"in":[${objects.join(',')}]}`)
    expect(measureCpuMs(() => expect(refusalOf(body).condition).toBe('invalid_request'))).toBeLessThan(2000)
  })

  it('is quick with many names and long strings', () => {
    const names = Object.fromEntries(Array.from({ length: 19_000 }, (_, n) => [`name ${n}`, `${'\\"'.repeat(20)}${n}`]))
    const body = JSON.stringify({ names, long: '\\'.repeat(2_000_001) })
    expect(measureCpuMs(() => parse(body))).toBeLessThan(5000)
  })
})

it('a number literal stays as it is written', () => {
  expect(JSON.stringify({ cost: jsonNumber('0.000000001'), big: jsonNumber('12345678901234567.123456789') })).toBe(
    '{"cost":0.000000001,"big":12345678901234567.123456789}',
  )
})
