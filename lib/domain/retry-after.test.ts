import { expect, test } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0)

test.each([
  ['seconds', { 'retry-after': '7' }, 7],
  ['part of a second', { 'retry-after': '0.4' }, 0.4],
  ['a date', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 37],
  ['a date in the form of RFC 850', { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }, 37],
  ['a date in the form of C', { 'retry-after': 'Sun Nov  6 08:49:37 1994' }, 37],
  ['a date that is over', { 'retry-after': 'Sun, 06 Nov 1994 08:40:00 GMT' }, 0],
  [
    'a date by the clock of who says it',
    { 'retry-after': 'Sun, 06 Nov 1994 09:49:37 GMT', date: 'Sun, 06 Nov 1994 09:49:30 GMT' },
    7,
  ],
  ['a date beside one that is none', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT', date: 'now' }, 37],
  ['less than nothing', { 'retry-after': '-5' }, null],
  ['no time at all', { 'retry-after': 'soon' }, null],
  ['a day that does not exist', { 'retry-after': 'Sun, 99 Nov 1994 08:49:37 GMT' }, null],
  ['two at once', { 'retry-after': '5, 7' }, null],
  ['nothing', { 'retry-after': '' }, null],
  ['no header', {}, null],
])('%s', (_, headers, seconds) => {
  expect(parseRetryAfter(headers, NOW)).toBe(seconds)
})
