import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatIsoTime } from './iso-time.ts'

it('writes any time as toISOString() does, before 1970 too', () => {
  const time = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  fc.assert(
    fc.property(time, fc.integer({ min: 0, max: 999 }), (date, ms) => {
      expect(formatIsoTime(date)).toBe(date.toISOString())
      const same = new Date(date.getTime() - (((date.getTime() % 1000) + 1000) % 1000) + ms)
      expect(formatIsoTime(same)).toBe(same.toISOString())
    }),
    { numRuns: 1000 },
  )
})

it('throws for what is no time, as toISOString() does', () => {
  expect(() => formatIsoTime(new Date(Number.NaN))).toThrow(RangeError)
})
