import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { charge, formatDecimal, maxBigInt, minBigInt, nano, parseDecimal } from './money.ts'

const amounts = fc.bigInt({ min: 0n, max: 10n ** 18n })
const MILLION_BASIS = 10n ** 10n

describe('charge', () => {
  it.each([
    [0n, 10n ** 9n, 10_000n, 0n],
    [1n, 1n, 10_000n, 1n],
    [1_000_000n, 2_500_000_000n, 10_000n, 2_500_000_000n],
    [600n, 2_500_000_000n, 10_000n, 1_500_000n],
    [1n, 2_500_000_000n, 15_000n, 3_750n],
    [3n, 333_333n, 10_000n, 1n],
    [4n, 333_333n, 10_000n, 2n],
    [5n, 10n ** 9n, 0n, 0n],
  ])('%s units at %s per million times %s/10000 cost %s', (count, price, multiplier, cost) => {
    expect(charge(count, price, multiplier)).toBe(cost)
  })

  it('is the exact price rounded up, by less than one nano-dollar', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.bigInt({ min: 0n, max: 1_000_000n }), (count, price, multiplier) => {
        const cost = charge(count, price, multiplier)
        const exact = count * price * multiplier
        expect(cost * MILLION_BASIS).toBeGreaterThanOrEqual(exact)
        expect((cost - 1n) * MILLION_BASIS).toBeLessThan(exact === 0n ? 1n : exact)
      }),
    )
  })

  it('never falls when anything rises, and is free only where something is nothing', () => {
    const some = fc.bigInt({ min: 1n, max: 10n ** 12n })
    fc.assert(
      fc.property(some, some, some, some, (count, price, multiplier, more) => {
        const cost = charge(count, price, multiplier)
        expect(cost).toBeGreaterThan(0n)
        for (const dearer of [
          charge(count + more, price, multiplier),
          charge(count, price + more, multiplier),
          charge(count, price, multiplier + more),
        ])
          expect(dearer).toBeGreaterThanOrEqual(cost)
      }),
    )
  })

  it('refuses what is negative', () => {
    for (const args of [
      [-1n, 1n, 1n],
      [1n, -1n, 1n],
      [1n, 1n, -1n],
    ] as [bigint, bigint, bigint][])
      expect(() => charge(...args)).toThrow(RangeError)
  })
})

describe('decimals', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [2500n, '0.0000025'],
    [1_000_000_000n, '1'],
    [-3_000_000_000n, '-3'],
    [-1n, '-0.000000001'],
    [10_500_000_000n, '10.5'],
    [123_456_789_123_456_789n, '123456789.123456789'],
  ])('%s is %s', (amount, text) => {
    expect(formatDecimal(amount)).toBe(text)
  })

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n - 1n }), (amount) => {
        expect(parseDecimal(formatDecimal(amount))).toBe(amount)
        expect(formatDecimal(-amount)).toBe(amount === 0n ? '0' : `-${formatDecimal(amount)}`)
        expect(formatDecimal(amount)).toMatch(/^\d+(\.\d{0,8}[1-9])?$/)
      }),
    )
  })

  it.each(['', '.5', '5.', '-1', '+1', '1e3', '1,5', ' 1', '0x1', '1.0000000001', '12345678901', 'NaN', '١'])(
    '%j is none',
    (text) => {
      expect(parseDecimal(text)).toBeNull()
    },
  )
})

it('least and most are what they say', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      expect([minBigInt(a, b), maxBigInt(a, b)]).toEqual(a < b ? [a, b] : [b, a])
    }),
  )
  expect(nano(5n)).toBe(5n)
})
