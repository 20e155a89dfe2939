import { describe, expect, it } from 'vitest'
import { labelledBars, ticks, totalOf } from './axis.ts'

describe('ticks', () => {
  it.each([
    [0, [0, 1]],
    [7.3, [0, 2, 4, 6, 8]],
    [8, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100]],
    [1, [0, 0.5, 1]],
  ])('up to %d are %j', (largest, marks) => {
    expect(ticks(largest)).toEqual(marks)
  })
  it('always reach the largest value', () => {
    for (let value = 0.000001; value < 1e9; value *= 1.7) expect(ticks(value).at(-1)).toBeGreaterThanOrEqual(value * 0.999999)
  })
})

describe('bars', () => {
  it('have at most six labels', () => {
    expect(labelledBars(30)).toEqual([0, 5, 10, 15, 20, 25])
    expect(labelledBars(1)).toEqual([0])
    expect(labelledBars(90)).toHaveLength(6)
  })
  it('leave out what is hidden, to the nano', () => {
    const bar = { key: 'a', label: '', name: '', values: [9007199254740993n, 1n, 5n] }
    expect(totalOf(bar, new Set())).toBe(9007199254740999n)
    expect(totalOf(bar, new Set([1, 2]))).toBe(9007199254740993n)
  })
})
