import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readImageInfo } from './image-info.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const padded = (text: string): Buffer => Buffer.concat([hex(text), Buffer.alloc(40)])

const PNG = padded('89504e470d0a1a0a 0000000d 49484452 00000400 00000300')
const GIF = padded('474946383961 2c01 c800')
const JPEG = padded('ffd8 ffe0 0004 4a46 ffff ffc2 0011 08 0200 0100 03')
const VP8 = padded('52494646 00000000 57454250 56503820 00000000 300100 9d012a 4001 f000')
const VP8L = padded('52494646 00000000 57454250 5650384c 00000000 2f 3fc13b00')
const VP8X = padded('52494646 00000000 57454250 56503858 0a000000 10000000 ff0600 ff0300')

describe('imageInfo', () => {
  it.each([
    ['PNG', PNG, { type: 'image/png', width: 1024, height: 768 }],
    ['GIF', GIF, { type: 'image/gif', width: 300, height: 200 }],
    ['JPEG', JPEG, { type: 'image/jpeg', width: 256, height: 512 }],
    ['WebP with loss', VP8, { type: 'image/webp', width: 320, height: 240 }],
    ['WebP without loss', VP8L, { type: 'image/webp', width: 320, height: 240 }],
    ['WebP with more than a picture', VP8X, { type: 'image/webp', width: 1792, height: 1024 }],
  ])('reads a %s', (_, bytes, info) => {
    expect(readImageInfo(bytes)).toEqual(info)
    expect(readImageInfo(new Uint8Array(bytes))).toEqual(info)
  })

  it.each([
    ['nothing', ''],
    ['text', Buffer.from('this is no picture, whatever its name says').toString('hex')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>').toString('hex')],
    ['WAV', '52494646 00000000 57415645 666d7420'],
    ['a PNG cut off', '89504e470d0a1a0a 0000000d 49484452'],
    ['a PNG of no width', '89504e470d0a1a0a 0000000d 49484452 00000000 00000300'],
    ['a JPEG whose picture never comes', 'ffd8 ffe0 0004 4a46 ffda 0008'],
    ['a JPEG cut off', 'ffd8 ff'],
  ])('says null for %s', (_, bytes) => {
    expect(readImageInfo(hex(bytes))).toBeNull()
  })

  it('never throws, whatever is cut off or changed', () => {
    const files = fc.constantFrom(PNG, GIF, JPEG, VP8, VP8L, VP8X)
    fc.assert(
      fc.property(files, fc.nat(60), fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 5 }), (file, keep, changes) => {
        const damaged = Buffer.from(file.subarray(0, keep))
        for (const [at, value] of changes) if (at < damaged.length) damaged[at] = value
        const info = readImageInfo(damaged)
        expect(info === null || (info.width > 0 && info.height > 0)).toBe(true)
      }),
    )
  })
})
