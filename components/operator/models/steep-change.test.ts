import { describe, expect, it } from 'vitest'
import { isSteep, steepRateChanges } from './steep-change.ts'

describe('a change is steep', () => {
  it.each([
    [100n, 200n, true],
    [100n, 199n, false],
    [100n, 50n, true],
    [100n, 51n, false],
    [100n, 0n, true],
    [0n, 1n, true],
    [0n, 0n, false],
    [100n, 100n, false],
  ])('from %d to %d: %s', (before, after, steep) => {
    expect(isSteep(before, after)).toBe(steep)
  })
})

describe('a new price', () => {
  const before = { input: '2500000000', output: '10000000000' }
  it('that is like the old one asks nothing, nor does a unit more', () => {
    expect(steepRateChanges(before, { ...before, output: '12000000000', cached_input: '1' })).toEqual([])
  })
  it('tells what slipped by a place, what is given away and what is left out', () => {
    expect(steepRateChanges(before, { input: '25000000000', request: '0' })).toEqual([
      { unit: 'input', before: '2500000000', after: '25000000000' },
      { unit: 'request', before: null, after: '0' },
      { unit: 'output', before: '10000000000', after: null },
    ])
  })
  it('that is the first one is asked about where it gives something away', () => {
    expect(steepRateChanges(null, { input: '5', output: '0' })).toEqual([{ unit: 'output', before: null, after: '0' }])
  })
})
