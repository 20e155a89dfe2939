import { describe, expect, it } from 'vitest'
import type { Overview } from '#lib/contracts/overview'
import { colorOf, failedShare, namedModels, relativeChange, toBars, valuesOf } from './series.ts'

const used = (model: string, nano: string) => ({ model, nano, tokens: 10, requests: 2, errors: 1 })
const row = (model: string, nano: string) => ({ model, nano, tokens: 10, requests: 2, firstTokenMs: null })

describe('series', () => {
  const models = ['e', 'd', 'c', 'b', 'a'].map((name, index) => row(name, String(900 - index)))

  it('names the four dearest models', () => {
    const named = namedModels({ models })
    expect(named).toEqual(['e', 'd', 'c', 'b'])
    expect(colorOf('e', named)).toBe('var(--series-1)')
    expect(colorOf('a', named)).toBe('var(--series-rest)')
  })

  const day: Overview['days'][number] = {
    day: '2026-11-03',
    firstTokenMs: 412.5,
    models: [used('a', '9007199254740993'), used('', '1')],
  }

  it('takes a day apart without losing a nano', () => {
    expect(toBars([day], ['a'], 'money', (text) => `on ${text}`)).toEqual([
      { key: '2026-11-03', label: 'on 2026-11-03', name: 'on 2026-11-03', values: [9007199254740993n, 1n] },
    ])
  })

  it.each([
    ['tokens', [10n, 10n]],
    ['requests', [2n, 2n]],
    ['errors', [1n, 1n]],
    ['latency', [412_500n]],
  ] as const)('measures %s', (metric, values) => {
    expect(valuesOf(day, ['a'], metric)).toEqual(values)
  })

  it('has no latency where no answer began', () => {
    expect(valuesOf({ ...day, firstTokenMs: null }, [], 'latency')).toEqual([0n])
  })
})

describe('figures', () => {
  it('compares with the period before', () => {
    expect(relativeChange(112n, 100n)).toBe(0.12)
    expect(relativeChange(50n, 100n)).toBe(-0.5)
    expect(relativeChange(5n, 0n)).toBeNull()
    expect(failedShare(0, 0)).toBe(0)
    expect(failedShare(14, 10_000)).toBe(0.0014)
  })
})
