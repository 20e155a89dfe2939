import { expect, it } from 'vitest'
import { beforeId, printable } from './common.ts'

it.each(['Nora', '鹭', 'a b', '🦩', '👩\u200d💻', 'نام\u200cها', '—'])('%j can be seen', (text) => {
  expect(printable.test(text)).toBe(true)
})

it.each(['', '\u200b', ' ', '\u202elive', 'a\u00adb', 'a\nb', '\u200d', 'a\ufeff'])(
  '%j has something hidden in it, or nothing to see',
  (text) => {
    expect(printable.test(text)).toBe(false)
  },
)

it.each([
  'foo',
  '',
  'aud_',
  'req_01m8bsn1e0a5grtxctw8p4t2k2',
  'aud_81m8bsn1e0a5grtxctw8p4t2k2',
  'aud_01m8bsn1e0a5grtxctw8p4t2k2 ',
])('%j is no place in a list of notes', (text) => {
  expect(beforeId('aud').safeParse(text).error?.issues[0]?.message).toMatch(/not a place in the list/)
  expect(beforeId('aud').safeParse('aud_01m8bsn1e0a5grtxctw8p4t2k2').success).toBe(true)
})
