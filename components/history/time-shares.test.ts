import fc from 'fast-check'
import { expect, it } from 'vitest'
import { timeSharesOf } from './time-shares.ts'

it.each([
  ['a stream', { tookMs: 2100, ownMs: 2, firstTokenMs: 347 }, [2, 345, 1753]],
  ['a whole answer', { tookMs: 500, ownMs: 1, firstTokenMs: null }, [1, 499]],
  ['a stream that the gateway took long to end', { tookMs: 2100, ownMs: 1500, firstTokenMs: 347 }, [1500, 0, 600]],
  ['a request that reached no vendor', { tookMs: 3, ownMs: 3, firstTokenMs: null }, [3, 0]],
  ['nothing', { tookMs: 0, ownMs: 0, firstTokenMs: null }, [0, 0]],
])('the time of %s', (_, times, shares) => {
  expect(timeSharesOf(times).map(({ ms }) => ms)).toEqual(shares)
})

it('the shares add up to the total, and none is negative', () => {
  const ms = fc.integer({ min: 0, max: 1e6 })
  fc.assert(
    fc.property(ms, ms, fc.option(ms), (tookMs, ownMs, firstTokenMs) => {
      const shares = timeSharesOf({ tookMs, ownMs, firstTokenMs })
      expect(shares.reduce((sum, share) => sum + share.ms, 0)).toBe(tookMs)
      expect(shares.every((share) => share.ms >= 0)).toBe(true)
    }),
  )
})
