import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { formatKey, isKeyFormat, KEY_RANDOM_BYTES, keyHint } from './api-key.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const zeros = formatKey(new Uint8Array(KEY_RANDOM_BYTES))

describe('formatKey', () => {
  it('has the prefix, forty random digits and six of checksum', () => {
    expect(zeros).toMatch(/^sk-tg-0{40}[0-9A-Za-z]{6}$/)
  })

  it('ends with the base 62 of the CRC-32 that zip uses', () => {
    const key = formatKey(randomBytes(KEY_RANDOM_BYTES))
    const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0)
    expect(value).toBe(crc32(key.slice(0, -6)))
  })

  it('throws bytes away that are no digit', () => {
    const bytes = Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, at) => (at < 24 ? 62 + (at % 2) : 61))
    expect(formatKey(bytes)).toMatch(/^sk-tg-z{40}/)
  })

  it('refuses to make a shorter key out of too few bytes', () => {
    expect(() => formatKey(new Uint8Array(39))).toThrow(RangeError)
    expect(() => formatKey(new Uint8Array(64).fill(63))).toThrow(RangeError)
  })

  it('uses every digit about equally often', () => {
    const counts = new Map<string, number>()
    for (let turn = 0; turn < 500; turn++) {
      for (const digit of formatKey(randomBytes(KEY_RANDOM_BYTES)).slice(6, 46)) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1)
      }
    }
    expect(counts.size).toBe(62)
    // 20,000 draws, 323 expected of each, standard deviation 18: allows seven of them either way.
    for (const count of counts.values()) expect(Math.abs(count - 323)).toBeLessThan(126)
  })
})

describe('checkKey', () => {
  it('takes what formatKey makes', () => {
    expect(isKeyFormat(zeros)).toBe(true)
    expect(isKeyFormat(formatKey(randomBytes(KEY_RANDOM_BYTES)))).toBe(true)
  })

  it('refuses a key with any one character changed, cut or added', () => {
    for (let at = 6; at < zeros.length; at++) {
      const other = zeros[at] === 'x' ? 'y' : 'x'
      expect(isKeyFormat(zeros.slice(0, at) + other + zeros.slice(at + 1))).toBe(false)
    }
    expect(isKeyFormat(zeros.slice(0, -1))).toBe(false)
    expect(isKeyFormat(`${zeros}0`)).toBe(false)
    expect(isKeyFormat(` ${zeros}`)).toBe(false)
    expect(isKeyFormat('')).toBe(false)
  })
})

it('hints at a key by its last four characters', () => {
  expect(keyHint(zeros)).toBe(`sk-tg-…${zeros.slice(-4)}`)
})
