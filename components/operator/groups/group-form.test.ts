import { describe, expect, it } from 'vitest'
import { newGroupForm, readFactor, readGroupForm } from './group-form.ts'

describe('readFactor', () => {
  it.each([
    ['1', 10_000],
    ['1.098', 10_980],
    ['0', 0],
    ['× 0.5', 5000],
    ['100', 1_000_000],
    ['100.0001', null],
    ['1.00001', null],
    ['', null],
    ['-1', null],
    ['1,5', null],
  ])('%j is %s basis points', (text, basisPoints) => {
    expect(readFactor(text)).toBe(basisPoints)
  })
})

describe('readGroupForm', () => {
  it('takes nothing for no limit', () => {
    expect(readGroupForm({ ...newGroupForm, name: ' team ', tpm: '100,000' }).values).toMatchObject({
      name: 'team',
      rpm: null,
      tpm: 100_000,
    })
  })
  it('names every field at fault', () => {
    expect(readGroupForm({ ...newGroupForm, multiplier: 'x', rpm: '6,0' }).faults).toEqual({
      multiplierBp: 'factor',
      rpm: 'rate',
    })
  })
})
