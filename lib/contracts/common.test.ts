import { expect, it } from 'vitest'
import { printable } from './common.ts'

it.each(['Nora', '鹭', 'a b', '🦩', '👩\u200d💻', 'نام\u200cها', '—'])('%j can be seen', (text) => {
  expect(printable.test(text)).toBe(true)
})

it.each(['', '\u200b', ' ', '\u202elive', 'a\u00adb', 'a\nb', '\u200d', 'a\ufeff'])(
  '%j has something hidden in it, or nothing to see',
  (text) => {
    expect(printable.test(text)).toBe(false)
  },
)
