import { expect, it } from 'vitest'
import { CODE_RANDOM_BYTES, formatCode, normalizeCode } from './redemption-code.ts'

it('is written in groups, and read as people type it', () => {
  const code = formatCode(Uint8Array.from({ length: CODE_RANDOM_BYTES }, (_, at) => at * 13))
  expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
  const plain = normalizeCode(code)
  expect(plain).toBe(code.replaceAll('-', ''))
  expect(normalizeCode(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toBe(plain)
  expect(normalizeCode(code.replaceAll('1', 'l').replaceAll('0', 'o'))).toBe(plain)
})

it.each(['', 'AAAAA', 'U'.repeat(20), 'A'.repeat(21), '%'.repeat(20)])('takes no code from %j', (typed) => {
  expect(normalizeCode(typed)).toBeNull()
})
