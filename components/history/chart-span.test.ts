import { expect, it } from 'vitest'
import { MOVES_BY_KEY, spanOf } from './chart-span.ts'

const buckets = [0, 1, 2].map((hour) => ({ at: `2026-11-20T0${hour}:00:00.000Z`, requests: 1, errors: 0 }))

it.each([
  [1, 1, { from: '2026-11-20T01:00:00.000Z', to: '2026-11-20T02:00:00.000Z' }],
  [0, 2, { from: '2026-11-20T00:00:00.000Z', to: '2026-11-20T03:00:00.000Z' }],
  [2, 1, { from: '2026-11-20T01:00:00.000Z', to: '2026-11-20T03:00:00.000Z' }],
  [2, 3, null],
])('bars %d to %d are %o', (one, other, span) => {
  expect(spanOf(buckets, 3_600_000, one, other)).toEqual(span)
})

it('moves stay among the bars', () => {
  expect([
    MOVES_BY_KEY.ArrowLeft?.(0, 2),
    MOVES_BY_KEY.ArrowRight?.(2, 2),
    MOVES_BY_KEY.Home?.(1, 2),
    MOVES_BY_KEY.End?.(1, 2),
  ]).toEqual([0, 2, 0, 2])
})
