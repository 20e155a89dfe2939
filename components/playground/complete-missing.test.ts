import { expect, it } from 'vitest'
import { completeMissing } from './complete-missing.ts'
import { NO_FIGURES } from './figures.ts'
import { answer, exchange } from './testing.ts'

it('completes the answers that have a record but no cost, and only those', async () => {
  const figures = (requestId: string | null, costNano: string | null) => ({ ...NO_FIGURES, requestId, costNano })
  const talk = [
    exchange(
      'e1',
      'One',
      [
        answer({ id: 'known', figures: figures('req_1', '5') }),
        answer({ id: 'left', state: 'stopped', figures: figures('req_2', null) }),
      ],
      [answer({ id: 'beside', figures: figures('req_3', null) })],
    ),
    exchange('e2', 'Two', [answer({ id: 'unanswered', figures: figures(null, null) })]),
  ]
  const reported: [string, string | null][] = []
  await completeMissing(
    talk,
    async (before) => ({ ...before, costNano: `7 for ${before.requestId}` }),
    (id, { costNano }) => reported.push([id, costNano]),
  )
  expect(reported).toEqual([
    ['left', '7 for req_2'],
    ['beside', '7 for req_3'],
  ])
})
