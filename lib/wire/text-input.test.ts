import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { PreparePorts } from './endpoint.ts'
import { parseWith } from './schema.ts'
import { checkContext, countableText, itemPath, itemsOf, maxItemTokens, textInput } from './text-input.ts'

const schema = z.looseObject({ input: textInput('it is empty') })

test.each([
  ['one', ['one'], 'input'],
  [['one', 'two'], ['one', 'two'], 'input[0]'],
  [[1, 2], [[1, 2]], 'input'],
  [[[1], [2, 3]], [[1], [2, 3]], 'input[0]'],
])('%j is %j', (input, items, path) => {
  expect(parseWith(schema, { input }).input).toEqual(input)
  expect(itemsOf(input)).toEqual(items)
  expect(itemPath('input', input, 0)).toBe(path)
})

test.each([
  [undefined, 'input'],
  [null, 'input'],
  [5, 'input'],
  [{}, 'input'],
  ['', 'input'],
  [[], 'input'],
  [[''], 'input[0]'],
  [['a', ''], 'input[1]'],
  [['a', 5], 'input[1]'],
  [[1, 'a'], 'input[1]'],
  [[1.5], 'input[0]'],
  [[1, -1], 'input[1]'],
  [[1, 2 ** 53], 'input[1]'],
  [[[1], [2 ** 60]], 'input[1][0]'],
  [[[]], 'input[0]'],
  [[[1], 'a'], 'input[1]'],
  [[[1], [2, 'a']], 'input[1][1]'],
])('%j is not accepted, and %s is named', (input, param) => {
  expect(() => parseWith(schema, { input })).toThrow(expect.objectContaining({ param }))
})

test.each([0, 2 ** 53 - 1, 2 ** 53, -1])('of the token %d documentation says what is true of it', (token) => {
  const { anyOf } = z.toJSONSchema(schema.shape.input) as { anyOf: { items?: { minimum: number; maximum: number } }[] }
  const { minimum, maximum } = anyOf.find(({ items }) => items && 'minimum' in items)?.items ?? {}
  const isDescribed = token >= (minimum ?? Number.NaN) && token <= (maximum ?? Number.POSITIVE_INFINITY)
  expect(schema.safeParse({ input: [token] }).success).toBe(isDescribed)
})

test('there are at most so many texts, and as many tokens of one as there may be', () => {
  const input = Array.from({ length: 10_001 }, () => 'a')
  expect(() => parseWith(schema, { input })).toThrow(expect.objectContaining({ param: 'input' }))
  expect(() => parseWith(schema, { input: input.map(() => 1) })).not.toThrow()
})

test.each([
  ['', 5_000_000],
  [-1, 5_000_000],
  [[], 4_000_000],
  [null, 3_000_000],
])('millions of %j are refused at the first, and quickly', (item, length) => {
  const input = Array.from({ length }, () => item)
  const started = performance.now()
  expect(() => parseWith(schema, { input })).toThrow(expect.objectContaining({ condition: 'invalid_request' }))
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('a text has at most its bytes of tokens, and tokens are what they are', () => {
  expect(maxItemTokens('wörld', 100)).toBe(6)
  // One character that normalizing tokenizers read as eighteen letters and spaces.
  expect(maxItemTokens('\ufdfa', 100)).toBe(Buffer.byteLength('\ufdfa'.normalize('NFKC')))
  expect(maxItemTokens('\ufdfa', 100)).toBe(33)
  expect([maxItemTokens('\ufdfa', 20), maxItemTokens('wörld', 5), maxItemTokens([1, 2, 3], 2)]).toEqual([20, 5, 2])
  expect(maxItemTokens([1, 2, 3], 100)).toBe(3)
  expect(countableText(['a b', [1, 2]])).toBe('a b  x x')
})

describe('the context', () => {
  const counted: string[] = []
  const ports = {
    model: { contextWindow: 10 },
    countTokens: async (text: string) => {
      counted.push(text)
      return text.length / 4
    },
  } as unknown as PreparePorts

  test('is not counted where bytes leave no doubt', async () => {
    await checkContext('input', ['0123456789', [1, 2, 3]] as never, ports)
    expect(counted).toEqual([])
  })

  test('refuses what is longer, by its place', async () => {
    const refused = checkContext('input', ['short', 'x'.repeat(40), 'x'.repeat(44)], ports)
    await expect(refused).rejects.toMatchObject({ condition: 'context_exceeded', param: 'input[2]' })
    expect(counted.length).toBe(2)
    const tokens = Array.from({ length: 11 }, () => 1)
    await expect(checkContext('input', tokens, ports)).rejects.toMatchObject({ param: 'input' })
  })

  test('counts no more than a part of a very long request', async () => {
    counted.length = 0
    const wide = { ...ports, model: { contextWindow: 100_000 } } as PreparePorts
    const limits = await checkContext(
      'input',
      Array.from({ length: 9 }, () => 'x'.repeat(200_000)),
      wide,
    )
    expect(counted.length).toBe(2)
    // An item that was not counted may fit or not, so its bound is the size of its bytes.
    expect(limits).toEqual([100_000, 100_000, ...Array.from({ length: 7 }, () => Number.POSITIVE_INFINITY)])
    expect(maxItemTokens('x'.repeat(200_000), limits[8] ?? 0)).toBe(200_000)
  })
})
