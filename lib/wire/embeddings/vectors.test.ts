import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { convert, extractVectors, type Vector } from './vectors.ts'

const base64 = (values: number[]): string => Buffer.from(new Float32Array(values).buffer).toString('base64')
const cut = (text: string) => extractVectors(Buffer.from(text))
const only = (text: string): Vector => {
  const [vector] = cut(text).values
  if (!vector) throw new Error('there is no vector')
  return vector
}

test('vectors are taken out as they stand', () => {
  const text =
    '{"data":[{"object":"embedding","embedding" : [\n 1, -2.5e-3 ],"x":"\\"embedding\\":[1]"},{"embedding":"AACAPw=="}],"u":1}'
  const { rest, values, of } = cut(text)
  const { data, u } = JSON.parse(rest)
  expect(data.map(({ embedding }: { embedding: string }) => of(embedding))).toEqual(values)
  expect([data[0].object, data[0].x, u]).toEqual(['embedding', '"embedding":[1]', 1])
  expect(values.map(({ format, json, dimensions }) => [format, json.toString(), dimensions])).toEqual([
    ['float', '[\n 1, -2.5e-3 ]', 2],
    ['base64', '"AACAPw=="', 1],
  ])
})

test.each([
  ['{"embedding":[NaN]}', 'of NaN'],
  ['{"embedding":[null]}', 'of null'],
  ['{"embedding":["1"]}', 'of texts'],
  ['{"embedding":[[1]]}', 'of lists'],
  ['{"embedding":[]}', 'of nothing'],
  ['{"embedding":[1,]}', 'that lacks its last number'],
  ['{"embedding":[1,,2]}', 'that lacks a number'],
  ['{"embedding":[ ]}', 'of blanks'],
  ['{"embedding":[1 2]}', 'without a comma'],
  ['{"embedding":[-]}', 'of a sign'],
  ['{"embedding":[.5]}', 'of a fraction alone'],
  ['{"embedding":[1.5.5]}', 'of two fractions'],
  ['{"embedding":[1e+]}', 'of a signed nothing'],
  ['{"embedding":[01]}', 'of numbers that JSON has not'],
  ['{"embedding":[1.]}', 'of half a fraction'],
  ['{"embedding":[1e]}', 'of half an exponent'],
  ['{"embedding":[+1]}', 'of numbers with a plus'],
  ['{"embedding":"AAAA!!!!AAAA!!!!"}', 'of what is no base64'],
  ['{"embedding":"AAA="}', 'of half a number'],
  ['{"embedding":""}', 'of an empty text'],
  ['{"embedding":"\\q"}', 'that is not JSON'],
])('%s: a vector %s breaks the answer', (text) => {
  expect(() => cut(text)).toThrow(expect.objectContaining({ mark: 'stream_broken' }))
})

describe('a vector in another form', () => {
  const values = [0.1, -1, 3.4028234663852886e38, 1.401298464324817e-45, 0, 1 / 3]

  test('floats become base64 of float32, little end first', () => {
    const vector = convert(only(JSON.stringify({ embedding: values })), 'base64')
    expect(vector).toMatchObject({ format: 'base64', dimensions: 6 })
    expect(vector.json.toString()).toBe(`"${base64(values)}"`)
  })

  test('base64 becomes floats that are the same float32', () => {
    const vector = convert(only(JSON.stringify({ embedding: base64(values) })), 'float')
    expect((JSON.parse(vector.json.toString()) as number[]).map(Math.fround)).toEqual(values.map(Math.fround))
    expect(vector.json.toString()).toMatch(/^\[0\.100000001,-1,/)
  })

  test('what is in that form already stays as it is', () => {
    const vector = only('{"embedding":[1.50, 2]}')
    expect(convert(vector, 'float')).toBe(vector)
  })

  test.each(['1e60', '-1e999'])('%s is no float32', (value) => {
    expect(() => convert(only(`{"embedding":[${value}]}`), 'base64')).toThrow(expect.objectContaining({ mark: 'stream_broken' }))
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s has no number in JSON', (value) => {
    const vector = only(JSON.stringify({ embedding: base64([1, value]) }))
    expect(() => convert(vector, 'float')).toThrow(expect.objectContaining({ mark: 'stream_broken' }))
  })

  test('numbers that are none break the answer', () => {
    expect(() => convert(only('{"embedding":[1 2,]}'), 'base64')).toThrow(expect.objectContaining({ mark: 'stream_broken' }))
  })
})

test('every list of numbers that JSON can write is one', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (values) => {
      expect(only(JSON.stringify({ embedding: values }, null, 1)).dimensions).toBe(values.length)
    }),
  )
})

function orNone(count: () => number): number {
  try {
    return count()
  } catch {
    return 0
  }
}

test('what JSON does not read as a list of numbers is none', () => {
  const chars = fc.constantFrom(...'0123456789.eE+-, \n')
  const lists = fc.oneof(
    fc.string({ unit: chars, minLength: 1, maxLength: 12 }),
    fc.array(chars, { maxLength: 4 }).map((some) => `1${some.join('')}2`),
  )
  fc.assert(
    fc.property(lists, (inside) => {
      const counted = orNone(() => only(`{"embedding":[${inside}]}`).dimensions)
      expect(counted).toBe(orNone(() => (JSON.parse(`[${inside}]`) as number[]).length))
    }),
    { numRuns: 2000 },
  )
})
