import { expect, test } from 'vitest'
import { failurePause, pollPause } from './pause.ts'

test.each([
  [5, 5_000, 10_000],
  [10, 5_000, 10_000],
  [15, 15_000, 30_000],
  [20, 15_000, 30_000],
])('a vendor is left alone between polls of %i seconds of film', (seconds, least, most) => {
  expect(pollPause(seconds, undefined, 0)).toBe(least)
  expect(pollPause(seconds, undefined, 0.999_999)).toBeCloseTo(most, -1)
})

test.each([
  [0, 1_000],
  [-1, 5_000],
  [2_500, 2_500],
  [3_600_000, 60_000],
  [Number.NaN, 5_000],
])('what it wants, %d ms, is heard within reason', (wanted, pause) => {
  expect(pollPause(5, wanted, 0)).toBe(pause)
})

test('failures are followed by longer and longer pauses, a minute at most', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((failures) => failurePause(failures, 0.5))).toEqual([
    2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ])
  expect(failurePause(50, 0.999)).toBeLessThan(75_000)
})
