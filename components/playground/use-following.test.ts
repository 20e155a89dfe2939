import { expect, it } from 'vitest'
import { followsAfter } from './use-following.ts'

it('is left by whoever moves up, however little and by whatever', () => {
  expect(followsAfter(true, -3, 3)).toBe(false)
  expect(followsAfter(true, -700, 700)).toBe(false)
})

it('goes on where the page follows, also while more came below', () => {
  expect(followsAfter(true, 40, 0)).toBe(true)
  expect(followsAfter(true, 40, 200)).toBe(true)
})

it('goes on where the page has become shorter', () => {
  expect(followsAfter(true, -80, 0)).toBe(true)
})

it('begins again at the end, and not before', () => {
  expect(followsAfter(false, 300, 400)).toBe(false)
  expect(followsAfter(false, 300, 10)).toBe(true)
  expect(followsAfter(false, -5, 10)).toBe(false)
})
