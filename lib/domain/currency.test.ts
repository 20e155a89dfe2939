import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currencyOf, toMinor, toNano } from './currency.ts'

const minorOf = (amountNano: bigint, code: string) => {
  const currency = currencyOf(code)
  return currency && toMinor(amountNano, currency)
}

describe('toMinor', () => {
  it.each([
    ['usd', 12_340_000_000n, 1234n],
    ['usd', 12_345_000_000n, null],
    ['eur', 1n, null],
    ['jpy', 500_000_000_000n, 500n],
    ['jpy', 500_500_000_000n, null],
    ['isk', 5_000_000_000n, 500n],
    ['isk', 5_100_000_000n, null],
    ['kwd', 5_120_000_000n, 5120n],
    ['kwd', 5_124_000_000n, null],
  ])('%s %s is %s', (code, amount, minor) => {
    expect(minorOf(amount, code)).toBe(minor)
  })

  it('is undone by toNano', () => {
    const currencies = fc.constantFrom('usd', 'jpy', 'kwd', 'isk')
    fc.assert(
      fc.property(currencies, fc.bigInt({ min: 1n, max: 10n ** 9n }), (code, steps) => {
        const currency = currencyOf(code)
        if (!currency) return false
        const minor = steps * currency.stepMinor
        return toMinor(toNano(minor, currency), currency) === minor
      }),
    )
  })
})

it.each(['', 'us', 'USD', 'xxx1', 'dollar', 'ugx', 'qqq'])('knows no currency %j', (code) => {
  expect(currencyOf(code)).toBeNull()
})
