import { expect, it } from 'vitest'
import { cueTime } from './cue-time.ts'

it.each([
  [0, '0:00.0'],
  [4.6, '0:04.6'],
  [8.2, '0:08.2'],
  [59.96, '1:00.0'],
  [64.04, '1:04.0'],
  [3725.3, '62:05.3'],
  [-1, '0:00.0'],
])('%d seconds are %s', (seconds, text) => {
  expect(cueTime(seconds)).toBe(text)
})
