import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstIdAt, ID_RANDOM_BYTES, newId, timeOfId } from './ids.ts'

// Ten base 32 digits hold 50 bits.
const time = fc.integer({ min: 0, max: 2 ** 50 - 1 })
const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES })

describe('newId', () => {
  it("has the prefix, its time, and twenty-six digits of Crockford's base 32", () => {
    fc.assert(
      fc.property(time, random, (ms, bytes) => {
        const id = newId('req', ms, bytes)
        expect(id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
        expect(timeOfId(id).getTime()).toBe(ms)
      }),
    )
  })

  it('sorts by time, whatever is random', () => {
    fc.assert(
      fc.property(time, time, random, random, (a, b, one, two) => {
        fc.pre(a !== b)
        expect(newId('req', a, one) < newId('req', b, two)).toBe(a < b)
        expect(firstIdAt('req', a) <= newId('req', a, one)).toBe(true)
        expect(firstIdAt('req', b) > newId('req', a, one)).toBe(a < b)
      }),
    )
  })

  it('loses none of what is random', () => {
    fc.assert(
      fc.property(time, random, random, (ms, one, two) => {
        expect(newId('x', ms, one) === newId('x', ms, two)).toBe(Buffer.compare(one, two) === 0)
      }),
    )
  })
})

describe('timeOfId', () => {
  it.each(['', 'req_', 'req_012345678', 'req_01234567u9abcdef', 'REQ_ILOU000000'])('%j has no time', (id) => {
    expect(() => timeOfId(id)).toThrow(RangeError)
  })
})
