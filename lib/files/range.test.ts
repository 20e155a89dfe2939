import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseByteRange } from './range.ts'

describe('rangeOf a file of 10 bytes', () => {
  it.each([
    ['none', null, null],
    ['the first byte', 'bytes=0-0', { first: 0, last: 0 }],
    ['the middle', 'bytes=3-6', { first: 3, last: 6 }],
    ['the rest', 'bytes=4-', { first: 4, last: 9 }],
    ['more than there is', 'bytes=4-400', { first: 4, last: 9 }],
    ['the last bytes', 'bytes=-3', { first: 7, last: 9 }],
    ['more last bytes than there are', 'bytes=-30', { first: 0, last: 9 }],
    ['no last bytes', 'bytes=-0', 'beyond'],
    ['what begins at the end', 'bytes=10-', 'beyond'],
    ['what begins after the end', `bytes=${'9'.repeat(400)}-`, 'beyond'],
    ['spaces and capitals', ' Bytes = 1 - 2 ', { first: 1, last: 2 }],
    ['several', 'bytes=0-1,3-4', null],
    ['backwards', 'bytes=6-3', null],
    ['another unit', 'items=0-1', null],
    ['neither end', 'bytes=-', null],
    ['a word', 'bytes=a-b', null],
    ['negative', 'bytes=--3', null],
    ['a fraction', 'bytes=1.5-2', null],
    ['hexadecimal', 'bytes=0x1-2', null],
    ['empty', '', null],
  ])('%s', (_, header, range) => expect(parseByteRange(header, 10)).toEqual(range))

  it('of an empty file nothing can be asked', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-5']) expect(parseByteRange(header, 0)).toBe('beyond')
  })

  it('every range lies in its file', () => {
    const part = fc.oneof(fc.constant(''), fc.bigInt({ min: 0n, max: 1n << 70n }).map(String))
    fc.assert(
      fc.property(part, part, fc.nat(1000), (from, to, total) => {
        const range = parseByteRange(`bytes=${from}-${to}`, total)
        if (range === null || range === 'beyond') return
        expect(0 <= range.first && range.first <= range.last && range.last < total).toBe(true)
      }),
    )
  })
})
