import { expect, it } from 'vitest'
import { measureCpuMs } from './testing.ts'
import { findUnsafeLength } from './unsafe-length.ts'

it('finds an object that says of itself how long it is, but not in a number', () => {
  expect(findUnsafeLength({ a: [1, { b: { length: { toString: null } } }] })).toEqual(['a', 1, 'b'])
  expect(findUnsafeLength({ size: { valueOf: 1 } })).toEqual([])
})

it('finds nothing in what is well', () => {
  expect(findUnsafeLength({ length: 5, size: 'large', items: [[], null, 'text', { length: null }] })).toBeNull()
})

it('takes no longer over a body that is nested as deep as it can be', () => {
  const levels = 32_000
  const deep = JSON.parse(`${'['.repeat(levels)}{"size":{}}${']'.repeat(levels)}`) as unknown
  expect(measureCpuMs(() => expect(findUnsafeLength(deep)).toHaveLength(levels))).toBeLessThan(1000)
})
