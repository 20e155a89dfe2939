import { describe, expect, it } from 'vitest'
import { paymentsLeft, planRetry } from './auto-top-up.ts'

describe('after a failure', () => {
  it('waits longer each time, and gives up after the third in a row', () => {
    expect(planRetry('declined', 0)).toEqual({ failures: 1, waitMs: 3_600_000 })
    expect(planRetry('funds', 1)).toEqual({ failures: 2, waitMs: 43_200_000 })
    expect(planRetry('declined', 2)).toEqual({ failures: 3, waitMs: null })
    expect(planRetry('unanswered', 7)).toEqual({ failures: 8, waitMs: null })
  })

  it.each(['authentication', 'expired', 'card_gone', 'refused'] as const)('gives up at once where it is %s', (reason) => {
    expect(planRetry(reason, 0)).toEqual({ failures: 1, waitMs: null })
  })
})

describe('payments left below a ceiling', () => {
  it.each([
    [20n, 100n, 0n, 5n],
    [20n, 100n, 80n, 1n],
    [20n, 100n, 81n, 0n],
    [20n, 100n, 100n, 0n],
    [20n, 100n, 140n, 0n],
  ])('%d each, at most %d, %d used: %d', (amount, ceiling, used, left) => {
    expect(paymentsLeft(amount, ceiling, used)).toBe(left)
  })
})
