import { describe, expect, it } from 'vitest'
import { colorOf, extentOf, labelledBars, ticks, totalOf } from './axis.ts'

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
  it.each([
    [7.3, -1, [-5, 0, 5, 10]],
    [3, -3, [-4, -2, 0, 2, 4]],
    [0, -8, [-8, -6, -4, -2, 0]],
    [0, -0.3, [-0.3, -0.2, -0.1, 0]],
    [100, -1, [-50, 0, 50, 100]],
    [5, 2, [0, 2, 4, 6]],
  ])('from %d down to %d are %j', (largest, least, marks) => {
    const found = ticks(largest, least)
    expect(found).toHaveLength(marks.length)
    for (const [index, mark] of marks.entries()) expect(found[index]).toBeCloseTo(mark, 9)
  })
  it('have nothing among them and reach both ends, in few steps, however unlike the two are', () => {
    for (let high = 0.001; high < 1e7; high *= 7.3)
      for (let low = 0.001; low < 1e7; low *= 5.1) {
        const marks = ticks(high, -low)
        expect(marks.some((mark) => Object.is(mark, 0))).toBe(true)
        expect(marks.at(-1)).toBeGreaterThanOrEqual(high * 0.999999)
        expect(marks[0]).toBeLessThanOrEqual(-low * 0.999999)
        expect(marks.length).toBeGreaterThanOrEqual(4)
        expect(marks.length).toBeLessThanOrEqual(7)
      }
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
  it('rise by what is gained and go down by what is lost, each without what is hidden', () => {
    const bar = { key: 'a', label: '', name: '', values: [7n, -2n, 5n, -1n] }
    expect(extentOf(bar, new Set())).toEqual({ above: 12n, below: -3n })
    expect(extentOf(bar, new Set([0, 1]))).toEqual({ above: 5n, below: -1n })
    expect(totalOf(bar, new Set())).toBe(9n)
  })
  it('are a warning below nothing, whatever their series', () => {
    expect(colorOf(1, 5n)).toBe('var(--series-2)')
    expect(colorOf(1, -5n)).toBe('var(--warn)')
  })
})
