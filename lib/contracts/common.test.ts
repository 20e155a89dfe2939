import { expect, it } from 'vitest'
import { integer, pageLimit, printable } from './common.ts'

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
  ['1', 1],
  ['100', 100],
  ['007', 7],
  [5, 5],
])('%j is a whole number', (given, number) => {
  expect(integer(1, 100).parse(given)).toBe(number)
})

it.each(['0x10', '0b1', '1e1', '1.0', '１２', '1,0', '+5', ' 5', '5 ', '-0', '-1', '0', '', '101', 'NaN', true, null, [3]])(
  '%j is none that is taken',
  (given) => {
    expect(pageLimit(50, 100).safeParse(given).success).toBe(false)
    expect(pageLimit(50, 100).parse(undefined)).toBe(50)
  },
)
