import { expect, it } from 'vitest'
import { shouldFollow } from './use-stick-to-bottom.ts'

it('is left by whoever moves up, however little and by whatever', () => {
  expect(shouldFollow(true, -3, 3)).toBe(false)
  expect(shouldFollow(true, -700, 700)).toBe(false)
})

it('goes on where the page follows, also while more came below', () => {
  expect(shouldFollow(true, 40, 0)).toBe(true)
  expect(shouldFollow(true, 40, 200)).toBe(true)
})

it('goes on where the page has become shorter', () => {
  expect(shouldFollow(true, -80, 0)).toBe(true)
})

it('begins again at the end, and not before', () => {
  expect(shouldFollow(false, 300, 400)).toBe(false)
  expect(shouldFollow(false, 300, 10)).toBe(true)
  expect(shouldFollow(false, -5, 10)).toBe(false)
})
