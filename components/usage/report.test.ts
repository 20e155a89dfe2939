import { expect, it } from 'vitest'
import { shareOf } from './report.ts'

it('has a share of all that was used, however little of how much', () => {
  expect(shareOf(40n, 71_000_000n)).toBeGreaterThan(0)
  expect(shareOf(1n, 4n)).toBe(0.25)
  expect(shareOf(0n, 0n)).toBe(0)
})
