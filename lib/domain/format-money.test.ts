import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatFactor, formatMoney, formatPrice, type MoneyStyle } from './format-money.ts'

describe('formatMoney', () => {
  const rows: [bigint | string, MoneyStyle, string][] = [
    [0n, 'short', '$0.00'],
    [0n, 'row', '$0.000000'],
    [64_750_000_000n, 'short', '$64.75'],
    [1_234_567_890_000_000n, 'short', '$1,234,567.89'],
    [999_995_000_000n, 'short', '$1,000.00'],
    [42_180_064_000n, 'exact', '$42.180064'],
    [42_000_000_000n, 'exact', '$42.00'],
    [42_500_000_001n, 'exact', '$42.500000001'],
    [15_477_000n, 'row', '$0.015477'],
    [15_477_499n, 'row', '$0.015477'],
    [15_477_500n, 'row', '$0.015478'],
    [1_000n, 'row', '$0.000001'],
    [999n, 'row', '$0.000000999'],
    [1n, 'row', '$0.000000001'],
    [1n, 'short', '$0.000000001'],
    [263_000n, 'short', '$0.00026'],
    [9_990_000n, 'short', '$0.0100'],
    [2_500n, 'full', '$0.000002500'],
    [-1_200_000_000n, 'short', '−$1.20'],
    ['1500000000', 'short', '$1.50'],
  ]
  it.each(rows)('%s as %s is %s', (amount, style, text) => {
    expect(formatMoney(amount, style).text).toBe(text)
  })

  it('puts what is beyond the cents into the soft tone', () => {
    expect(formatMoney(42_180_064_000n, 'exact')).toEqual({ lead: '$42.18', soft: '0064', text: '$42.180064' })
  })

  it('never shows an amount as nothing', () => {
    const styles = fc.constantFrom<MoneyStyle>('short', 'row', 'full', 'exact')
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 18n })
    fc.assert(fc.property(amounts, styles, (amount, style) => /[1-9]/.test(formatMoney(amount, style).text)))
  })
})

describe('formatPrice', () => {
  it('writes a price per million and per one', () => {
    expect(formatPrice(3_000_000_000n, 'million')).toBe('$3.00')
    expect(formatPrice(75_000_000n, 'million')).toBe('$0.075')
    expect(formatPrice('40000000000000', 'one')).toBe('$0.04')
  })
})

describe('formatFactor', () => {
  it.each([
    [10_000, '1'],
    [10_980, '1.098'],
    [5_000, '0.5'],
    [0, '0'],
    [125_000, '12.5'],
  ])('%d basis points are a factor of %s', (basisPoints, factor) => {
    expect(formatFactor(basisPoints)).toBe(factor)
  })
})
