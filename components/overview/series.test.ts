import { describe, expect, it } from 'vitest'
import type { Overview } from '#lib/contracts/overview'
import { change, colorOf, failedShare, labelledDays, namedModels, ticks, toBars } from './series.ts'

const used = (model: string, nano: string) => ({ model, nano, tokens: 10, requests: 1 })
const row = (model: string, nano: string) => ({ ...used(model, nano), firstTokenMs: null })

describe('series', () => {
  const models = ['a', 'b', 'c', 'd', 'e'].map((name, index) => row(name, String((index + 1) * 100)))

  it('names the four dearest models', () => {
    const named = namedModels({ models } as Overview)
    expect(named).toEqual(['e', 'd', 'c', 'b'])
    expect(colorOf('e', named)).toBe('var(--series-1)')
    expect(colorOf('a', named)).toBe('var(--series-rest)')
  })

  it('adds a day up without losing a nano', () => {
    const days = [{ day: '2026-11-03', firstTokenMs: null, models: [used('a', '9007199254740993'), used('z', '1')] }]
    expect(toBars(days, ['a'], 'money')).toEqual([
      { day: '2026-11-03', values: [9007199254740993n, 1n], total: 9007199254740994n },
    ])
    expect(toBars(days, ['a'], 'tokens')[0]?.total).toBe(20n)
  })
})

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

describe('figures', () => {
  it('labels at most six days', () => {
    expect(labelledDays(30)).toEqual([0, 5, 10, 15, 20, 25])
    expect(labelledDays(1)).toEqual([0])
    expect(labelledDays(90)).toHaveLength(6)
  })
  it('compares with the period before', () => {
    expect(change(112n, 100n)).toBe(0.12)
    expect(change(50n, 100n)).toBe(-0.5)
    expect(change(5n, 0n)).toBeNull()
    expect(failedShare(0, 0)).toBe(0)
    expect(failedShare(14, 10_000)).toBe(0.0014)
  })
})
