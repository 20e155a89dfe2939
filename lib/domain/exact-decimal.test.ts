import { expect, test } from 'vitest'
import { exactOf, exactOfNano, formatExact, parseExact } from './exact-decimal.ts'

test.each([
  ['0', '0'],
  ['12', '12'],
  ['+1.50', '1.5'],
  ['-0.25', '-0.25'],
  ['.5', '0.5'],
  ['0.0038349999999999999', '0.0038349999999999999'],
  ['1.2e-05', '0.000012'],
  ['1E+3', '1000'],
  ['0.1000000000000000000000000000', '0.1'],
])('%s is read as %s', (text, shown) => {
  expect(formatExact(parseExact(text) ?? -1n)).toBe(shown)
})

test.each(['', '.', '-', '1,5', '$1', '1e', 'NaN', '0x10', '1 2', '0.0000000000000000000000001'])('%j is none', (text) => {
  expect(parseExact(text)).toBeNull()
})

test('sums of what floats cannot hold are exact', () => {
  const sum = ['0.1', '0.2'].map((text) => parseExact(text) ?? 0n).reduce((a, b) => a + b)
  expect(sum).toBe(parseExact('0.3'))
  expect(exactOfNano(1n)).toBe(parseExact('1e-9'))
  expect(exactOf(7n)).toBe(parseExact('7'))
})
