import { describe, expect, it } from 'vitest'
import { readAmount, withoutGroups } from './read-amount.ts'

describe('commas in numbers', () => {
  it.each([
    ['1,000', '1000'],
    ['12,345,678.9', '12345678.9'],
    [' 250 ', '250'],
  ])('%s is %s', (text, bare) => {
    expect(withoutGroups(text)).toBe(bare)
  })

  it.each(['0,500', '1,5', '1,0000', '1,000,00', '1.000,50', ',500', '1000,000'])('%s keeps them', (text) => {
    expect(withoutGroups(text)).toBe(text)
  })
})

describe('amounts', () => {
  it.each([
    ['$ 1,000.50', '1000500000000'],
    ['.25', '250000000'],
    ['', null],
    ['$', null],
  ])('%s is %s', (text, value) => {
    expect(readAmount(text)).toEqual({ value })
  })

  it.each(['0,500', '0,125', '$0,250', '1,5', '1,000,5'])('%s is none', (text) => {
    expect(readAmount(text)).toEqual({ fault: 'amount' })
  })
})
